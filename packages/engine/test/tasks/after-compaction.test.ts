import { rehearse, submissions } from '@turnwright/test/scenarios/rehearse.ts';
import { wholeText } from '@turnwright/test/scenarios/sent.ts';
import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { expect, it } from 'vitest';

it('F31 what runs in the background is listed after a compaction', async () => {
  const run = await rehearse({
    ...submissions('Serve.', '/compact', 'Go on.'),
    replies: [
      reply(toolUse('Bash', { command: 'sleep 60', description: 'the dev server', run_in_background: true })),
      reply('It serves.'),
      reply('<summary>A server was started.</summary>', { when: { kind: 'compaction' } }),
      reply('Going on.'),
    ],
    options: { engine: { backgroundWaitMs: 1 } },
  });
  const last = wholeText(run.sent.at(-1));
  expect(last).toContain('A server was started.');
  expect(last).toMatch(/These tasks run in the background[\s\S]*b\w+ \(shell\): the dev server \[sleep 60\]/);
});

it('a task that ends when the budget is spent asks for no more', async () => {
  const run = await rehearse({
    replies: [reply(toolUse('Bash', { command: 'sleep 0.2', run_in_background: true }))],
    ...submissions('Serve.'),
    options: { maxBudgetUsd: 0.000001 },
  });
  expect(run.results).toMatchObject([{ subtype: 'error_max_budget_usd' }]);
  expect(run.sent).toHaveLength(1);
});
