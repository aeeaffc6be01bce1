/** Searches what was said in sessions: pieces of their files, of which only what may match is parsed. */

import { execFile } from 'node:child_process';
import { open } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { parseJson } from '@turnwright/base/bounded-json.ts';
import { findRipgrep } from '@turnwright/base/process/find-ripgrep.ts';
import { configurationHome, type SDKSessionInfo, sessionsDirectory } from '@turnwright/engine';
import { oneLine } from '@turnwright/terminal/text/visible.ts';
import type { Env } from '../world.ts';

export interface SessionMatch {
  readonly sessionId: string;
  /** The line that holds the text, in one row, cut around it. */
  readonly line: string;
}

const PIECE_BYTES = 1 << 17;
/** A record that is longer holds an image or a whole file, and is passed over. */
const MOST_LINE_CHARS = 8 << 20;
const AT_ONCE = 4;
/** Of a shown line. */
const [CHARS_BEFORE, CHARS_AFTER] = [40, 120];

/** The newest match of each session, in their order; a few are read at once. Ends early with `signal`. */
export async function* searchSessions(
  text: string,
  sessions: readonly Pick<SDKSessionInfo, 'sessionId' | 'cwd'>[],
  { cwd, env, signal }: { readonly cwd: string; readonly env: Env; readonly signal?: AbortSignal },
): AsyncGenerator<SessionMatch> {
  const home = configurationHome(env, cwd);
  if (home === undefined || text.trim() === '') return;
  const wanted = wantedIn(text);
  const searchOne = async (session: (typeof sessions)[number]): Promise<SessionMatch | undefined> => {
    const file = join(sessionsDirectory(home, session.cwd ?? cwd), `${session.sessionId}.jsonl`);
    const line = await lastMatch(file, wanted, signal).catch(() => undefined);
    return line === undefined ? undefined : { sessionId: session.sessionId, line };
  };
  const waiting: Promise<SessionMatch | undefined>[] = [];
  const folders = new Set(sessions.map((each) => sessionsDirectory(home, each.cwd ?? cwd)));
  const holding = await filesThatHold(wanted, [...folders], env, signal);
  for (const session of sessions) {
    if (signal?.aborted === true) return;
    if (holding?.has(`${session.sessionId}.jsonl`) === false) continue;
    waiting.push(searchOne(session));
    if (waiting.length < AT_ONCE) continue;
    const found = await waiting.shift();
    if (found !== undefined) yield found;
  }
  for (const each of waiting) {
    const found = await each;
    if (found !== undefined) yield found;
  }
}

/** Names of the files that ripgrep finds it in, many times as fast; undefined: look into all of them. */
async function filesThatHold(
  { raw, isCased }: Wanted,
  folders: readonly string[],
  env: Env,
  signal: AbortSignal | undefined,
): Promise<ReadonlySet<string> | undefined> {
  const program = await findRipgrep(env);
  if (program === undefined) return undefined;
  const how = [
    '--no-config',
    '--files-with-matches',
    '--fixed-strings',
    '--no-ignore',
    '--text',
    '--max-depth=1',
  ];
  const args = [...how, ...(isCased ? [] : ['--ignore-case']), '--glob=*.jsonl', '-e', raw, '--', ...folders];
  try {
    const { stdout } = await promisify(execFile)(program, args, { signal, maxBuffer: 64 << 20 });
    return new Set(stdout.split('\n').map((path) => basename(path)));
  } catch (error) {
    // 1: there is none. Anything else, such as a folder that is gone, says nothing of the others.
    return (error as { readonly code?: unknown }).code === 1 ? new Set() : undefined;
  }
}

interface Wanted {
  /** In a record as it is written; in lower case unless case counts. */
  readonly raw: string;
  readonly isCased: boolean;
  /** As bytes are, which is read several times faster; other texts need their characters. */
  readonly encoding: 'latin1' | 'utf8';
  /** In a text. */
  readonly said: RegExp;
}

