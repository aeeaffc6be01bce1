/**
 * The table of a session's tasks (L6): what runs beyond its tool call is on record before it starts, can be listed,
 * read and stopped, ends with the session, and its end is told once, to hosts and to the model.
 */
import { TurnwrightError } from '../protocol/errors.ts';
import type { PersistentFiles } from '../protocol/files.ts';
import type { Clock, Ids } from '../protocol/ports.ts';
import type {
  RecoveredTask,
  TaskEnd,
  TaskEndedBy,
  TaskHandle,
  TaskInfo,
  TaskOutput,
  TaskRecord,
  TaskStart,
  TaskTable,
} from '../protocol/task.ts';
import type { TaskMessageBody } from '../protocol/task-messages.ts';
import { readOutput } from './read-output.ts';
import { endOf, isBackground, isNews, isRunning, openEntry, type TaskEntry } from './task-entry.ts';
import { changedMessage, endedMessages, progressMessage, startedMessage } from './task-messages.ts';

export interface TaskPorts {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly files: Pick<PersistentFiles, 'stat' | 'readRange'>;
  /** Where output goes. */
  outputFile(taskId: string): string;
  /** Makes the folder of output files. */
  makeFolder(): Promise<void>;
  /** Resolves once it is on record. */
  record(record: TaskRecord): Promise<void>;
  announce(message: TaskMessageBody): void;
  /** An end could not be recorded. */
  onProblem(sentence: string): void;
}

/** The table as the engine sees it. */
export interface SessionTaskTable extends TaskTable {
  /** Those that run in the background. */
  running(): readonly TaskInfo[];
  /** Asks the owners of tasks in the foreground to let go of them. The number that were asked. */
  detach(toolUseId?: string): number;
  /** Background tasks that have ended and that the model does not know of. Being told takes nothing away. */
  untold(): readonly TaskInfo[];
  /** The model is being told: not again. */
  tell(taskIds: readonly string[]): void;
  /** Called at each end and each start. */
  onChange(listener: () => void): () => void;
  /** Takes over what an earlier life of the session left; what had not ended is lost (L4.1). */
  restore(tasks: readonly RecoveredTask[]): Promise<void>;
  /** Resolves when none is left. */
  stopAll(by: TaskEndedBy): Promise<void>;
}

/** Ended tasks that stay in the table. */
const MAX_ENDED = 200;

