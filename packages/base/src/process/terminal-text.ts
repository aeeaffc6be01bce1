/**
 * What a program wrote for a terminal, as a reader sees it: without colours, and as the last redraw of a line
 * left it.
 */

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const FOR_TERMINALS = /[\u0000-\u0008\u000b-\u001f\u007f]/;
const SEQUENCES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: sequences of terminals begin with one
  /\u001b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[ -/]*[0-~])?/g;
/** Erases the line, or a part of it that was drawn before. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const ERASES = /\u001b\[[012]?K/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const OTHERS = /[\u0000-\u0008\u000b-\u001f\u007f]/g;

/** Without escape sequences and control characters; of lines that were redrawn only what was last there. */
export function terminalText(text: string): string {
  if (!FOR_TERMINALS.test(text)) return text;
  return text
    .split('\n')
    .map((line) => (FOR_TERMINALS.test(line) ? drawLine(line) : line))
    .join('\n');
}

function drawLine(line: string): string {
  // A carriage return right before the line feed is a part of the line's end.
  const end = line.endsWith('\r') ? '\r' : '';
  const draws = line.slice(0, line.length - end.length).split('\r');
  let shown = '';
  for (const draw of draws) {
    const plain = withoutBackspaces(draw.replace(SEQUENCES, '')).replace(OTHERS, '');
    shown = ERASES.test(draw) || plain.length >= shown.length ? plain : plain + shown.slice(plain.length);
  }
  return shown + end;
}

/** Without letters that were printed and removed again. */
function withoutBackspaces(text: string): string {
  if (!text.includes('\b')) return text;
  const kept: string[] = [];
  for (const letter of text) {
    if (letter === '\b') kept.pop();
    else kept.push(letter);
  }
  return kept.join('');
}
