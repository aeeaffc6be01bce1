/**
 * The lines of a stream, separated by newline only: JSON may contain U+2028 and other characters that Node's
 * line reader treats as line ends. Characters across chunks are joined; a last line without newline counts.
 */
import { StringDecoder } from 'node:string_decoder';

/** Maximum length of a line in characters; a longer one ends the reading with an error. */
const MAX_LINE_CHARS = 256 * 1024 * 1024;

/** Blank lines are skipped. */
export async function* readLines(stream: AsyncIterable<Buffer | string>): AsyncGenerator<string, void> {
  const decoder = new StringDecoder('utf8');
  // Parts of the current line: joining them once keeps a long line linear.
  let pieces: string[] = [];
  let length = 0;
  const line = (): string => {
    const text = pieces.join('').replace(/\r$/, '');
    pieces = [];
    length = 0;
    return text;
  };
  for await (const chunk of stream) {
    let text = typeof chunk === 'string' ? chunk : decoder.write(chunk);
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n')) {
      pieces.push(text.slice(0, at));
      text = text.slice(at + 1);
      const whole = line();
      if (whole.trim() !== '') yield whole;
    }
    pieces.push(text);
    length += text.length;
    if (length > MAX_LINE_CHARS)
      throw new Error(`A line of the input is longer than ${MAX_LINE_CHARS >> 20} MB.`);
  }
  pieces.push(decoder.end());
  const rest = line();
  if (rest.trim() !== '') yield rest;
}
