import { writeFile } from 'node:fs/promises';
import { deferred, virtualClock } from '@turnwright/testing';
import { afterEach, describe, expect, it } from 'vitest';
import type { TaskPorts } from '../../src/tasks/task-table.ts';
import { shellTask, type TableUnderTest, tableUnderTest } from './table-under-test.ts';

const opened: TableUnderTest[] = [];
const open = async (ports: Partial<TaskPorts> = {}) => {
  const test = await tableUnderTest(ports);
  opened.push(test);
  return test;
};
afterEach(async () => {
  for (const test of opened.splice(0)) await test.remove();
});

const subtypes = ({ messages }: TableUnderTest) => messages.map(({ subtype }) => subtype);

describe('the task table', () => {
  it('records a background task before it is reported', async () => {
    const order: string[] = [];
    const { table } = await open({
      record: async ({ event }) => void order.push(`record ${event}`),
      announce: ({ subtype }) => order.push(subtype),
    });
    await table.register(shellTask());
    expect(order).toEqual(['record started', 'background_tasks_changed', 'task_started']);
  });

  it('refuses a task that cannot be recorded', async () => {
    const { table, messages } = await open({
      record: async () => {
        throw new Error('no space left');
      },
    });
    await expect(table.register(shellTask())).rejects.toThrow('no space left');
    expect(table.list()).toEqual([]);
    expect(messages).toEqual([]);
  });

  it('tells of an end once, to hosts and to the model', async () => {
    const test = await open();
    const task = await test.table.register(shellTask());
    await task.finish({ status: 'failed', summary: 'exit code 3' });
    await task.finish({ status: 'completed', summary: 'again' });
    expect(subtypes(test).slice(2)).toEqual([
      'task_updated',
      'task_notification',
      'background_tasks_changed',
    ]);
    expect(test.messages).toContainEqual(
      expect.objectContaining({ subtype: 'task_notification', status: 'failed', summary: 'exit code 3' }),
    );
    expect(test.table.untold()).toMatchObject([{ taskId: task.taskId, endedBy: 'itself' }]);
    test.table.tell([task.taskId]);
    expect(test.table.untold()).toEqual([]);
  });

  it('says nothing of a command in the foreground, until it goes on in the background', async () => {
    const test = await open();
    let asked = 0;
    const start = shellTask({ inBackground: false, onDetach: () => (asked += 1) });
    const task = await test.table.register(start);
    expect(test.table.detach('toolu_other')).toBe(0);
    expect(test.table.detach('toolu_1')).toBe(1);
    expect(asked).toBe(1);
    expect(test.messages).toEqual([]);
    await task.background();
    expect(subtypes(test)).toEqual(['background_tasks_changed', 'task_started']);
    expect(test.table.detach()).toBe(0);
  });

  it('tells of an agent from the start, and that it moved', async () => {
    const test = await open();
    const start = shellTask({ kind: 'agent', inBackground: false });
    const task = await test.table.register(start);
    task.progress({
      usage: { totalTokens: 10, toolUses: 1, durationMs: 5, costUsd: 0.5, isPriced: true },
      lastToolName: 'Read',
    });
    await task.background();
    expect(test.messages).toMatchObject([
      { subtype: 'task_started', is_backgrounded: false, task_type: 'local_agent' },
      {
        subtype: 'task_progress',
        last_tool_name: 'Read',
        usage: { total_tokens: 10, cost_usd: 0.5, cost_basis: 'list' },
      },
      { subtype: 'background_tasks_changed', tasks: [{ task_id: task.taskId }] },
      { subtype: 'task_updated', patch: { is_backgrounded: true } },
    ]);
  });

  it('F101 killed by the engine: said when nothing is left of it, with who did it', async () => {
    const test = await open();
    const gone = deferred<void>();
    const task = await test.table.register(shellTask({ stop: () => gone.promise }));
    const stopped = test.table.stop(task.taskId, 'host');
    // Its owner sees it die and has its own idea of why.
    void task.finish({ status: 'failed', summary: 'ended by SIGTERM' });
    await new Promise((resolve) => setImmediate(resolve));
    expect(subtypes(test)).not.toContain('task_notification');
    expect(test.table.get(task.taskId)).toMatchObject({ status: 'running' });
    gone.resolve();
    expect(await stopped).toMatchObject({ status: 'stopped', endedBy: 'host' });
    expect(test.messages).toContainEqual(
      expect.objectContaining({
        subtype: 'task_updated',
        patch: expect.objectContaining({ status: 'killed' }),
      }),
    );
    expect(test.records.at(-1)).toMatchObject({ event: 'ended', status: 'stopped', endedBy: 'host' });
  });

  it('F102 whose output was read to the end is not reported again', async () => {
    const test = await open();
    const task = await test.table.register(shellTask());
    await writeFile(task.outputFile, 'one\n');
    expect(await test.table.readNew(task.taskId, 1000)).toMatchObject({ text: 'one\n', totalBytes: 4 });
    await writeFile(task.outputFile, 'one\ntwo\n');
    await task.finish({ status: 'completed', summary: 'done' });
    expect(test.table.untold()).toHaveLength(1);
    expect(await test.table.readNew(task.taskId, 1000)).toMatchObject({ text: 'two\n', from: 4, to: 8 });
    expect(test.table.untold()).toEqual([]);
    expect(test.records.at(-1)).toEqual({ event: 'told', taskId: task.taskId });
  });

  it('gives the end of a long output, from a whole character on', async () => {
    const test = await open();
    const task = await test.table.register(shellTask());
    await writeFile(task.outputFile, 'ä'.repeat(100));
    const output = await test.table.output(task.taskId, 5);
    expect(output).toEqual({ text: 'ää', from: 196, to: 200, totalBytes: 200 });
  });

  it('F103 a task lives no longer than it may, and that is news', async () => {
    const clock = virtualClock();
    const test = await open({ clock });
    const task = await test.table.register(shellTask({ lifetimeMs: 60_000 }));
    await clock.advance(60_000);
    await test.table.wait(task.taskId, 1000, new AbortController().signal);
    expect(test.table.untold()).toMatchObject([{ status: 'stopped', endedBy: 'lifetime' }]);
  });

  it('reports unknown ids, and tasks that have ended', async () => {
    const { table } = await open();
    await expect(table.stop('nope', 'host')).rejects.toMatchObject({ code: 'unknown_task' });
    const task = await table.register(shellTask());
    await expect(table.stop('nope', 'host')).rejects.toThrow(`Running: ${task.taskId}.`);
    await task.finish({ status: 'completed', summary: 'done' });
    await expect(table.stop(task.taskId, 'host')).rejects.toMatchObject({ code: 'task_ended' });
  });

  it('a task that a previous process left running is lost with its process', async () => {
    const test = await open();
    const started = {
      event: 'started',
      taskId: 'b1',
      kind: 'shell',
      description: 'serve',
      outputFile: '/gone',
    } as const;
    await test.table.restore([{ started, startedMs: 1 }]);
    expect(test.records).toMatchObject([{ event: 'ended', status: 'stopped', endedBy: 'lost' }]);
    expect(test.messages).toContainEqual(
      expect.objectContaining({ subtype: 'task_notification', status: 'stopped', reason: 'worker_restart' }),
    );
    expect(test.table.untold()).toMatchObject([{ taskId: 'b1', endedBy: 'lost' }]);
  });
});
