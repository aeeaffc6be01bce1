/** Where a session is forked, and what is known of its files there. */
import { expect, it } from 'vitest';
import type { JournalEntry } from '../../src/protocol/session/journal.ts';
import { findStep, listSteps, nameStep } from '../../src/session/forking/fork-point.ts';
import { moveFolder } from '../../src/session/forking/move-folder.ts';
import { listUnrecordedCalls, readRecordedFiles } from '../../src/session/forking/recorded-files.ts';

const records = (...list: readonly object[]) =>
  list.map((record, at) => ({
    v: 1,
    seq: at + 1,
    timestamp: new Date(at * 1000).toISOString(),
    submission: 's',
    ...record,
  })) as unknown as JournalEntry[];

const request = (iteration: number, attempt = 1) => ({
  type: 'request',
  iteration,
  attempt,
  model: 'm',
  querySource: 'main',
});
const call = (id: string, name: string, input: object = {}) => ({
  type: 'assistant',
  uuid: `uuid-${id}`,
  message: { id: `msg_${id}`, content: [{ type: 'tool_use', id, name, input }] },
});
const result = (id: string, toolUseResult?: object) => ({
  type: 'user',
  uuid: `result-${id}`,
  message: { content: [{ type: 'tool_result', tool_use_id: id, content: '' }] },
  toolUseResult,
});

it('a step is the first attempt of its request, and one behind an open call is none', () => {
  const session = records(
    { type: 'submission' },
    request(1),
    request(1, 2),
    call('a', 'Read'),
    result('a'),
    request(2),
    call('b', 'Bash'),
  );
  expect(listSteps(session).map((step) => [nameStep(step, listSteps(session)), step.at])).toEqual([
    ['1', 1],
    ['2', 5],
  ]);
  expect(findStep(session, 'msg_b').iteration).toBe(2);
  expect(findStep(session, 'result-a').iteration).toBe(2);
  expect(() => findStep(session, '3')).toThrow(
    'There is no step 3. Its steps are 1 to 2. The last one is not finished: its call of Bash has no result.',
  );
  expect(() => findStep(records({ type: 'submission' }), '1')).toThrow('made no request');
  expect(() => findStep(records({ type: 'user', v: 0, message: { content: 'Hi.' } }), '1')).toThrow(
    'written by another program',
  );
});

it('files are those of the last change before the step; what is not recorded is not guessed', () => {
  const edit = (path: string, from: string, to: string, original: string) => ({
    filePath: path,
    oldString: from,
    newString: to,
    originalFile: original,
  });
  const session = records(
    result('1', { type: 'create', filePath: '/p/new', content: 'n1', originalFile: null }),
    result('2', edit('/p/a', 'one', 'two', 'one and $&')),
    result('3', edit('/p/odd', 'not there', 'x', 'other')),
    { type: 'file-change', path: '/p/kept', before: { hash: 'h0', mode: 0o644 }, after: 'h1' },
    { type: 'file-change', path: '/p/gone', before: null, after: null },
    result('6', edit('/p/a', 'two', 'three', 'two and $&')),
    result('7', { type: 'update', filePath: '/p/late', content: 'l2', originalFile: 'l1' }),
  );
  const at = (cut: number) =>
    Object.fromEntries(readRecordedFiles(session, cut).map(({ path, ...file }) => [path, file]));
  expect(at(0)).toMatchObject({
    '/p/new': { content: null },
    '/p/a': { content: { text: 'one and $&' } },
    '/p/kept': { content: { kept: { hash: 'h0' } } },
  });
  expect(at(5)).toEqual({
    '/p/new': { content: { text: 'n1' } },
    '/p/a': { content: { text: 'two and $&' } },
    '/p/odd': { content: undefined },
    '/p/kept': { content: undefined, hash: 'h1' },
    '/p/gone': { content: null },
    '/p/late': { content: { text: 'l1' } },
  });
  expect(at(7)['/p/a']).toEqual({ content: { text: 'three and $&' } });
  // A change of an agent lies where its time is.
  const agent = records(
    result('9', { type: 'create', filePath: '/p/agent', content: 'x', originalFile: null }),
  );
  expect(readRecordedFiles(session, 0, [agent]).find(({ path }) => path === '/p/agent')?.content).toBeNull();
  expect(readRecordedFiles(session, 2, [agent]).find(({ path }) => path === '/p/agent')?.content).toEqual({
    text: 'x',
  });
});

it('commands that may change files are named, those that write files with a record are not', () => {
  const intent = (id: string, toolName: string, effectClass = 'unsafe') => ({
    type: 'intent',
    toolUseId: id,
    toolName,
    effectClass,
  });
  const session = records(
    call('a', 'Bash', { command: 'make' }),
    intent('a', 'Bash'),
    intent('b', 'Write'),
    intent('c', 'Read', 'pure'),
    intent('d', 'mcp__files__put'),
  );
  expect(listUnrecordedCalls(session)).toEqual([
    { at: 1, what: 'make' },
    { at: 4, what: 'mcp__files__put' },
  ]);
});

it('the name of a folder moves with the session, and nothing that only looks like it', () => {
  const move = { from: '/work/app', to: '/copy/$&' };
  const moved = (text: string) => moveFolder(text, move);
  expect(moved('cd /work/app && ls "/work/app/x". In /work/app.')).toBe(
    'cd /copy/$& && ls "/copy/$&/x". In /copy/$&.',
  );
  for (const other of ['/work/app2', '/work/app.old/x', '/tmp/work/app', '~/work/app', '/work/app-x'])
    expect(moved(other)).toBe(other);
  expect(moveFolder({ '/work/app/CLAUDE.md': [{ type: 'thinking', thinking: '/work/app' }] }, move)).toEqual({
    '/copy/$&/CLAUDE.md': [{ type: 'thinking', thinking: '/work/app' }],
  });
});
