/** Rows of texts and paths, as questions show them. */
import { isAbsolute, relative, sep } from 'node:path';
import type { Row } from '../../terminal/renderer/frame.ts';
import { clean } from '../../terminal/text/clean.ts';
import { oneLine } from '../../terminal/text/visible.ts';
import { wrap } from '../../terminal/text/wrap.ts';

/** Where the session works, for paths that are shown. */
export interface ShownPlace {
  /** Paths inside of it are shown relative to it. */
  readonly cwd: string;
  /** Shown as `~`. */
  readonly home: string | undefined;
}

/** Rows of one text, each line of it indented. */
export function textRows(text: string, columns: number, indent = '  '): readonly Row[] {
  return clean(text)
    .split('\n')
    .flatMap((line) => wrap(`${indent}${line}`, columns, { hang: `${indent}  ` }));
}

export function shortPath(path: string, { cwd, home }: ShownPlace): string {
  const inside = relative(cwd, path);
  const isInside = inside !== '' && inside !== '..' && !inside.startsWith(`..${sep}`) && !isAbsolute(inside);
  if (isInside) return oneLine(inside);
  return oneLine(home !== undefined && path.startsWith(home + sep) ? `~${path.slice(home.length)}` : path);
}
