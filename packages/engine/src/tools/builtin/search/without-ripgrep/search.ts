/** Answers a search without ripgrep, in its form: slower, with the usual types, and JavaScript's patterns. */
import { globRules } from '@turnwright/base/search/ignore-rules.ts';
import { newestFirst, readDescriptor, readOrdinary } from '@turnwright/base/search/read-found.ts';
import { walkFiles } from '@turnwright/base/search/walk-files.ts';
import { decodeText } from '../../files/text-file.ts';
import type { RipgrepRun } from '../ripgrep.ts';
import { globsOfType } from './file-types.ts';
import { lineMatcher } from './line-matcher.ts';
import { APART, formatRecords } from './records.ts';
import { type SearchRequest, searchRequest } from './search-arguments.ts';

/** Larger files are left out. */
const MAX_FILE_BYTES = 32 * 1024 * 1024;

/** Rejects with a sentence for the model when the search fails, and on abort. */
export async function searchWithoutRipgrep(run: RipgrepRun, signal: AbortSignal): Promise<void> {
  const request = searchRequest([...run.place.without, ...run.args]);
  if (request.pattern === undefined) return listFiles(request, run, signal);
  const find = lineMatcher(request.pattern, request);
  const inGroups = request.shows === 'lines' && request.before + request.after > 0;
  let last: string | undefined;
  for await (const [file, bytes] of readContents(request, run, signal)) {
    const text = bytes && decodeContent(bytes);
    if (text === undefined) continue;
    for (const record of formatRecords(file, splitLines(text), find, request)) {
      if (inGroups && last !== undefined && last !== file && !(await run.onRecord(APART))) return;
      last = file;
      if (!(await run.onRecord(record))) return;
    }
  }
}

async function* readContents(
  request: SearchRequest,
  run: RipgrepRun,
  signal: AbortSignal,
): AsyncGenerator<readonly [file: string, bytes: Uint8Array | undefined]> {
  const { cwd, input } = run.place;
  if (input !== undefined) yield ['<stdin>', await readDescriptor(input, MAX_FILE_BYTES)];
  else
    for await (const file of walkSearchFiles(request, run, signal))
      yield [file, await readOrdinary(`${cwd}/${file}`, MAX_FILE_BYTES)];
}

async function listFiles(request: SearchRequest, run: RipgrepRun, signal: AbortSignal): Promise<void> {
  const files = walkSearchFiles(request, run, signal);
  const sorted = request.newestFirst ? await newestFirst(run.place.cwd, files) : files;
  for await (const file of sorted) if (!(await run.onRecord(file))) return;
}

function walkSearchFiles(
  request: SearchRequest,
  run: RipgrepRun,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const types = request.type === undefined ? [] : globsOfType(request.type);
  const globs = globRules(request.globs);
  return walkFiles(run.place.cwd, request.path, { globs, names: globRules(types), signal });
}

/** undefined: the file is binary. What is not valid is read as elsewhere, with replacement characters. */
function decodeContent(bytes: Uint8Array): string | undefined {
  const [a, b] = bytes;
  if ((a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff)) return decodeText(bytes)?.text;
  return bytes.includes(0)
    ? undefined
    : Buffer.from(bytes)
        .toString('utf8')
        .replace(/^\ufeff/, '');
}

function splitLines(text: string): readonly string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}
