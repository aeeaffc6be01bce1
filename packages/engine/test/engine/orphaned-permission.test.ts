/** An answer to a permission question whose process is gone. */

import { engineUnderTest, resultIn } from '@turnwright/test/engine/engine-under-test.ts';
import { fakeTool, say } from '@turnwright/testing';
import { expect, it } from 'vitest';
import type { AssistantMessage } from '../../src/protocol/model/messages.ts';

const asking = (command: string): AssistantMessage => ({
  type: 'assistant',
  uuid: 'a9',
  timestamp: '2026-01-01T00:00:01.000Z',
  message: {
    id: 'msg_9',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [{ type: 'tool_use', id: 'toolu_9', name: 'Bash', input: { command } }],
    stop_reason: 'tool_use',
    stop_sequence: null,
    usage: {
      input_tokens: 1,
      output_tokens: 1,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
    },
  },
});
const prompt = {
  type: 'user',
  uuid: 'p0',
  timestamp: '2026-01-01T00:00:00.000Z',
  message: { role: 'user', content: 'Go.' },
} as const;

function answered(cameBack: AssistantMessage, updatedInput?: Record<string, unknown>) {
  const tool = fakeTool({ name: 'Bash' });
  const warnings: string[] = [];
  const { run } = engineUnderTest([say('Seen.'), say('Again.')], {
    permissionMode: 'default',
    tools: [tool],
    // On record five hours ago, in another process.
    initialMessages: [prompt, asking('make test')],
    stderr: (line) => warnings.push(line),
    orphanedPermission: {
      permissionResult: {
        behavior: 'allow',
        toolUseID: 'toolu_9',
        ...(updatedInput !== undefined && { updatedInput }),
      },
      assistantMessage: cameBack,
    },
  });
  return { tool, warnings, run };
}

it('F161 an approval that comes later, in a new process, runs exactly that call, once, with edited arguments', async () => {
  const { tool, run } = answered(asking('make test'), { command: 'make test -j2' });
  await run('Well?');
  await run('And?');
  expect(tool.calls.map(({ input }) => input)).toEqual([{ command: 'make test -j2' }]);
});

it('F162 an approval of another call than the recorded one runs nothing', async () => {
  const { tool, warnings, run } = answered(asking('rm -rf /'));
  await run('Well?');
  expect(tool.calls).toEqual([]);
  expect(warnings).toEqual([expect.stringContaining('is not the recorded one')]);
});

it('a denial that comes later is in permission_denials with absolute paths', async () => {
  const { run } = engineUnderTest([say('Seen.')], {
    permissionMode: 'default',
    tools: [{ ...fakeTool({ name: 'Bash' }), pathFields: ['command'] }],
    initialMessages: [prompt, asking('a.txt')],
    orphanedPermission: {
      permissionResult: { behavior: 'deny', toolUseID: 'toolu_9', message: 'No.' },
      assistantMessage: asking('a.txt'),
    },
  });
  expect(resultIn(await run('Well?'))).toMatchObject({
    permission_denials: [{ tool_name: 'Bash', tool_input: { command: '/work/a.txt' } }],
  });
});
