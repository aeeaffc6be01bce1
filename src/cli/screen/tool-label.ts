/** One call in a few words: `Read src/app.js`, `Bash npm test`. */
import { isAbsolute, relative, sep } from 'node:path';
import { oneLine } from '../../terminal/text/visible.ts';

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
  const shown = key.endsWith('path') ? shortPath(value, cwd) : value;
  return `${oneLine(name)} ${oneLine(shown)}`;
}

/** Relative to the working directory when inside it. */
export function shortPath(path: string, cwd: string): string {
  if (!isAbsolute(path)) return path;
  const short = relative(cwd, path);
  return short === '' || short === '..' || short.startsWith(`..${sep}`) || isAbsolute(short) ? path : short;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}
