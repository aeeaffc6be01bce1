/** The text of a command file: where its arguments go, and which parts are shell commands. */

export type TemplatePart =
  | { readonly kind: 'text'; readonly text: string }
  /** What stood in `` !`…` ``: its output takes its place. */
  | { readonly kind: 'shell'; readonly command: string };

const SHELL = /(?<![\w`\\])!`([^`\n]+)`/g;
const ARGUMENT = /\$(?:ARGUMENTS\b|([1-9])(?!\d))/g;

/**
 * The parts in order, with the arguments in their places. Which parts are shell commands is decided before anything is
 * filled in, so that an argument never becomes one; fenced code is an example and runs nothing.
 */
export function fillTemplate(body: string, args: string): readonly TemplatePart[] {
  const words = splitArguments(args);
  let used = false;
  const fill = (text: string) =>
    text.replace(ARGUMENT, (_, position: string | undefined) => {
      used = true;
      return position === undefined ? args.trim() : (words[Number(position) - 1] ?? '');
    });
  const parts: TemplatePart[] = [];
  for (const { text, isCode } of proseAndCode(body)) {
    if (isCode) {
      parts.push({ kind: 'text', text: fill(text) });
      continue;
    }
    let from = 0;
    for (const match of text.matchAll(SHELL)) {
      parts.push({ kind: 'text', text: fill(text.slice(from, match.index)) });
      parts.push({ kind: 'shell', command: fill(match[1] ?? '').trim() });
      from = match.index + match[0].length;
    }
    parts.push({ kind: 'text', text: fill(text.slice(from)) });
  }
  if (!used && args.trim() !== '') parts.push({ kind: 'text', text: `\n\nARGUMENTS: ${args.trim()}` });
  return parts.filter((part) => part.kind === 'shell' || part.text !== '');
}

/** Words in order; what stands in quotes is one. */
export function splitArguments(args: string): readonly string[] {
  return [...args.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, bare]) => double ?? single ?? bare ?? '',
  );
}

function* proseAndCode(body: string): Generator<{ readonly text: string; readonly isCode: boolean }> {
  let fence: string | undefined;
  let text = '';
  for (const line of body.split(/(?<=\n)/)) {
    const [, mark] = /^ {0,3}(`{3,}|~{3,})/.exec(line) ?? [];
    const opens = fence === undefined && mark !== undefined;
    const closes = fence !== undefined && mark?.startsWith(fence) === true && line.trim() === mark;
    if (opens) {
      yield { text, isCode: false };
      [text, fence] = [line, mark];
    } else {
      text += line;
      if (!closes) continue;
      yield { text, isCode: true };
      [text, fence] = ['', undefined];
    }
  }
  yield { text, isCode: fence !== undefined };
}
