/** A session whose process was killed, taken up by another one that carries its turn on. */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { query, type SpawnOptions } from '@anthropic-ai/claude-agent-sdk';
import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { expect, it } from 'vitest';
import { gather, openPrompt, prompts, type Stage, throughBothDoors } from './doors.ts';

const BIN = process.env['TURNWRIGHT_BIN'] ?? join(import.meta.dirname, '../../dist/bin/turnwright');

/** Through the published client in any case, for only a process can be killed. Resolves with the session's id. */
async function askAndDie({ cwd, env }: Stage): Promise<string> {
  let sessionId = '';
  let kill = () => {};
  const running = query({
    prompt: openPrompt('Go.') as never,
    options: {
      cwd,
      env: { ...env },
      settingSources: [],
      pathToClaudeCodeExecutable: BIN,
      spawnClaudeCodeProcess({ command, args, signal: _signal, ...options }: SpawnOptions) {
        const child = spawn(command, args, { ...options, stdio: ['pipe', 'pipe', 'ignore'] });
        kill = () => child.kill('SIGKILL');
        return child;
      },
      canUseTool: () => {
        kill();
        return new Promise(() => {});
      },
    },
  });
  const { error } = await gather(running as never, (message) => {
    sessionId = message.session_id ?? sessionId;
  });
  expect(String(error)).toContain('SIGKILL');
  return sessionId;
}

throughBothDoors('a turn that is carried on', (stage) => {
  const carriesOn = () =>
    stage.door.name === 'our own query()' ? { carryOn: true } : { extraArgs: { 'carry-on': null } };

  it('F161 the question is asked again; the call runs once, with edited arguments, and one result comes', async () => {
    stage.play(reply(toolUse('Bash', { command: 'echo asked >> done' }, 'toolu_ask')), reply('Done.'));
    const resume = await askAndDie(stage);
    const asked: unknown[] = [];
    const input = prompts();
    const { results, error } = await gather(
      stage.start(input, {
        resume,
        ...carriesOn(),
        canUseTool: async (name: string, given: object, { toolUseID }: { toolUseID: string }) => {
          asked.push([name, given, toolUseID]);
          return { behavior: 'allow', updatedInput: { command: 'echo edited >> done' } };
        },
      }),
      (message) => message.type === 'result' && input.end(),
    );
    expect(error).toBeUndefined();
    expect(asked).toEqual([['Bash', { command: 'echo asked >> done' }, 'toolu_ask']]);
    expect(results).toMatchObject([
      { subtype: 'success', result: 'Done.', session_id: resume, num_turns: 2 },
    ]);
    expect(readFileSync(join(stage.cwd, 'done'), 'utf8')).toBe('edited\n');
    expect(stage.server.report()).toMatchObject({ rejected: [], unusedReplies: [] });
  });

  it('a session without anything interrupted waits for its prompt', async () => {
    const first = await stage.run([reply('Hi.')]);
    stage.play(reply('Hi again.'));
    const input = openPrompt('Go on.');
    const { results } = await gather(
      stage.start(input, { resume: first.result?.session_id, ...carriesOn() }),
      (message) => message.type === 'result' && input.end(),
    );
    expect(results).toMatchObject([{ result: 'Hi again.' }]);
  });

  it('F161 with a new prompt instead, the call is closed and does not run', async () => {
    stage.play(reply(toolUse('Bash', { command: 'echo asked >> done' }, 'toolu_ask')), reply('Fine.'));
    const resume = await askAndDie(stage);
    const { result } = await gather(stage.start('Never mind.', { resume }));
    expect(result).toMatchObject({ subtype: 'success', result: 'Fine.' });
    expect(existsSync(join(stage.cwd, 'done'))).toBe(false);
    expect(JSON.stringify(stage.asked().at(-1)?.['messages'])).toContain('Interrupted before it ran');
  });
});
