/** Pasted text as the user means it: without what would drive a terminal, and with one kind of line break. */

/** CSI sequences, and OSC, DCS and the like with their content. */
const SEQUENCES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is removed
  /\x1b\[[0-?]*[ -/]*[@-~]|\x1b[\]P_^X][^\x07\x1b]{0,4096}(?:\x07|\x1b\\)/g;

/** C0 apart from tab and line feed, DEL, and C1. */
const CONTROLS = /(?![\t\n])\p{Cc}/gu;

export function cleanPaste(text: string): string {
  return text.replace(SEQUENCES, '').replace(/\r\n?/g, '\n').replace(CONTROLS, '');
}
