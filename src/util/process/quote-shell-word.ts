/** A text as one word of a shell command, for people to copy. */
export const shellWord = (text: string): string =>
  /^[\w./@%+:,=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