/** Case counts only where it is written. */
function wantedIn(text: string): Wanted {
  const said = text.trim();
  const isCased = said !== said.toLowerCase();
  return {
    raw: JSON.stringify(said).slice(1, -1),
    isCased,
    encoding: /^[\x20-\x7e]*$/.test(said) ? 'latin1' : 'utf8',
    said: new RegExp(said.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'), isCased ? '' : 'i'),
  };
}

async function lastMatch(
  file: string,
  wanted: Wanted,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const handle = await open(file);
  try {
    const piece = Buffer.allocUnsafe(PIECE_BYTES);
    let { size } = await handle.stat();
    let rest = Buffer.alloc(0);
    // From the end: what was said last is what is remembered.
    while (size > 0) {
      if (signal?.aborted === true) return undefined;
      const from = Math.max(0, size - PIECE_BYTES);
      const { bytesRead } = await handle.read(piece, 0, size - from, from);
      size = from;
      const bytes = Buffer.concat([piece.subarray(0, bytesRead), rest]);
      // The first line may begin before this piece.
      const start = size === 0 ? 0 : bytes.indexOf(10) + 1;
      const isTooLong = size > 0 && start === 0 && bytes.length > MOST_LINE_CHARS;
      rest = isTooLong ? Buffer.alloc(0) : bytes.subarray(0, start === 0 && size > 0 ? undefined : start);
      if (size > 0 && start === 0) continue;
      const found = matchIn(bytes.subarray(start), wanted);
      if (found !== undefined) return found;
    }
    return undefined;
  } finally {
    await handle.close();
  }
}

function matchIn(bytes: Buffer, { raw, isCased, encoding, said }: Wanted): string | undefined {
  const records = bytes.toString(encoding);
  const lower = isCased ? records : records.toLowerCase();
  // A letter of another length in lower case would move what is behind it.
  const searched = lower.length === records.length ? lower : records;
  let at = searched.lastIndexOf(raw);
  while (at >= 0) {
    const start = searched.lastIndexOf('\n', at) + 1;
    const end = searched.indexOf('\n', at);
    const record = records.slice(start, end < 0 ? undefined : end);
    for (const text of textsIn(encoding === 'utf8' ? record : Buffer.from(record, encoding).toString())) {
      const found = said.exec(text);
      if (found !== null) return cutAround(text, found.index, found[0].length);
    }
    at = start === 0 ? -1 : searched.lastIndexOf(raw, start - 1);
  }
  return undefined;
}

/** What persons, models and tools said in a record; nothing of what is no message. */
function textsIn(record: string): readonly string[] {
  try {
    const { attachment, type, isMeta, isSynthetic, message } = parseJson(record) as Readonly<
      Record<string, unknown>
    >;
    if (type === 'attachment') return textsOf(joinedPrompt(attachment));
    if ((type !== 'user' && type !== 'assistant') || isMeta === true || isSynthetic === true) return [];
    return textsOf((message as { readonly content?: unknown } | undefined)?.content);
  } catch {
    return [];
  }
}

/** A prompt that joined a running turn. */
function joinedPrompt(attachment: unknown): unknown {
  const { type, prompt } = (attachment ?? {}) as Readonly<Record<string, unknown>>;
  return type === 'queued_command' ? prompt : undefined;
}

function textsOf(content: unknown): readonly string[] {
  if (typeof content === 'string') return [content];
  if (!Array.isArray(content)) return [];
  return content.flatMap((block: Readonly<Record<string, unknown>>) => {
    if (block['type'] === 'text') return textsOf(block['text']);
    if (block['type'] === 'tool_result') return textsOf(block['content']);
    if (block['type'] !== 'tool_use') return [];
    return Object.values((block['input'] ?? {}) as object).filter((value) => typeof value === 'string');
  });
}

function cutAround(text: string, at: number, length: number): string {
  const lineStart = text.lastIndexOf('\n', at) + 1;
  const lineEnd = text.indexOf('\n', at + length);
  const start = Math.max(lineStart, at - CHARS_BEFORE);
  const end = Math.min(lineEnd < 0 ? text.length : lineEnd, at + length + CHARS_AFTER);
  return `${start > lineStart ? '…' : ''}${oneLine(text.slice(start, end).trim())}`;
}
