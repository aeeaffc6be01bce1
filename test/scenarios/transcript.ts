/** Session files as other programs write them: one record a line, linked by parents, no envelope. */
import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { journalFile } from './journal.ts';
import { tempFolder } from './temp-folder.ts';

export interface TranscriptLine {
  readonly type: string;
  readonly text: string;
  readonly uuid?: string;
  /** Default: the line before. */
  readonly parentUuid?: string | null;
}

/** Writes the file into folders of its own, which are then the session's place. */
export function transcriptPlace(
  sessionId: string,
  lines: readonly TranscriptLine[],
): { readonly cwd: string; readonly home: string } {
  const place = { cwd: tempFolder(), home: tempFolder() };
  let parent: string | null = null;
  const records = lines.map(({ type, text, uuid = randomUUID(), parentUuid = parent }) => {
    parent = uuid;
    const content = type === 'assistant' ? [{ type: 'text', text }] : text;
    return {
      parentUuid,
      isSidechain: false,
      userType: 'external',
      cwd: place.cwd,
      sessionId,
      version: '2.0.0',
      type,
      message: {
        role: type === 'assistant' ? 'assistant' : 'user',
        content,
        ...(type === 'assistant' && {
          id: `msg_${uuid}`,
          type: 'message',
          model: 'claude-opus-5-5',
          stop_reason: 'end_turn',
        }),
      },
      uuid,
      timestamp: '2026-01-01T00:00:00.000Z',
    };
  });
  const file = journalFile({ ...place, sessionId });
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${records.map((record) => JSON.stringify(record)).join('\n')}\n`);
  return place;
}
