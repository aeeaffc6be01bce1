/** A task table over a temp folder, with what it records, announces and complains of. */
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@turnwright/base/clock.ts';
import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import { sequentialIds } from '@turnwright/testing';
import type { TaskMessageBody } from '../../src/protocol/stream/task-messages.ts';
import type { TaskRecord, TaskStart } from '../../src/protocol/tools/task.ts';
import { createTaskTable, type SessionTaskTable, type TaskPorts } from '../../src/tasks/task-table.ts';

export interface TableUnderTest {
  readonly table: SessionTaskTable;
  readonly records: TaskRecord[];
  readonly messages: TaskMessageBody[];
  readonly folder: string;
  remove(): Promise<void>;
}

export async function tableUnderTest(ports: Partial<TaskPorts> = {}): Promise<TableUnderTest> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'turnwright-tasks-')));
  const folder = join(root, 'tasks');
  const records: TaskRecord[] = [];
  const messages: TaskMessageBody[] = [];
  const table = createTaskTable({
    clock: systemClock,
    maxInBackground: 32,
    ids: sequentialIds(),
    files: nodeFiles,
    outputFile: (taskId) => join(folder, `${taskId}.output`),
    makeFolder: async () => void (await mkdir(folder, { recursive: true })),
    record: async (record) => void records.push(record),
    announce: (message) => messages.push(message),
    onProblem: () => {},
    ...ports,
  });
  return { table, records, messages, folder, remove: () => rm(root, { recursive: true, force: true }) };
}

export function shellTask(more: Partial<TaskStart> = {}): TaskStart {
  return {
    kind: 'shell',
    description: 'serve',
    command: 'npm start',
    toolUseId: 'toolu_1',
    inBackground: true,
    stop: async () => undefined,
    ...more,
  };
}
