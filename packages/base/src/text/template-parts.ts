/** The text of a file in which `` !`…` `` is replaced by the output of a shell command. */

export type TemplatePart =
  | { readonly kind: 'text'; readonly text: string }
  /** `` !`…` ``, or the lines of a fenced block that begins with `!`: replaced by its output. */
  | { readonly kind: 'shell'; readonly command: string };

/** Maximum number of shell commands in one text. */
export const MAX_SHELL_PARTS = 20;

/** Behind a blank or at the beginning of a line. */
/** A closed block whose fence is followed by `!`, and the end of its last line. */
const BLOCK = /^ {0,3}(?:`{3,}|~{3,})!\s*?\n([\s\S]*?)\n? {0,3}(?:`{3,}|~{3,})[ \t]*(\n?)$/;
const SHELL = /(?<=^|\s)!`([^`\n]+)`/gm;

/**
 * The parts in order, before arguments are filled in, so that an argument never becomes a shell command.
 * Other fenced code runs nothing.
 */
export function templateParts(body: string): readonly TemplatePart[] {
  const parts: TemplatePart[] = [];
  for (const { text, isCode } of proseAndCode(body)) {
    const [, block, behind = ''] = (isCode && BLOCK.exec(text)) || [];
    if (block !== undefined && block.trim() !== '') {
      parts.push({ kind: 'shell', command: block.trim() }, { kind: 'text', text: behind });
      continue;
    }
    let from = 0;
    for (const match of isCode ? [] : text.matchAll(SHELL)) {
      parts.push({ kind: 'text', text: text.slice(from, match.index) });
      parts.push({ kind: 'shell', command: (match[1] ?? '').trim() });
      from = match.index + match[0].length;
    }
    parts.push({ kind: 'text', text: text.slice(from) });
  }
  return parts.filter((part) => part.kind === 'shell' || part.text !== '');
}

/** Words in order; a quoted text is one word. */
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
