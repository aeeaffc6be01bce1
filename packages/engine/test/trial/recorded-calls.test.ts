/** What a journal says of its calls: policies by their parts, agents, and transcripts of other programs. */

import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import { expect, it } from 'vitest';
import { placeOfCommand } from '../../src/engine/sandbox/open-sandbox.ts';
import type { JournalEntry } from '../../src/protocol/session/journal.ts';
import type { PolicyInForce } from '../../src/protocol/session/policy-in-force.ts';
import { checkedChange } from '../../src/trial/changed-policy.ts';
import { readCalls } from '../../src/trial/recorded-calls.ts';
import { tryCalls } from '../../src/trial/try-calls.ts';

const basis: PolicyInForce = {
  mode: 'default',
  agentMode: null,
  allow: [],
  ask: [],
  deny: [],
  directories: [],
  locks: {},
  sandbox: null,
  place: { root: '/', additionalDirectories: [], readable: [], protected: [] },
};

const foreign = (type: string, content: readonly unknown[], at: number) =>
  ({
    v: 0,
    seq: at,
    type,
    uuid: `u${at}`,
    sessionId: 's',
    cwd: '/',
    timestamp: '2026-11-30T00:00:00.000Z',
    message: { id: `m${at}`, role: type, model: 'claude', content },
  }) as unknown as JournalEntry;

const transcript = (commands: Readonly<Record<string, string>>): readonly JournalEntry[] =>
  Object.entries(commands).flatMap(([command, result], at) => [
    foreign('assistant', [{ type: 'tool_use', id: `t${at}`, name: 'Bash', input: { command } }], 2 * at),
    foreign(
      'user',
      [{ type: 'tool_result', tool_use_id: `t${at}`, content: result, is_error: result !== 'ok' }],
      2 * at + 1,
    ),
  ]);

it('a transcript of another program holds what ran and what a person refused', async () => {
  const { calls, unjudged } = readCalls([
    ...transcript({
      'npm test': 'ok',
      'git push': "The user doesn't want to proceed with this tool use. The tool use was rejected.",
      'make all': 'Permission to use Bash with command make all has been denied.',
      'npm i': 'exit code 1',
    }),
    foreign('assistant', [{ type: 'tool_use', id: 'cut', name: 'Bash', input: { command: 'ls' } }], 99),
  ]);
  expect([calls.map(({ answer }) => answer), unjudged]).toEqual([
    ['unknown', 'refused', 'not-asked', 'unknown'],
    1,
  ]);
  const report = await tryCalls(calls, {
    files: nodeFiles,
    placeOf: placeOfCommand,
    smallest: true,
    change: checkedChange({ allow: ['Bash(npm test:*)'], deny: ['Bash(git push:*)'] }),
    basisFor: async () => basis,
  });
  expect(report).toMatchObject({ calls: 4, newlyAllowed: 1, newlyDenied: 1, newlyAsked: 0 });
  expect(report.smallest).toMatchObject({ approved: 0, refused: 1 });
  expect(report.notes).toContainEqual(
    expect.stringMatching(/^4 of 4 calls were recorded without their policy/),
  );
  expect(report.notes).toContainEqual(expect.stringMatching(/does not say whether they were asked about/));
});

it('a policy is put together from the parts that changed, and known again by its name', () => {
  const own = { v: 1, sessionId: 's', cwd: '/', timestamp: '', submission: 'p', id: 'x' };
  const call = (id: string, policy: string) => [
    {
      ...own,
      type: 'assistant',
      uuid: id,
      message: { content: [{ type: 'tool_use', id, name: 'Bash', input: {} }] },
    },
    {
      ...own,
      type: 'decision',
      record: { tools: [{ id, name: 'Bash', permission: { verdict: 'allow', source: 'mode', policy } }] },
    },
  ];
  const entries = [
    { ...own, ...basis, type: 'policy', policy: 'a' },
    ...call('1', 'a'),
    { ...own, type: 'policy', policy: 'b', mode: 'plan' },
    ...call('2', 'b'),
    { ...own, type: 'policy', policy: 'a' },
    { ...own, type: 'policy', policy: 'c', allow: [['session', 'Bash']] },
    ...call('3', 'c'),
    ...call('4', 'unknown'),
  ].map((entry, seq) => ({ ...entry, seq })) as unknown as readonly JournalEntry[];
  const { calls } = readCalls(entries, 'agent-1');
  expect(calls.map(({ agentId, policy }) => [agentId, policy?.mode, policy?.allow.length])).toEqual([
    ['agent-1', 'default', 0],
    ['agent-1', 'plan', 0],
    ['agent-1', 'default', 1],
    ['agent-1', undefined, undefined],
  ]);
});
