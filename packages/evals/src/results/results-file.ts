/**
 * The records of an eval: whole lines at the end of one file, each on the disk before what it permits is
 * done.
 */
import { type FileHandle, mkdir, open, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseJson } from '@turnwright/base/bounded-json.ts';
import {
  checkLiveness,
  type ProcessIdentity,
  thisProcess,
} from '@turnwright/base/process/process-identity.ts';
import { codeOf } from '@turnwright/base/text/error-text.ts';
import { TurnwrightError } from '@turnwright/engine';
import type { EvalRecord } from './run-record.ts';

const FILE = 'results.jsonl';
const LOCK = 'lock';

export interface ReadRecords {
  readonly records: readonly EvalRecord[];
  /** Lines that are no records; the last one is cut off where a process was killed while it wrote. */
  readonly unreadable: number;
}

/** `folder`: absolute. None: there are no records. */
export async function readRecords(folder: string): Promise<ReadRecords> {
  const text = await readFile(join(folder, FILE), 'utf8').catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return '';
    throw error;
  });
  const records: EvalRecord[] = [];
  let unreadable = 0;
  for (const line of text.split('\n')) {
    if (line === '') continue;
    try {
      records.push(parseJson(line) as never);
    } catch {
      unreadable += 1;
    }
  }
  return { records, unreadable };
}

export interface ResultsWriter {
  /** Resolves when the line is on the disk; `synced: false`: when it is written. */
  append(record: EvalRecord, options?: { readonly synced?: boolean }): Promise<void>;
  /** Gives the folder free. */
  close(): Promise<void>;
}

/** One process at a time. Throws `invalid_option` while another one evaluates in this folder. */
export async function openResults(folder: string): Promise<ResultsWriter> {
  await mkdir(folder, { recursive: true });
  await lock(folder);
  let handle: FileHandle;
  try {
    // What it holds is about one machine, and large.
    await writeFile(join(folder, '.gitignore'), '*\n', { flag: 'wx' }).catch(() => undefined);
    handle = await open(join(folder, FILE), 'a+', 0o600);
    await endLine(handle);
  } catch (error) {
    await rm(join(folder, LOCK), { force: true });
    throw error;
  }
  let last: Promise<unknown> = Promise.resolve();
  return {
    append(record, { synced = true } = {}) {
      const written = last.then(async () => {
        await handle.appendFile(`${JSON.stringify(record)}\n`);
        if (synced) await handle.datasync();
      });
      last = written.catch(() => undefined);
      return written;
    },
    async close() {
      await last;
      await handle.close();
      await rm(join(folder, LOCK), { force: true });
    },
  };
}

/** A line that was cut off ends here, so that the next one is whole. */
async function endLine(handle: FileHandle): Promise<void> {
  const { size } = await handle.stat();
  if (size === 0) return;
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1);
  if (buffer.toString() !== '\n') await handle.appendFile('\n');
}

async function lock(folder: string): Promise<void> {
  const path = join(folder, LOCK);
  const content = JSON.stringify(thisProcess());
  for (const isLast of [false, true]) {
    try {
      return await writeFile(path, content, { flag: 'wx', mode: 0o600 });
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
    }
    const holder = await readHolder(path);
    if (isLast || (holder !== undefined && checkLiveness(holder) !== 'dead'))
      throw new TurnwrightError(
        'invalid_option',
        `Process ${holder?.pid ?? '?'} on ${holder?.host ?? 'this machine'} evaluates in ${folder}. Wait for it, give another folder (--to), or remove ${path} if it does not run any more.`,
      );
    await rm(path, { force: true });
  }
}

/** undefined: it holds no process, as where one was killed between its making and its writing. */
async function readHolder(path: string): Promise<ProcessIdentity | undefined> {
  try {
    return parseJson(await readFile(path, 'utf8')) as never;
  } catch {
    return undefined;
  }
}
