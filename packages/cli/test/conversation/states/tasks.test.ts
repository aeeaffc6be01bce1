/** What the conversation knows of background work, from the messages of the session. */
import { expect, test } from 'vitest';
import { listBackground, type ShownTask } from '../../../src/conversation/conversation-state.ts';
import { describeLeaving } from '../../../src/conversation/screen/keys.ts';
import * as says from './messages.ts';
import { type Play, perform, prompt } from './stage.ts';

const SIZE = { columns: 80, rows: 24 };
const shell = { task_id: 'b1', run_id: 'r', task_type: 'local_bash', description: 'npm run dev' };
const running = (...tasks: readonly object[]) => says.system('background_tasks_changed', { tasks });
const started = says.system('task_started', { ...shell, tool_use_id: 't1', is_backgrounded: true });
const tasksOf = (...plays: readonly Play[]) => perform(plays, SIZE).state.tasks;

test('a command in the background is listed once, from its start to its end', () => {
  const ended = says.system('task_notification', {
    ...shell,
    status: 'failed',
    summary: 'Exit code 1.',
    output_file: '/x',
  });
  const { state } = perform([running(shell), started, 5_000, ended, running()], SIZE);
  expect(state.tasks).toEqual([
    {
      id: 'b1',
      kind: 'command',
      description: 'npm run dev',
      agentType: undefined,
      toolUseId: 't1',
      status: 'failed',
      isInBackground: true,
      startedMs: 1_000,
      endedMs: 6_000,
      summary: 'Exit code 1.',
      usage: undefined,
    },
  ]);
  expect(listBackground(perform([started], SIZE).state)).toHaveLength(1);
  expect(listBackground(state)).toEqual([]);
});

test('an agent of a call goes to the background, and says what it has used', () => {
  const agent = {
    task_id: 'a1',
    run_id: 'r',
    task_type: 'local_agent',
    description: 'look',
    subagent_type: 'reviewer',
  };
  const usage = { total_tokens: 900, tool_uses: 2, duration_ms: 1, cost_usd: 0.02, cost_basis: 'list' };
  const [task] = tasksOf(
    says.system('task_started', { ...agent, tool_use_id: 't2', is_backgrounded: false }),
    says.system('task_progress', { ...agent, usage, last_tool_name: 'Grep' }),
    says.system('task_updated', { task_id: 'a1', run_id: 'r', patch: { is_backgrounded: true } }),
  );
  expect(task).toMatchObject({
    kind: 'agent',
    agentType: 'reviewer',
    isInBackground: true,
    usage: { tokens: 900, calls: 2, lastTool: 'Grep', cost: { usd: 0.02, isUnpriced: false } },
  });
});

test('what a session that is over has left running is stopped, and old ends are forgotten', () => {
  expect(tasksOf(started, running())).toMatchObject([{ id: 'b1', status: 'stopped' }]);
  const many = Array.from({ length: 80 }, (_, index) => ({ ...shell, task_id: `b${index}` }));
  const left = tasksOf(running(...many), running());
  expect(left).toHaveLength(50);
  expect(left.at(-1)?.id).toBe('b79');
});

test('a first Ctrl+C names what a second one would stop, and what is kept', () => {
  const { state } = perform([], SIZE);
  expect(describeLeaving(state, 'Ctrl+C')).toBe('Ctrl+C again leaves.');
  const task = { description: 'npm run dev', isInBackground: true, status: 'running' } as ShownTask;
  const busy = { tasks: [task], queue: [prompt('and then')] };
  expect(describeLeaving(busy, 'Ctrl+C')).toBe(
    'Ctrl+C again leaves and stops 1 background task (npm run dev). 1 prompt that waits is kept.',
  );
});
