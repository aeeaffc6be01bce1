/** Hooks that ran are in the decision's record, with their times: the inspector has a lane for them. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspectSession, query } from '@turnwright/engine';
import { callTool, say, scriptedModel } from '@turnwright/testing';
import { expect, it } from 'vitest';

it('each with its event, its tool, when it ran and how it ended', async () => {
  const home = mkdtempSync(join(tmpdir(), 'turnwright-hooks-'));
  const { callModel } = scriptedModel([
    callTool('Bash', { command: 'true', description: 'does nothing' }),
    callTool('Bash', { command: 'false', description: 'fails' }),
    say('Done.'),
  ]);
  const command = (text: string) => [{ hooks: [{ type: 'command' as const, command: text }] }];
  let sessionId = '';
  const running = query({
    prompt: 'Go.',
    options: {
      cwd: home,
      settingSources: [],
      allowedTools: ['Bash'],
      env: { PATH: process.env['PATH'], TURNWRIGHT_HOME: home },
      settings: {
        hooks: {
          PreToolUse: command('grep -q fails && { echo no >&2; exit 2; } || exit 0'),
          Stop: command('exit 0'),
        },
      },
      engine: { callModel },
    },
  });
  for await (const message of running) sessionId = message.session_id ?? sessionId;
  const { iterations } = await inspectSession(sessionId, { cwd: home, env: { TURNWRIGHT_HOME: home } });
  expect(
    iterations.map(({ hooks }) =>
      hooks?.map(({ event, type, tool, outcome }) => [event, type, tool, outcome]),
    ),
  ).toEqual([
    [['PreToolUse', 'command', 'Bash', 'answered']],
    [['PreToolUse', 'command', 'Bash', 'blocked']],
    [['Stop', 'command', undefined, 'answered']],
  ]);
  for (const { start, end, hooks = [] } of iterations)
    for (const hook of hooks) {
      expect(hook.start).toBeGreaterThanOrEqual(start - 1);
      expect(hook.end).toBeGreaterThan(hook.start);
      expect(hook.end).toBeLessThanOrEqual(end + 1);
    }
});
