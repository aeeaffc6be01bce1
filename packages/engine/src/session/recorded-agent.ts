/**
 * The agent that a session's main thread is, by its file, before the session is opened: its prompt, its tools
 * and its model are part of what is opened.
 */
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import { decodeLine } from './journal/envelope.ts';

const MARK = Buffer.from('"type":"agent-setting"');
const CHUNK_BYTES = 1024 * 1024;
/** More than such a record has. */
const RECORD_BYTES = 16 * 1024;

/** Of the last such record; undefined: the main thread is no agent. */
export async function recordedAgent(
  files: Pick<PersistentFiles, 'readRange' | 'stat'>,
  file: string,
): Promise<string | undefined> {
  const size = (await files.stat(file))?.size ?? 0;
  const found: number[] = [];
  // Only searched, not parsed: a session may be long.
  for (let at = 0; at < size; at += CHUNK_BYTES) {
    const bytes = Buffer.from(await files.readRange(file, at, CHUNK_BYTES + MARK.length - 1));
    for (let hit = bytes.indexOf(MARK); hit >= 0; hit = bytes.indexOf(MARK, hit + 1)) found.push(at + hit);
  }
  for (const hit of found.reverse()) {
    const start = Math.max(0, hit - RECORD_BYTES);
    const bytes = Buffer.from(await files.readRange(file, start, 2 * RECORD_BYTES));
    const lineStart = bytes.lastIndexOf('\n', hit - start) + 1;
    const lineEnd = bytes.indexOf('\n', hit - start);
    const decoded = decodeLine(bytes.subarray(lineStart, lineEnd < 0 ? undefined : lineEnd));
    const record: unknown =
      decoded.kind === 'ok' ? decoded.entry : decoded.kind === 'foreign' ? decoded.record : undefined;
    const agent = agentIn(record);
    if (agent !== undefined) return agent;
  }
  return undefined;
}

/** undefined: the record is none of an agent. */
export function agentIn(record: unknown): string | undefined {
  const { type, agentSetting } = (record ?? {}) as Readonly<Record<string, unknown>>;
  return type === 'agent-setting' && typeof agentSetting === 'string' && agentSetting !== ''
    ? agentSetting
    : undefined;
}
