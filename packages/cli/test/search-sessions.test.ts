/** What was said in sessions is found from the end of their files, whatever the size of these, and until it is given up. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sessionsDirectory } from '@turnwright/engine';
import { temporaryFolder } from '@turnwright/test/cli/bin.ts';
import { isLong } from '@turnwright/test/long-form.ts';
import { expect, test } from 'vitest';
import { searchSessions } from '../src/run/search-sessions.ts';

function kept(records: Readonly<Record<string, readonly unknown[]>>) {
  const [home, cwd] = [temporaryFolder(), temporaryFolder()];
  const folder = sessionsDirectory(home, cwd);
  mkdirSync(folder, { recursive: true });
  for (const [id, lines] of Object.entries(records))
    writeFileSync(join(folder, `${id}.jsonl`), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const sessions = Object.keys(records).map((sessionId) => ({ sessionId, cwd }));
  const env = { TURNWRIGHT_HOME: home };
  return async (text: string, signal?: AbortSignal) => {
    const found: Record<string, string> = {};
    const place = { cwd, env, ...(signal !== undefined && { signal }) };
    for await (const { sessionId, line } of searchSessions(text, sessions, place)) found[sessionId] = line;
    return found;
  };
}

const said = (text: string) => ({ type: 'user', message: { role: 'user', content: text } });
const answered = (...content: object[]) => ({ type: 'assistant', message: { role: 'assistant', content } });
const filler = (count: number) =>
  Array.from({ length: count }, (_, at) => said(`line ${at} ${'.'.repeat(900)}`));

test('the newest line that holds the text is shown, from prompts, answers, calls and results alone', async () => {
  const search = kept({
    one: [
      said('Plant the Larch here.\nAnd water it.'),
      answered({ type: 'text', text: 'The larch stands.' }),
    ],
    two: [{ type: 'submission', model: 'larch' }, said('Nothing of that.')],
    three: [answered({ type: 'tool_use', name: 'Bash', input: { command: 'echo "a larch"' } })],
    four: [
      {
        type: 'user',
        message: { content: [{ type: 'tool_result', content: [{ type: 'text', text: 'x\nlarch\ny' }] }] },
      },
    ],
    six: [{ type: 'attachment', attachment: { type: 'queued_command', prompt: 'mind the larch' } }],
    five: [{ ...said('<reminder> of the larch'), isMeta: true }],
  });
  expect(await search('larch')).toEqual({
    one: 'The larch stands.',
    three: 'echo "a larch"',
    four: 'larch',
    six: 'mind the larch',
  });
  expect(await search('Larch')).toEqual({ one: 'Plant the Larch here.' });
  expect(await search('"a larch"')).toEqual({ three: 'echo "a larch"' });
  expect(await search('.*')).toEqual({});
  expect(await kept({ one: [said('Die GRÖSSE der Ä')] })('größe')).toEqual({});
  expect(await kept({ one: [said('Die GRÖSSE der Ä')] })('der ä')).toEqual({ one: 'Die GRÖSSE der Ä' });
});

test('files are read in pieces: lines across their borders are found, and what is long is cut', async () => {
  const search = kept({
    early: [said('the needle is first'), ...filler(3_000)],
    across: [
      ...filler(1_100),
      said(`${'a'.repeat(1_300_000)} needle ${'b'.repeat(1_300_000)}`),
      ...filler(10),
    ],
    late: [...filler(2_000), said('ends with a needle')],
  });
  const found = await search('needle');
  expect(found['early']).toBe('the needle is first');
  expect(found['late']).toBe('ends with a needle');
  expect(found['across']).toMatch(/^…a{39} needle b+$/);
});

test('a search that is given up reads no further', async () => {
  const abort = new AbortController();
  abort.abort();
  expect(await kept({ one: [said('needle')] })('needle', abort.signal)).toEqual({});
});

test.runIf(isLong)('500 sessions of 1 MB are searched in seconds', async () => {
  const records = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`s${at}`, filler(1_050)]));
  const search = kept({ ...records, last: [said('needle'), ...filler(1_050)] });
  for (const [text, sessions] of [
    ['needle', 1],
    ['line 7', 501],
    ['größe', 0],
  ] as const) {
    const began = performance.now();
    expect(Object.keys(await search(text))).toHaveLength(sessions);
    console.log(`500 sessions of 1 MB, ${text}: ${Math.round(performance.now() - began)} ms`);
  }
});
