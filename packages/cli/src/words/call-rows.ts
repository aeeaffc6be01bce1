/** A call in full: a command as it would run, an edit as a diff, any other input field by field. */
import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { toolFacts } from '@turnwright/engine';
import { diffRows } from '@turnwright/terminal/markup/diff-rows.ts';
import type { Highlighter } from '@turnwright/terminal/markup/highlight.ts';
import type { Row } from '@turnwright/terminal/renderer/frame.ts';
import { clean } from '@turnwright/terminal/text/clean.ts';
import type { Theme } from '@turnwright/terminal/text/theme.ts';
import { wrap } from '@turnwright/terminal/text/wrap.ts';
import { describeCall } from './answers.ts';
import { type ShownPlace, shortPath } from './tool-label.ts';

interface CallDrawing extends ShownPlace {
  readonly theme: Theme;
  /** Default: changes of files are not coloured as code. */
  readonly highlighter?: Highlighter | undefined;
}

type Input = Readonly<Record<string, unknown>>;
type Rows = (columns: number) => readonly Row[];

/** Begins every row of the call, so that no line of it looks like a row of the dialog. */
const GUTTER = '  │ ';

interface Change {
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

/** Larger files are not read: then the replaced text alone is compared. */
const MAX_BYTES = 4 * 1024 * 1024;

export async function callRows(toolName: string, input: Input, drawing: CallDrawing): Promise<Rows> {
  const change = await changeOf(toolName, input);
  if (change === undefined) return (columns) => textRows(describeCall(input), columns, GUTTER);
  await drawing.highlighter?.load();
  return (columns) => diffOf(change, columns, drawing);
}

function diffOf(change: Change, columns: number, drawing: CallDrawing): readonly Row[] {
  const code = codeIn(change.path, drawing.highlighter);
  const rows = diffRows(change, columns - GUTTER.length, drawing.theme, code);
  const name = shortPath(change.path, drawing);
  const what = change.before === '' ? `${name}, a new file or an empty one` : name;
  return [
    ...textRows(what, columns, GUTTER),
    ...(rows.length === 0 ? textRows('nothing changes', columns, GUTTER) : rows.map((row) => GUTTER + row)),
  ];
}

/** Begins code of the language that a file of this name has; undefined: it is not known. */
export function codeIn(path: unknown, highlighter: Highlighter | undefined): CodeBeginning | undefined {
  const ending = typeof path === 'string' ? extname(path).slice(1) : '';
  return ending === '' || highlighter === undefined ? undefined : () => highlighter.begin(ending);
}

type CodeBeginning = () => ReturnType<Highlighter['begin']>;

/** What Edit and Write would make of the file, as it is now; undefined: another tool. */
async function changeOf(toolName: string, input: Input): Promise<Change | undefined> {
  const path = input['file_path'];
  if (typeof path !== 'string') return undefined;
  const { content, old_string: old, new_string: next, replace_all: all } = input;
  const { shownAs } = toolFacts(toolName);
  if (shownAs === 'new_file' && typeof content === 'string')
    return { path, before: (await textOf(path)) ?? '', after: content };
  if (shownAs !== 'change' || typeof old !== 'string' || typeof next !== 'string') return undefined;
  const before = await textOf(path);
  // The tool finds the text by its own rules; what is not found word for word is compared by itself.
  if (before === undefined || old === '' || !before.includes(old)) return { path, before: old, after: next };
  const after = all === true ? before.replaceAll(old, () => next) : before.replace(old, () => next);
  return { path, before, after };
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    const bytes = await readFile(path);
    return bytes.length > MAX_BYTES || bytes.includes(0) ? undefined : bytes.toString('utf8');
  } catch {
    return undefined;
  }
}

/** Rows of one text, each line of it indented. */
export function textRows(text: string, columns: number, indent = '  '): readonly Row[] {
  return clean(text)
    .split('\n')
    .flatMap((line) => wrap(`${indent}${line}`, columns, { hang: `${indent}  ` }));
}
