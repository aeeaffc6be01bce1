import { hostTool, hostTools } from '@turnwright/test/scenarios/host-tools.ts';
import { rehearse, successOf } from '@turnwright/test/scenarios/rehearse.ts';
import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { expect, it } from 'vitest';

const until = async (holds: () => boolean) => {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
};

it('a round of tools is summed up by a small model in the background, and shown in a later iteration', async () => {
  let answered = () => false;
  const run = await rehearse({
    replies: [
      reply('Looked into a.txt', { when: { kind: 'helper' }, times: 'any' }),
      reply([toolUse('Bash', { command: 'echo in a' }, 'call_1')]),
      reply([toolUse('mcp__host__wait', {}, 'call_2')]),
      reply([toolUse('mcp__host__wait', {}, 'call_3')]),
      reply('Done.'),
    ],
    options: {
      ...hostTools(
        hostTool('wait', async () => {
          await until(answered);
          return 'waited';
        }),
      ),
      engine: { toolUseSummaries: true },
    },
    onMessage: (_message, { server }) => {
      answered = () => server.timeline.filter(({ kind }) => kind === 'last_byte').length >= 3;
    },
  });
  const shown = run.messages.filter((message) => message.type === 'tool_use_summary');
  expect(shown[0]).toMatchObject({ summary: 'Looked into a.txt', preceding_tool_use_ids: ['call_1'] });
  const asked = run.server.requests.find(({ kind }) => kind === 'helper');
  expect(JSON.stringify(asked?.body)).toContain('echo in a');
  expect(Object.keys(successOf(run).modelUsage)).toHaveLength(2);
});

it('is off by default, and a summary that is not there is not waited for', async () => {
  const off = await rehearse({ replies: [reply([toolUse('Bash', { command: 'true' })]), reply('Done.')] });
  expect(off.server.requests.map(({ kind }) => kind)).toEqual(['main', 'main']);
  const late = await rehearse({
    replies: [
      reply('Too late', { when: { kind: 'helper' }, timing: { headersMs: 60_000 } }),
      reply([toolUse('Bash', { command: 'true' })]),
      reply('Done.'),
    ],
    partial: true,
    options: { engine: { toolUseSummaries: true } },
  });
  expect(successOf(late).result).toBe('Done.');
  expect(late.messages.some(({ type }) => type === 'tool_use_summary')).toBe(false);
});
