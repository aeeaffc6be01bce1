/** `@path` in a memory file imports another one. */
import { dirname, isAbsolute, join, resolve } from 'node:path';

const MENTION = /(?:^|(?<=\s))@((?:\\ |[^\s`])+)/g;
const MAX_MENTIONS = 50;

/**
 * The paths that a text imports, absolute, in order, each once: relative to the folder of the file, or from
 * `~/`. Code, fenced or inline, is ignored.
 */
export function findImports(text: string, file: string, home: string | undefined): readonly string[] {
  const paths = new Set<string>();
  for (const line of proseLines(text)) {
    for (const [, written = ''] of line.matchAll(MENTION)) {
      const path = absolute(written.replaceAll('\\ ', ' ').replace(/[.,;:!?)\]]+$/, ''), file, home);
      if (path !== undefined) paths.add(path);
      if (paths.size === MAX_MENTIONS) return [...paths];
    }
  }
  return [...paths];
}

function absolute(written: string, file: string, home: string | undefined): string | undefined {
  if (written === '' || written.includes('\0')) return undefined;
  if (written.startsWith('~/')) return home === undefined ? undefined : join(home, written.slice(2));
  if (isAbsolute(written)) return resolve(written);
  return /^[\w.]/u.test(written) ? resolve(dirname(file), written) : undefined;
}

/** Without fenced blocks; inline code is blanked. */
function* proseLines(text: string): Generator<string> {
  let fence: string | undefined;
  for (const line of text.split(/\r?\n/)) {
    const [, mark] = /^ {0,3}(`{3,}|~{3,})/.exec(line) ?? [];
    if (fence !== undefined) {
      if (mark?.startsWith(fence) === true && line.trim() === mark) fence = undefined;
    } else if (mark !== undefined) fence = mark;
    else yield line.replace(/(`+)(?:(?!\1).)*\1(?!`)/g, ' ');
  }
}
