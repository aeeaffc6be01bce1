/** Answers of language servers as rows of text. What cannot be read of them is left out. */

import { fileURLToPath } from 'node:url';
import { isRecord } from '@turnwright/base/json-values.ts';
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import { cleanText } from '@turnwright/base/text/clean-text.ts';
import { onOneLine, shortenPath } from './problems.ts';

export interface AnswerPlace {
  readonly root: string;
  readonly files: Pick<PersistentFiles, 'stat' | 'readFile'>;
  /** Whether a rule denies reading a file; undefined: none does. */
  readonly isDenied: ((path: string) => Promise<boolean>) | undefined;
}

const MAX_ROWS = 100;
/** Files whose lines are shown. */
const MAX_FILES = 20;
const MAX_FILE_BYTES = 1024 * 1024;
const MAX_LINE_CHARS = 160;
const MAX_HOVER_CHARS = 5_000;
const MAX_DEPTH = 8;

interface Place {
  readonly path: string;
  readonly line: number;
  readonly column: number;
}

/** `src/a.ts:3:7  export function add(…`, a row each. */
export async function listPlaces(answer: unknown, shown: AnswerPlace): Promise<readonly string[]> {
  const places = (Array.isArray(answer) ? answer : [answer]).flatMap(readPlace);
  const lines = new Map<string, readonly string[]>();
  const wanted = [...new Set(places.slice(0, MAX_ROWS).map(({ path }) => path))].slice(0, MAX_FILES);
  for (const path of wanted) lines.set(path, await readLines(path, shown));
  return bounded(
    places.map(({ path, line, column }) => {
      const text = onOneLine(lines.get(path)?.[line - 1] ?? '', MAX_LINE_CHARS);
      return `${shortenPath(path, shown.root)}:${line}:${column}${text === '' ? '' : `  ${text}`}`;
    }),
  );
}

function bounded(rows: readonly string[]): readonly string[] {
  if (rows.length <= MAX_ROWS) return rows;
  return [...rows.slice(0, MAX_ROWS), `(and ${rows.length - MAX_ROWS} more)`];
}

async function readLines(path: string, { files, isDenied }: AnswerPlace): Promise<readonly string[]> {
  const stat = await files.stat(path).catch(() => undefined);
  if (stat?.kind !== 'file' || stat.size > MAX_FILE_BYTES) return [];
  if ((await isDenied?.(path).catch(() => true)) === true) return [];
  const bytes = await files.readFile(path).catch(() => new Uint8Array());
  return new TextDecoder().decode(bytes).split('\n');
}

/** A location, or a link to one. */
function readPlace(value: unknown): readonly Place[] {
  if (!isRecord(value)) return [];
  const range = value['targetSelectionRange'] ?? value['selectionRange'] ?? value['range'];
  const start = isRecord(range) ? range['start'] : undefined;
  const { line = 0, character = 0 } = isRecord(start) ? start : {};
  const path = toPath(value['targetUri'] ?? value['uri']);
  const isPosition = Number.isSafeInteger(line) && Number.isSafeInteger(character);
  if (path === undefined || !isPosition || Number(line) < 0 || Number(character) < 0) return [];
  return [{ path, line: Number(line) + 1, column: Number(character) + 1 }];
}

/** What is no file, or cannot be read as one, is shown as it is named. */
function toPath(uri: unknown): string | undefined {
  if (typeof uri !== 'string') return undefined;
  try {
    return uri.startsWith('file:') ? fileURLToPath(uri) : onOneLine(uri, 300);
  } catch {
    return undefined;
  }
}

/** The text that a person would see over the symbol. */
export function describeHover(answer: unknown): readonly string[] {
  const contents = isRecord(answer) ? answer['contents'] : undefined;
  const parts = (Array.isArray(contents) ? contents : [contents]).map((part: unknown) =>
    isRecord(part) ? part['value'] : part,
  );
  const text = parts.filter((part) => typeof part === 'string').join('\n\n');
  const clean = cleanText(text, MAX_HOVER_CHARS).trim();
  return clean === '' ? [] : [clean];
}

const KINDS =
  ' file module namespace package class method property field constructor enum interface function variable constant string number boolean array object key null enum-member struct event operator type-parameter'.split(
    ' ',
  );

/** `12:3 function add`, those inside of another one indented; with their files where they are of several. */
export async function listSymbols(answer: unknown, shown: AnswerPlace): Promise<readonly string[]> {
  return bounded((Array.isArray(answer) ? answer : []).flatMap((each) => symbolRows(each, shown, 0)));
}

function symbolRows(value: unknown, shown: AnswerPlace, depth: number): readonly string[] {
  if (!isRecord(value) || typeof value['name'] !== 'string') return [];
  const { name, kind, containerName, children, location } = value;
  const [place] = readPlace(isRecord(location) ? location : { uri: 'file:///', ...value });
  const isNamed = isRecord(location) || typeof value['uri'] === 'string';
  const where =
    place === undefined
      ? ''
      : `${isNamed ? `${shortenPath(place.path, shown.root)}:` : ''}${place.line}:${place.column} `;
  const inside = typeof containerName === 'string' && containerName !== '' ? ` in ${containerName}` : '';
  const row = `${'  '.repeat(depth)}${where}${KINDS[Number(kind)] ?? 'symbol'} ${onOneLine(`${name}${inside}`, 200)}`;
  const below = Array.isArray(children) && depth < MAX_DEPTH ? children : [];
  return [row, ...below.slice(0, MAX_ROWS).flatMap((child) => symbolRows(child, shown, depth + 1))];
}

/** Functions that call, or are called. */
export async function describeCalls(
  answer: unknown,
  end: 'from' | 'to',
  shown: AnswerPlace,
): Promise<readonly string[]> {
  const items = (Array.isArray(answer) ? answer : []).map((call: unknown) =>
    isRecord(call) ? call[end] : undefined,
  );
  return listSymbols(items, shown);
}
