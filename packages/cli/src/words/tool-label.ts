/** One call in a few words: `Read src/app.js`, `Bash npm test`. */
import { isAbsolute, relative, sep } from 'node:path';
import { oneLine } from '@turnwright/terminal/text/visible.ts';

/** Input fields that describe a call best, in order. */
const TELLING = [
  'command',
  'file_path',
  'notebook_path',
  'pattern',
  'url',
  'query',
  'path',
  'description',
  'prompt',
] as const;

export function toolLabel(name: string, input: Readonly<Record<string, unknown>>, cwd: string): string {
  if (Array.isArray(input['todos'])) return `${oneLine(name)} ${input['todos'].length} items`;
  const told = TELLING.map((key) => [key, input[key]] as const).find(([, value]) => isText(value));
  const [key, value] = told ?? ['', Object.values(input).find(isText)];
  if (!isText(value)) return oneLine(name);
  const shown = key.endsWith('path') ? shortPath(value, { cwd }) : value;
  return `${oneLine(name)} ${oneLine(shown)}`;
}

/** Where the session works, for paths that are shown. */
export interface ShownPlace {
  /** Paths inside of it are shown relative to it. */
  readonly cwd: string;
  /** Shown as `~`. */
  readonly home?: string | undefined;
}

/** A path as a person reads it, in one line. */
export function shortPath(path: string, { cwd, home }: ShownPlace): string {
  if (!isAbsolute(path)) return oneLine(path);
  const inside = relative(cwd, path);
  const isInside = inside !== '' && inside !== '..' && !inside.startsWith(`..${sep}`) && !isAbsolute(inside);
  if (isInside) return oneLine(inside);
  return oneLine(home !== undefined && path.startsWith(home + sep) ? `~${path.slice(home.length)}` : path);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}