export function createTaskTable(ports: TaskPorts): SessionTaskTable {
  const { clock } = ports;
  const entries = new Map<string, TaskEntry>();
  const listeners = new Set<() => void>();

  const running = () =>
    [...entries.values()].filter((entry) => isRunning(entry) && isBackground(entry)).map(({ info }) => info);
  const changed = () => {
    for (const listener of [...listeners]) listener();
  };
  const known = (taskId: string): TaskEntry => {
    const entry = entries.get(taskId);
    if (entry !== undefined) return entry;
    const ids = running().map((info) => info.taskId);
    const hint = ids.length === 0 ? 'None is running.' : `Running: ${ids.join(', ')}.`;
    throw new TurnwrightError('unknown_task', `There is no task with the id ${taskId}. ${hint}`);
  };

  const stop = (entry: TaskEntry, by: TaskEndedBy): Promise<void> => {
    entry.stopping ??= { by, done: entry.start.stop(by).catch(() => undefined) };
    // Owners say how it ended; one that does not is spoken for.
    return entry.stopping.done.then(() => finish(entry, { status: 'stopped', summary: '' }));
  };

  const finish = (entry: TaskEntry, end: TaskEnd): Promise<void> => {
    entry.finishing ??= settle(entry, end);
    return entry.finishing;
  };
  const settle = async (entry: TaskEntry, given: TaskEnd) => {
    // "Killed" is said when nothing of it is left (F101).
    await entry.stopping?.done;
    entry.cancelLifetime();
    const { status, endedBy, summary, result, usage } = endOf(given, entry);
    const { taskId } = entry.info;
    if (isBackground(entry)) {
      try {
        await ports.record({ event: 'ended', taskId, status, endedBy, summary });
        if (endedBy === 'model') await ports.record({ event: 'told', taskId });
      } catch (error) {
        ports.onProblem(`The end of task ${taskId} could not be recorded: ${String(error)}`);
      }
    }
    entry.told ||= !isBackground(entry) || endedBy === 'model';
    entry.info = { ...entry.info, status, endedBy, summary, result, usage, endedMs: clock.nowMs() };
    if (entry.announced) for (const message of endedMessages(entry.info)) ports.announce(message);
    if (isBackground(entry)) ports.announce(changedMessage(running()));
    entry.settle();
    if (entry.announced) forgetOldest(entries);
    else entries.delete(taskId);
    changed();
  };

  const announce = (entry: TaskEntry) => {
    if (entry.announced) {
      const patch = { is_backgrounded: true };
      ports.announce({ subtype: 'task_updated', task_id: entry.info.taskId, patch });
    } else ports.announce(startedMessage(entry.info, entry.start));
    entry.announced = true;
  };

  const background = async (
    entry: TaskEntry,
    {
      lifetimeMs,
      outputFile,
    }: { readonly lifetimeMs?: number | undefined; readonly outputFile?: string | undefined },
  ) => {
    const info = { ...entry.info, inBackground: true, ...(outputFile !== undefined && { outputFile }) };
    await ports.makeFolder();
    await ports.record(startOf(info));
    entry.info = { ...info, status: entry.info.status };
    if (lifetimeMs !== undefined)
      entry.cancelLifetime = clock.timer(lifetimeMs, () => void stop(entry, 'lifetime'));
    announce(entry);
    ports.announce(changedMessage(running()));
    changed();
  };

  const handleOf = (entry: TaskEntry): TaskHandle => ({
    taskId: entry.info.taskId,
    get outputFile() {
      return entry.info.outputFile;
    },
    progress(progress) {
      if (isRunning(entry)) ports.announce(progressMessage(entry.info, progress));
    },
    async background(options = {}) {
      if (!isBackground(entry) && isRunning(entry)) await background(entry, options);
    },
    finish: (end) => finish(entry, end),
  });

  const read = (entry: TaskEntry, from: number, maxBytes: number) =>
    readOutput(ports.files, entry.info.outputFile, { from, maxBytes });

  return {
    async register(start) {
      const taskId = start.id ?? freshId(start, ports.ids);
      const entry = openEntry(start, {
        taskId,
        kind: start.kind,
        description: start.description,
        status: 'running',
        inBackground: false,
        toolUseId: start.toolUseId,
        command: start.command,
        subagentType: start.subagentType,
        parentTaskId: start.parentTaskId,
        outputFile: ports.outputFile(taskId),
        startedMs: clock.nowMs(),
      });
      entries.set(taskId, entry);
      try {
        if (start.inBackground) await background(entry, { lifetimeMs: start.lifetimeMs });
        // A command in the foreground is its call's own affair.
        else if (start.kind === 'agent') announce(entry);
      } catch (error) {
        entries.delete(taskId);
        throw error;
      }
      return handleOf(entry);
    },
    list: () => [...entries.values()].map(({ info }) => info),
    get: (taskId) => entries.get(taskId)?.info,
    output: async (taskId, maxBytes) => read(known(taskId), 0, maxBytes),
    async readNew(taskId, maxBytes): Promise<TaskOutput> {
      const entry = known(taskId);
      const hadEnded = !isRunning(entry);
      const output = await read(entry, entry.readTo, maxBytes);
      entry.readTo = Math.max(entry.readTo, output.to);
      if (hadEnded && output.to >= output.totalBytes && !entry.told) {
        entry.told = true;
        await ports.record({ event: 'told', taskId });
      }
      return output;
    },
    async wait(taskId, ms, signal) {
      const entry = known(taskId);
      let enough = () => {};
      const waited = new Promise<void>((resolve) => {
        enough = resolve;
      });
      const cancel = clock.timer(ms, enough);
      signal.addEventListener('abort', enough, { once: true });
      if (signal.aborted) enough();
      await Promise.race([entry.ended, waited]);
      signal.removeEventListener('abort', enough);
      cancel();
    },
    async stop(taskId, by) {
      const entry = known(taskId);
      if (!isRunning(entry)) {
        throw new TurnwrightError(
          'task_ended',
          `Task ${taskId} is not running: it has ${entry.info.status === 'stopped' ? 'been stopped' : entry.info.status}.`,
        );
      }
      await stop(entry, by);
      return entry.info;
    },
    running,
    detach(toolUseId) {
      const here = [...entries.values()].filter(
        (entry) =>
          isRunning(entry) &&
          !isBackground(entry) &&
          entry.start.onDetach !== undefined &&
          (toolUseId === undefined || entry.info.toolUseId === toolUseId),
      );
      for (const entry of here) entry.start.onDetach?.();
      return here.length;
    },
    untold: () =>
      [...entries.values()]
        .filter((entry) => !entry.told && !isRunning(entry) && isBackground(entry))
        .map(({ info }) => info),
    tell(taskIds) {
      for (const id of taskIds) {
        const entry = entries.get(id);
        if (entry !== undefined) entry.told = true;
      }
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async restore(tasks) {
      for (const { started, startedMs, ended } of tasks) {
        const { event: _, ...about } = started;
        const start: TaskStart = { ...about, inBackground: true, stop: async () => undefined };
        const entry = openEntry(start, { ...about, status: 'running', inBackground: true, startedMs });
        entries.set(started.taskId, entry);
        if (ended === undefined) {
          entry.announced = true;
          entry.stopping = { by: 'lost', done: Promise.resolve() };
          await finish(entry, { status: 'stopped', summary: '' });
        } else {
          const { status, endedBy, summary } = ended;
          entry.info = { ...entry.info, status, endedBy, summary };
          entry.settle();
        }
      }
    },
    async stopAll(by) {
      await Promise.all([...entries.values()].filter(isRunning).map((entry) => stop(entry, by)));
    },
  };
}

/** Whether the end of a task is worth asking the model again for. */
export const wakes = isNews;

function startOf(info: TaskInfo): TaskRecord {
  return {
    event: 'started',
    taskId: info.taskId,
    kind: info.kind,
    description: info.description,
    outputFile: info.outputFile,
    ...(info.toolUseId !== undefined && { toolUseId: info.toolUseId }),
    ...(info.command !== undefined && { command: info.command }),
    ...(info.subagentType !== undefined && { subagentType: info.subagentType }),
    ...(info.parentTaskId !== undefined && { parentTaskId: info.parentTaskId }),
  };
}

/** Short enough for a model to copy without a slip. */
function freshId({ kind }: TaskStart, ids: Ids): string {
  const letter = kind === 'shell' ? 'b' : 'a';
  return `${letter}${ids.uuid().replaceAll('-', '').slice(-9)}`;
}

function forgetOldest(entries: Map<string, TaskEntry>): void {
  const over = [...entries.values()].filter((entry) => !isRunning(entry) && entry.told);
  for (const { info } of over.slice(0, Math.max(0, over.length - MAX_ENDED))) entries.delete(info.taskId);
}
