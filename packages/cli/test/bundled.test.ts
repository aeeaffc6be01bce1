/** The bundled model answers what it was told, not what was planned for it. */

import type { RehearsalRequest, Reply } from '@turnwright/testing/rehearsal';
import { bundledScenario } from '@turnwright/testing/rehearsal/bundled';
import { expect, test } from 'vitest';

async function answer(
  results: Readonly<Record<string, string>>,
  more: Partial<RehearsalRequest> = {},
): Promise<Reply> {
  const request = {
    kind: 'main',
    session: 's',
    results: new Map(Object.entries(results)),
    firstUserMessage: '',
    ...more,
  } as RehearsalRequest;
  const scenario = bundledScenario();
  // The first delivery of the second step is overloaded; the next one says the same without that.
  const first = await scenario(request);
  const given = first?.faults === undefined ? first : await scenario(request);
  if (given === undefined) throw new Error('The bundled model said nothing.');
  return given;
}

const textOf = (reply: Reply) =>
  reply.blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
const callsOf = (reply: Reply) => reply.blocks.flatMap((block) => (block.type === 'tool_use' ? [block] : []));

test('it looks around with three reads at once', async () => {
  expect(callsOf(await answer({})).map((call) => call.name)).toEqual(['Read', 'Read', 'Read']);
});

test('one answer is overloaded, once in a session', async () => {
  const scenario = bundledScenario();
  const request = {
    kind: 'main',
    session: 's',
    results: new Map([['read_ledger', '']]),
  } as unknown as RehearsalRequest;
  expect((await scenario(request))?.faults).toEqual([{ name: 'http-status', status: 529 }]);
  expect((await scenario(request))?.faults).toBeUndefined();
  expect((await scenario({ ...request, session: 'other' }))?.faults).toHaveLength(1);
});

test('it edits the line that was read, whatever the list is called there', async () => {
  const read_ledger = '9\t  for (let i = 0; i < entries.length - 1; i++) {';
  const reply = await answer({ read_ledger, run_first: '# pass 1\n# fail 4\n' });
  expect(callsOf(reply)[0]?.input).toMatchObject({
    old_string: 'for (let i = 0; i < entries.length - 1; i++)',
    new_string: 'for (let i = 0; i < entries.length; i++)',
  });
});

test('after a compaction it finds the line in the summary that it wrote itself', async () => {
  const read_ledger = 'for (let i = 0; i < orders.length - 1; i++) {';
  const summary = textOf(await answer({ read_ledger }, { kind: 'compaction' }));
  const reply = await answer({ run_first: '# fail 4\n' }, { firstUserMessage: summary });
  expect(callsOf(reply)[0]?.name).toBe('Edit');
});

test('it does not edit when the tests pass, or when it has not seen why they fail', async () => {
  expect(textOf(await answer({ run_first: '# pass 5\n# fail 0\n' }))).toContain('nothing to mend');
  expect(textOf(await answer({ run_first: '# pass 1\n# fail 4\n' }))).toContain('I do not see why');
});

test('it does not claim success when the tests still fail', async () => {
  expect(textOf(await answer({ run_again: 'not ok 1\n# fail 1\n' }))).toContain('still fail');
  expect(textOf(await answer({ run_again: 'sh: node: not found' }))).toContain('still fail');
  expect(textOf(await answer({ run_again: '# pass 5\n# fail 0\n' }))).toContain('All 5 tests pass now.');
});
