/** The prompts of a project: kept in a file of the user's home folder, which no other user may read. */
import { appendFile, chmod, mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { unlessMissing, writeAtomic } from '@turnwright/base/files/write-atomic.ts';
import { sha256 } from '@turnwright/base/ids/hash-and-uuid.ts';
import { codeOf, errorText } from '@turnwright/base/text/error-text.ts';
import { CHIP, type Chip, type Piece } from './buffer.ts';

export interface History {
  /** The oldest first. */
  readonly entries: readonly Piece[];
  /** Adds a prompt; the last one again is not added. Images are kept as their labels. */
  add(prompt: Piece): void;
  /** Resolves when everything is written. */
  settled(): Promise<void>;
}

/** A line of the file. */
interface Line {
  readonly text: string;
  /** For each `CHIP` of the text. */
  readonly pastes?: readonly { readonly label: string; readonly text: string }[];
  /** ms since 1970. */
  readonly at?: number;
}

const MOST_ENTRIES = 1_000;
/** Of one prompt with its pastes; longer pastes are kept as their labels. */
const MOST_CHARS = 200_000;
const OWNER_ONLY = { file: 0o600, folder: 0o700 };

/** `<home>/history/<folder's name>-<hash>.jsonl`: the name is for people, the hash tells folders apart. */
export function historyFile(home: string, cwd: string): string {
  const name = cwd.replaceAll(/[^a-zA-Z0-9]+/g, '-').slice(-60);
  return join(home, 'history', `${name.replace(/^-/, '')}-${sha256(cwd).slice(0, 12)}.jsonl`);
}

interface HistoryOptions {
  /** Undefined: the history is kept as long as the process lives. */
  readonly file: string | undefined;
  readonly nowMs: () => number;
  /** A sentence, once: the file cannot be read or written. The history goes on without it. */
  readonly onProblem?: (sentence: string) => void;
}

/**
 * Lines that are no prompts are skipped; a file that has grown long is written again with the newest entries.
 */
export async function openHistory(options: HistoryOptions): Promise<History> {
  const { file, nowMs, onProblem } = options;
  let isBroken = file === undefined;
  const fail = (error: unknown): undefined => {
    if (!isBroken) onProblem?.(`Prompts are not kept in ${file}: ${errorText(error)}`);
    isBroken = true;
  };
  const lines = file === undefined ? [] : ((await readLines(file).catch(fail)) ?? []);
  const entries = lines.slice(-MOST_ENTRIES).map(toPiece);
  let writing = Promise.resolve();
  const write = (work: () => Promise<unknown>) => {
    if (!isBroken) writing = writing.then(work).then(undefined, fail);
  };
  if (file !== undefined && lines.length > 2 * MOST_ENTRIES)
    write(() =>
      writeAtomic(file, lines.slice(-MOST_ENTRIES).map(asText).join(''), { mode: OWNER_ONLY.file }),
    );
  return {
    entries,
    add(prompt) {
      const line = toLine(prompt, nowMs());
      const entry = toPiece(line);
      const last = entries.at(-1);
      if (entry.text.trim() === '' || (last !== undefined && isSame(last, entry))) return;
      entries.push(entry);
      if (entries.length > MOST_ENTRIES) entries.shift();
      if (file !== undefined) write(() => append(file, asText(line)));
    },
    settled: () => writing,
  };
}

const asText = (line: Line): string => `${JSON.stringify(line)}\n`;

async function append(file: string, text: string): Promise<void> {
  try {
    await appendFile(file, text, { mode: OWNER_ONLY.file });
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    await mkdir(dirname(file), { recursive: true, mode: OWNER_ONLY.folder });
    await appendFile(file, text, { mode: OWNER_ONLY.file });
  }
}

async function readLines(file: string): Promise<readonly Line[]> {
  const text = await unlessMissing(readFile(file, 'utf8'));
  if (text === undefined) return [];
  await chmod(file, OWNER_ONLY.file);
  return text.split('\n').flatMap((line) => parsed(line) ?? []);
}

function parsed(line: string): Line | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isLine(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isLine(value: unknown): value is Line {
  if (typeof value !== 'object' || value === null || !('text' in value)) return false;
  const { text, pastes = [] } = value as { text: unknown; pastes?: unknown };
  if (typeof text !== 'string' || !Array.isArray(pastes)) return false;
  const isPaste = (one: unknown) =>
    typeof one === 'object' &&
    one !== null &&
    'label' in one &&
    'text' in one &&
    typeof one.label === 'string' &&
    typeof one.text === 'string';
  return pastes.every(isPaste) && text.split(CHIP).length - 1 === pastes.length;
}

function toLine({ text, chips }: Piece, at: number): Line {
  let room = MOST_CHARS - text.length;
  const pastes: { label: string; text: string }[] = [];
  let index = 0;
  const kept = text.replaceAll(CHIP, () => {
    const chip = chips[index++];
    if (chip?.kind !== 'paste' || chip.text.length > room) return chip?.label ?? '';
    room -= chip.text.length;
    pastes.push({ label: chip.label, text: chip.text });
    return CHIP;
  });
  return { text: kept, ...(pastes.length > 0 && { pastes }), at };
}

function toPiece({ text, pastes = [] }: Line): Piece {
  return { text, chips: pastes.map((paste): Chip => ({ kind: 'paste', ...paste })) };
}

function isSame(one: Piece, other: Piece): boolean {
  return one.text === other.text && JSON.stringify(one.chips) === JSON.stringify(other.chips);
}
