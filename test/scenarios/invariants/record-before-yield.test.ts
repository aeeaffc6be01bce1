import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { journalFile, journalLines } from '../journal.ts';
import { type Rehearsed, rehearse, successOf } from '../rehearse.ts';
import { openCalls } from '../sent.ts';
import { tempFolder } from '../temp-folder.ts';

const replies = () => [
  reply([
    'Two things.',
    toolUse('Bash', { command: 'echo x >> ran.txt' }, 'call_bash'),
    toolUse('Read', { file_path: 'a.txt' }, 'call_read'),
  ]),
  reply('lost', { faults: [{ name: 'cut', after: 4 }] }),
  reply(['One more.', toolUse('Bash', { command: 'echo x >> ran.txt' }, 'call_more')]),
  reply('Done.'),
];

describe('L10.8 the record holds what was said, and any part of it can be gone on with', () => {
  it('L10.8 each message is recorded before it is emitted', async () => {
    await rehearse({
      files: { 'a.txt': 'x' },
      replies: replies(),
      onMessage: (message, { cwd, home }) => {
        if (message.type !== 'assistant' && message.type !== 'user') return;
        const file = journalFile({ cwd, home, sessionId: message.session_id ?? '' });
        expect(readFileSync(file, 'utf8')).toContain(message.uuid ?? 'no uuid');
      },
    });
  });

  it('L10.8 every prefix resumes to a conversation that the API takes, and no recorded unsafe call runs again', async () => {
    const whole = await rehearse({ files: { 'a.txt': 'x' }, replies: replies() });
    const lines = journalLines(whole);
    for (let length = 1; length < lines.length; length += 1) await goOnFrom(whole, lines.slice(0, length));
  });
});

async function goOnFrom(whole: Rehearsed, lines: readonly string[]): Promise<void> {
  const place = { cwd: whole.cwd, home: tempFolder() };
  cpSync(whole.home, place.home, { recursive: true });
  writeFileSync(journalFile({ ...place, sessionId: whole.sessionId }), `${lines.join('\n')}\n`);
  const ran = readFileSync(join(whole.cwd, 'ran.txt'), 'utf8');
  const run = await rehearse({
    place,
    prompt: 'Go on.',
    replies: [reply('Gone on.')],
    options: { resume: whole.sessionId },
  });
  expect(successOf(run), `from ${lines.length} lines`).toMatchObject({ is_error: false, result: 'Gone on.' });
  expect(run.sent.flatMap(openCalls)).toEqual([]);
  expect(existsSync(join(whole.cwd, 'ran.txt')) && readFileSync(join(whole.cwd, 'ran.txt'), 'utf8')).toBe(
    ran,
  );
}
