import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { expect, it } from 'vitest';
import { isAlive, until } from '../scenarios/processes.ts';
import { gather, is, type Message, openPrompt, prompt, throughBothDoors, toolResults } from './doors.ts';

const FREE = { permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true };
/** Ends when the file `go` appears. */
const WAITS = 'echo begun; until [ -e go ]; do sleep 0.02; done; echo it is built';
const SERVES = 'echo $$ > pid; exec sleep 60';
const inBackground = (command: string) =>
  toolUse('Bash', { command, description: 'Build it', run_in_background: true });

const about = (subtype: string) => (message: Message) =>
  message.type === 'system' && message.subtype === subtype;
const taskIdOf = (message: Message): string | undefined =>
  message.type === 'system' && message.subtype === 'task_started' ? message.task_id : undefined;

throughBothDoors('background tasks', (stage) => {
  const pid = () => Number(readFileSync(join(stage.cwd, 'pid'), 'utf8'));
  const isServing = () =>
    existsSync(join(stage.cwd, 'pid')) && readFileSync(join(stage.cwd, 'pid')).length > 0;

  it('a background command returns at once; its end starts a turn of its own, with a result', async () => {
    stage.play(reply(inBackground(WAITS)), reply('On its way.'), reply('It is built.'));
    const input = openPrompt('Go.');
    let count = 0;
    const { messages, results } = await gather(stage.start(input, FREE), (message) => {
      if (message.type !== 'result') return;
      count += 1;
      if (count === 1) void writeFile(join(stage.cwd, 'go'), '');
      else input.end();
    });
    expect(results).toMatchObject([
      { result: 'On its way.' },
      { result: 'It is built.', origin: { kind: 'task-notification', producer: 'session-task' } },
    ]);
    const id = messages.map(taskIdOf).find((found) => found !== undefined);
    expect(messages.find(about('task_started'))).toMatchObject({
      task_type: 'local_bash',
      description: 'Build it',
      is_backgrounded: true,
      tool_use_id: expect.any(String),
    });
    expect(messages.filter(about('background_tasks_changed'))).toMatchObject([
      { tasks: [{ task_id: id, task_type: 'local_bash', description: 'Build it' }] },
      { tasks: [] },
    ]);
    expect(messages.find(is('user'))).toMatchObject({
      message: { content: [{ type: 'tool_result', is_error: false }] },
      tool_use_result: { backgroundTaskId: id, stdout: '' },
    });
    expect(messages.find(about('task_notification'))).toMatchObject({
      task_id: id,
      status: 'completed',
      output_file: expect.stringContaining(`${id}.output`),
      summary: 'Background command "Build it" completed (exit code 0)',
    });
    const order = messages.map((message) => (message.type === 'system' ? message.subtype : message.type));
    expect(order.indexOf('task_started')).toBeGreaterThan(order.indexOf('assistant'));
    expect(messages.filter(about('init'))).toHaveLength(2);
    expect(JSON.stringify(stage.asked().at(-1))).toContain('it is built');
  });

  it('a string prompt stays open until background work is done', async () => {
    stage.play(
      reply(inBackground('sleep 0.5; echo it is built')),
      reply('On its way.'),
      reply('It is built.'),
    );
    const { results } = await gather(stage.start('Go.', FREE));
    expect(results).toMatchObject([{ result: 'On its way.' }, { result: 'It is built.' }]);
  });

  it('stopTask ends a task: it is reported as stopped, and starts no turn', async () => {
    stage.play(reply(inBackground(SERVES)), reply('It serves.'), reply('So I see.'));
    const input = openPrompt('Go.');
    const running = stage.start(input, FREE);
    let id = '';
    let count = 0;
    const { messages, results } = await gather(running, (message) => {
      id ||= taskIdOf(message) ?? '';
      if (about('task_notification')(message)) input.push(prompt('What now?'));
      if (message.type !== 'result') return;
      count += 1;
      if (count === 1) void until(isServing).then(() => running.stopTask(id));
      else input.end();
    });
    expect(messages.find(about('task_notification'))).toMatchObject({ task_id: id, status: 'stopped' });
    expect(messages.find(about('task_updated'))).toMatchObject({ patch: { status: 'killed' } });
    expect(results).toMatchObject([{ result: 'It serves.' }, { result: 'So I see.' }]);
    expect(isAlive(pid())).toBe(false);
    expect(JSON.stringify(stage.asked().at(-1))).toContain('was stopped by the user');
  });

  it('stopTask of an id that no task has has nothing to do', async () => {
    stage.play(reply('Hi.'));
    const input = openPrompt('Go.');
    const running = stage.start(input, FREE);
    let outcome = 'pending';
    await gather(running, (message) => {
      if (message.type !== 'result') return;
      void running
        .stopTask('nope')
        .then(
          () => 'stopped',
          (error: unknown) => String(error),
        )
        .then((text) => {
          outcome = text;
          input.end();
        });
    });
    expect(outcome).toBe('stopped');
  });

  it('backgroundTasks lets a call go: it returns, the turn goes on, the command too', async () => {
    stage.play(reply(toolUse('Bash', { command: WAITS })), reply('Let it run.'), reply('It is built.'));
    const input = openPrompt('Go.');
    const running = stage.start(input, FREE);
    const answers: unknown[] = [];
    let count = 0;
    const { messages, results } = await gather(running, (message) => {
      if (message.type === 'tool_progress' && answers.length === 0) {
        answers.push('asked');
        void running.backgroundTasks('toolu_of_nobody').then(async (none) => {
          answers.push(none, await running.backgroundTasks(message.tool_use_id));
        });
      }
      if (message.type !== 'result') return;
      count += 1;
      if (count === 1) void writeFile(join(stage.cwd, 'go'), '');
      else input.end();
    });
    expect(answers).toEqual(['asked', false, true]);
    expect(results).toMatchObject([{ result: 'Let it run.' }, { result: 'It is built.' }]);
    expect(messages.find(is('user'))).toMatchObject({
      tool_use_result: { backgroundTaskId: expect.any(String), backgroundedByUser: true, stdout: 'begun' },
    });
    expect(toolResults(messages)[0]?.text).toContain('The user moved the command to the background');
  });

  it.each([
    ['with perTaskStopAffordance an interrupt spares background tasks', true],
    ['without it, an interrupt stops them', false],
  ])('%s', async (_, perTaskStopAffordance) => {
    stage.play(
      reply(inBackground(SERVES)),
      reply(['It serves.', 'x'.repeat(5_000)], { timing: { blockPauseMs: 50, gapMs: 200 } }),
    );
    const input = openPrompt('Go.');
    const running = stage.start(input, { ...FREE, perTaskStopAffordance });
    let alive: boolean | undefined;
    let asked = false;
    const { messages } = await gather(running, (message) => {
      if (message.type === 'assistant' && JSON.stringify(message.message).includes('It serves.') && !asked) {
        asked = true;
        void until(isServing).then(() => running.interrupt());
      }
      if (message.type !== 'result') return;
      const settled = perTaskStopAffordance ? Promise.resolve() : until(() => !isAlive(pid()));
      void settled.then(() => {
        alive = isAlive(pid());
        input.end();
      });
    });
    expect(alive).toBe(perTaskStopAffordance);
    expect(messages.filter(about('task_notification')).length > 0).toBe(true);
    // Whatever was spared ends with the session.
    await until(() => !isAlive(pid()));
  });

  it('switched off: nothing to offer, and backgroundTasks says so', async () => {
    stage.play(reply('Hi.'));
    const input = openPrompt('Go.');
    const env = { ...stage.env, CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1' };
    const running = stage.start(input, { ...FREE, env });
    let error: unknown;
    await gather(running, (message) => {
      if (message.type !== 'result') return;
      void running.backgroundTasks().catch((thrown: unknown) => {
        error = thrown;
        input.end();
      });
    });
    expect(String(error)).toContain('CLAUDE_CODE_DISABLE_BACKGROUND_TASKS');
    expect(JSON.stringify(stage.asked()[0]?.['tools'])).not.toContain('TaskOutput');
  });
});
