/** Files that a prompt mentions: `@src/main.ts`, `@"a name with spaces.md"`, `@src/main.ts#L10-20`. */

interface FileMention {
  /** As written: relative to the working directory, absolute, or from `~/`. */
  readonly path: string;
  /** From 1. */
  readonly fromLine?: number;
  readonly lines?: number;
}

const MENTION = /(?:^|(?<=[\s(]))@(?:"([^"\n]+)"|((?:\\ |[^\s"`])+))/g;
const MAX_MENTIONS = 20;

/** In order, each once. Text in backquotes, and what is not a path (`me@example.com`), is ignored. */
export function findMentions(text: string): readonly FileMention[] {
  const found = new Map<string, FileMention>();
  for (const [, quoted, bare = ''] of text.replace(/`[^`\n]*`/g, ' ').matchAll(MENTION)) {
    const written = quoted ?? bare.replaceAll('\\ ', ' ').replace(/[.,;:!?)\]}'"]+$/, '');
    const [, path = '', first, last] = /^(.*?)(?:#L(\d{1,7})(?:-L?(\d{1,7}))?)?$/.exec(written) ?? [];
    if (!/^(?:~\/|[\w./])/.test(path) || path.includes('://') || /^(?:mcp__|server:)/.test(path)) continue;
    if (found.size === MAX_MENTIONS) break;
    found.set(written, {
      path,
      ...(first !== undefined && {
        fromLine: Number(first),
        lines: Math.max(1, Number(last ?? first) - Number(first) + 1),
      }),
    });
  }
  return [...found.values()];
}
