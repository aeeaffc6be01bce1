import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AbortError } from '@turnwright/engine';
import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { outline, toolResults } from '../outline.ts';
import { isAlive, untilFile } from '../processes.ts';
import { rehearse } from '../rehearse.ts';
import { blocksOf, wholeText } from '../sent.ts';

/** Ends when the file `go` appears. */
const WAITS = 'until [ -e go ]; do sleep 0.02; done; echo it is built';
const inBackground = (command: string) => toolUse('Bash', { command, run_in_background: true });

describe('F45 background work beyond the end of the main turn', () => {
  it('F45 its end starts another turn, with its own result; hooks and callbacks still work in it', async () => {
    const asked: string[] = [];
    const hooked: string[] = [];
    const still: unknown[] = [];
    const noteEvent = async (input: { readonly hook_event_name: string }) => {
      hooked.push(input.hook_event_name);
      return {};
    };
    const run = await rehearse({
      replies: [
        reply(inBackground(WAITS)),
        reply('The build is on its way.'),
        reply(toolUse('Bash', { command: 'echo after > after.txt && echo wrote' })),
        reply('It is built.'),
      ],
      options: {
        permissionMode: 'default',
        allowDangerouslySkipPermissions: false,
        canUseTool: async (name, input) => {
          asked.push(`${name}: ${String(input['command']).slice(0, 10)}`);
          return { behavior: 'allow', updatedInput: input };
        },
        hooks: {
          PreToolUse: [{ hooks: [noteEvent] }],
          UserPromptSubmit: [{ hooks: [noteEvent] }],
          Stop: [
            {
              hooks: [
                async (input) => {
                  still.push('background_tasks' in input ? input.background_tasks : undefined);
                  return {};
                },
              ],
            },
          ],
        },
      },
      onMessage: (message, { cwd }) => {
        if (message.type === 'result') writeFileSync(join(cwd, 'go'), '');
      },
    });
    expect(outline(run.messages)).toEqual([
      'init',
      'tool_use',
      'background_tasks_changed',
      'task_started',
      'tool_result',
      'text',
      'result:success',
      'task_updated',
      'task_notification',
      'background_tasks_changed',
      'init',
      'tool_use',
      'tool_result',
      'text',
      'result:success',
    ]);
    expect(run.results).toMatchObject([
      { result: 'The build is on its way.' },
      { result: 'It is built.', origin: { kind: 'task-notification' } },
    ]);
    // The first command only reads: no question is asked about it.
    expect(asked).toEqual(['Bash: echo after']);
    // The notice is the engine's own: no prompt of the user's for hooks to judge.
    expect(hooked).toEqual(['UserPromptSubmit', 'PreToolUse', 'PreToolUse']);
    expect(still).toEqual([
      [{ id: expect.any(String), type: 'shell', status: 'running', description: WAITS, command: WAITS }],
      [],
    ]);
    const notice = JSON.stringify(run.sent[2]?.messages.at(-1));
    expect(notice).toContain('<task-notification>');
    expect(notice).toContain('it is built');
  });

  it('F45 an end while the model works joins that turn, once', async () => {
    const run = await rehearse({
      replies: [
        reply(inBackground('echo quick')),
        reply(toolUse('Bash', { command: 'sleep 0.4' })),
        reply(toolUse('Bash', { command: 'echo on' })),
        reply('Done.'),
      ],
    });
    expect(run.results).toHaveLength(1);
    expect(wholeText(run.sent[2])).toContain('<task-notification>');
    expect(wholeText(run.sent[3]).split('<task-notification>')).toHaveLength(2);
  });

  it('no more run in the background than may: one more is an error, a command at its time limit ends', async () => {
    const run = await rehearse({
      replies: [
        reply([inBackground('exec sleep 60'), inBackground('exec sleep 61'), inBackground('touch third')]),
        reply(toolUse('Bash', { command: 'exec sleep 62', timeout: 50 })),
        reply('Two run.'),
      ],
      options: { maxBackgroundTasks: 2, engine: { backgroundWaitMs: 1 } },
    });
    const [first, second, third] = blocksOf(run.sent[1], 'tool_result');
    expect([first?.is_error, second?.is_error, third?.is_error]).toEqual([false, false, true]);
    expect(JSON.stringify(third)).toMatch(/2 tasks run in the background.*maxBackgroundTasks.*Stop one/);
    expect(JSON.stringify(blocksOf(run.sent[2], 'tool_result'))).toContain(
      'stopped after its time limit of 50 ms',
    );
    expect(run.entries.filter((entry) => entry.type === 'task' && entry.event === 'started')).toHaveLength(2);
    expect(existsSync(join(run.cwd, 'third'))).toBe(false);
  });

  it('F45 who has no more to say waits for background work for so long, then stops it', async () => {
    const said: string[] = [];
    const run = await rehearse({
      replies: [reply(inBackground('sleep 60')), reply('It serves.')],
      options: { stderr: (line) => said.push(line), engine: { backgroundWaitMs: 100 } },
    });
    expect(said.join()).toMatch(/had not ended within .*is stopped: sleep 60\./);
    expect(run.results).toMatchObject([{ result: 'It serves.' }]);
    expect(run.messages.at(-2)).toMatchObject({ subtype: 'task_notification', status: 'stopped' });
    expect(run.entries).toContainEqual(
      expect.objectContaining({ type: 'task', event: 'ended', endedBy: 'session' }),
    );
  });

  it.each(['abort', 'close', 'interrupt'] as const)(
    'F45 %s while only background work goes on: it ends with the query',
    async (how) => {
      const abortController = new AbortController();
      const run = await rehearse({
        replies: [reply(inBackground('echo $$ > pid; exec sleep 60')), reply('It serves.')],
        options: { abortController },
        onMessage: (message, { query, cwd }) => {
          if (message.type !== 'result') return;
          void untilFile(join(cwd, 'pid')).then((): unknown => {
            if (how === 'abort') return abortController.abort();
            return how === 'close' ? query.close() : query.interrupt();
          });
        },
      });
      expect(run.results).toMatchObject([{ result: 'It serves.' }]);
      if (how === 'abort') expect(run.error).toBeInstanceOf(AbortError);
      else expect(run.error).toBeUndefined();
      expect(isAlive(Number(readFileSync(join(run.cwd, 'pid'), 'utf8')))).toBe(false);
      expect(run.entries).toContainEqual(
        expect.objectContaining({ event: 'ended', endedBy: how === 'interrupt' ? 'interrupt' : 'session' }),
      );
    },
  );

  it('F45 a command beyond its time limit goes on in the background', async () => {
    const run = await rehearse({
      replies: [
        reply(toolUse('Bash', { command: `echo begun; ${WAITS}`, timeout: 200 })),
        reply('Let it run.'),
        reply('It is built.'),
      ],
      onMessage: (message, { cwd }) => {
        if (message.type === 'result') writeFileSync(join(cwd, 'go'), '');
      },
    });
    const [result] = toolResults(run.messages);
    expect(result).toMatchObject({ isError: false });
    expect(result?.text).toMatch(/time limit of 200 ms[\s\S]*task b[\s\S]*begun/);
    expect(run.messages.find(({ type }) => type === 'user')).toMatchObject({
      tool_use_result: { backgroundTaskId: expect.any(String), timedOutAfterMs: 200, stdout: 'begun' },
    });
    expect(run.results).toHaveLength(2);
    expect(wholeText(run.sent[2])).toContain('it is built');
  });

  it('F45 switched off, nothing is offered and the time limit stops the command', async () => {
    const run = await rehearse({
      replies: [reply(toolUse('Bash', { command: 'sleep 60', timeout: 100 })), reply('Too slow.')],
      options: { env: { CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1' } },
    });
    expect(toolResults(run.messages)).toMatchObject([
      { isError: true, text: expect.stringContaining('stopped after its time limit') },
    ]);
    const tools = JSON.stringify(run.sent[0]?.tools);
    expect(tools).not.toContain('run_in_background');
    expect(tools).not.toContain('TaskOutput');
  });
});
