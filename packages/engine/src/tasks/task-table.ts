/**
 * The table of a session's tasks (L6). A background task is recorded before it starts, can be listed, read
 * and stopped, ends with the session, and its end is reported once, to hosts and to the model.
 */
import { TurnwrightError } from '../protocol/errors.ts';
import type {
  RecoveredTask,
  TaskEnd,
  TaskEndedBy,
  TaskHandle,
  TaskInfo,
  TaskOutput,
  TaskStart,
} from '../protocol/tools/task.ts';
import { readOutput } from './read-output.ts';
import type { SessionTaskTable, TaskPorts } from './session-task-table.ts';
import {
  attributeEnd,
  freshId,
  isBackground,
  isNews,
  isRunning,
  markTold,
  openEntry,
  startRecord,
  type TaskEntry,
  untoldEnds,
} from './task-entry.ts';
import {
  endedMessages,
  progressMessage,
  startedMessage,
  tasksChangedMessage,
} from './task-message-bodies.ts';
import { takePlace } from './task-places.ts';

export type { SessionTaskTable, TaskPorts };

/** Ended tasks that are kept in the table. */
const MAX_ENDED = 200;
const NONE: readonly TaskInfo[] = Object.freeze([]);

export function createTaskTable(ports: TaskPorts): SessionTaskTable {
  return new Tasks(ports);
}

class Tasks implements SessionTaskTable {
  readonly #ports: TaskPorts;
  readonly #entries = new Map<string, TaskEntry>();
  readonly #listeners = new Set<() => void>();

  constructor(ports: TaskPorts) {
    this.#ports = ports;
  }

  async register(start: TaskStart): Promise<TaskHandle> {
    const taskId = start.id ?? freshId(start, this.#ports.ids);
    const entry = openEntry(start, {
      taskId,
      runId: this.#ports.ids.uuid(),
      kind: start.kind,
      description: start.description,
      status: 'running',
      inBackground: false,
      toolUseId: start.toolUseId,
      command: start.command,
      subagentType: start.subagentType,
      parentTaskId: start.parentTaskId,
      outputFile: this.#ports.outputFile(taskId),
      startedMs: this.#ports.clock.nowMs(),
    });
    const earlier = this.#entries.get(taskId);
    if (earlier !== undefined) entry.before = untoldEnds(earlier);
    // The last that ran is the last of the list.
    this.#entries.delete(taskId);
    this.#entries.set(taskId, entry);
    try {
      if (start.inBackground) await this.#background(entry, { lifetimeMs: start.lifetimeMs });
      // A command in the foreground is not reported.
      else if (start.kind === 'agent') this.#announce(entry);
    } catch (error) {
      if (earlier === undefined) this.#entries.delete(taskId);
      else this.#entries.set(taskId, earlier);
      throw error;
    }
    return this.#handleOf(entry);
  }

  list(): readonly TaskInfo[] {
    return [...this.#entries.values()].map(({ info }) => info);
  }

  get(taskId: string): TaskInfo | undefined {
    return this.#entries.get(taskId)?.info;
  }

  async output(taskId: string, maxBytes: number): Promise<TaskOutput> {
    return this.#read(this.#known(taskId), 0, maxBytes);
  }

  async readNew(taskId: string, maxBytes: number): Promise<TaskOutput> {
    const entry = this.#known(taskId);
    const hadEnded = !isRunning(entry);
    const output = await this.#read(entry, entry.readTo, maxBytes);
    entry.readTo = Math.max(entry.readTo, output.to);
    if (hadEnded && output.to >= output.totalBytes && !entry.told) {
      entry.told = true;
      await this.#ports.record({ event: 'told', taskId });
    }
    return output;
  }

  async wait(taskId: string, ms: number, signal: AbortSignal): Promise<void> {
    const entry = this.#known(taskId);
    let enough = () => {};
    const waited = new Promise<void>((resolve) => {
      enough = resolve;
    });
    const cancel = this.#ports.clock.timer(ms, enough);
    signal.addEventListener('abort', enough, { once: true });
    if (signal.aborted) enough();
    await Promise.race([entry.ended, waited]);
    signal.removeEventListener('abort', enough);
    cancel();
  }

  async stop(taskId: string, by: TaskEndedBy): Promise<TaskInfo> {
    const entry = this.#known(taskId);
    if (!isRunning(entry)) {
      throw new TurnwrightError(
        'task_ended',
        `Task ${taskId} is not running: it has ${entry.info.status === 'stopped' ? 'been stopped' : entry.info.status}.`,
      );
    }
    await this.#stop(entry, by);
    return entry.info;
  }

  running(): readonly TaskInfo[] {
    return [...this.#entries.values()]
      .filter((entry) => isRunning(entry) && isBackground(entry))
      .map(({ info }) => info);
  }

  announceRunning(): void {
    this.#ports.announce(tasksChangedMessage(this.running()));
  }

  detach(toolUseId?: string): number {
    const here = [...this.#entries.values()].filter(
      (entry) =>
        isRunning(entry) &&
        !isBackground(entry) &&
        entry.start.onDetach !== undefined &&
        (toolUseId === undefined || entry.info.toolUseId === toolUseId),
    );
    for (const entry of here) entry.start.onDetach?.();
    return here.length;
  }

  untold(): readonly TaskInfo[] {
    if (this.#entries.size === 0) return NONE;
    return [...this.#entries.values()].flatMap(untoldEnds);
  }

  tell(taskIds: readonly string[]): void {
    for (const id of taskIds) {
      const entry = this.#entries.get(id);
      if (entry !== undefined) markTold(entry);
    }
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async restore(tasks: readonly RecoveredTask[]): Promise<void> {
    for (const { started, startedMs, ended } of tasks) {
      const { event: _, ...about } = started;
      const start: TaskStart = { ...about, inBackground: true, stop: async () => undefined };
      const runId = this.#ports.ids.uuid();
      const entry = openEntry(start, { ...about, runId, status: 'running', inBackground: true, startedMs });
      this.#entries.set(started.taskId, entry);
      if (ended === undefined) {
        entry.announced = true;
        entry.stopping = { by: 'lost', done: Promise.resolve() };
        await this.#finish(entry, { status: 'stopped', summary: '' });
      } else {
        const { status, endedBy, summary } = ended;
        entry.info = { ...entry.info, status, endedBy, summary };
        entry.settle();
      }
    }
  }

  stopAll(by: TaskEndedBy): Promise<void> | undefined {
    const stopping = [...this.#entries.values()].filter(isRunning).map((entry) => this.#stop(entry, by));
    return stopping.length === 0 ? undefined : Promise.all(stopping).then(() => undefined);
  }

  #changed(): void {
    for (const listener of [...this.#listeners]) listener();
  }

  #known(taskId: string): TaskEntry {
    const entry = this.#entries.get(taskId);
    if (entry !== undefined) return entry;
    const ids = this.running().map((info) => info.taskId);
    const hint = ids.length === 0 ? 'None is running.' : `Running: ${ids.join(', ')}.`;
    throw new TurnwrightError('unknown_task', `There is no task with the id ${taskId}. ${hint}`);
  }

  #stop(entry: TaskEntry, by: TaskEndedBy): Promise<void> {
    entry.stopping ??= { by, done: entry.start.stop(by).catch(() => undefined) };
    // Owners report the end; for one that does not, the table does.
    return entry.stopping.done.then(() => this.#finish(entry, { status: 'stopped', summary: '' }));
  }

  #finish(entry: TaskEntry, end: TaskEnd): Promise<void> {
    entry.finishing ??= this.#settle(entry, end);
    return entry.finishing;
  }

  async #settle(entry: TaskEntry, given: TaskEnd): Promise<void> {
    const ports = this.#ports;
    // Reported as killed when all of it has ended (F101).
    await entry.stopping?.done;
    entry.cancelLifetime();
    const { status, endedBy, summary, result, usage } = attributeEnd(given, entry);
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
    entry.info = { ...entry.info, status, endedBy, summary, result, usage, endedMs: ports.clock.nowMs() };
    if (entry.announced) for (const message of endedMessages(entry.info)) ports.announce(message);
    if (isBackground(entry)) this.announceRunning();
    entry.settle();
    if (entry.announced) forgetOldest(this.#entries);
    else this.#entries.delete(taskId);
    this.#changed();
  }

  #announce(entry: TaskEntry): void {
    if (entry.announced) {
      const { taskId: task_id, runId: run_id } = entry.info;
      const patch = { is_backgrounded: true };
      this.#ports.announce({ subtype: 'task_updated', task_id, run_id, patch });
    } else this.#ports.announce(startedMessage(entry.info, entry.start));
    entry.announced = true;
  }

  async #background(
    entry: TaskEntry,
    {
      lifetimeMs,
      outputFile,
    }: { readonly lifetimeMs?: number | undefined; readonly outputFile?: string | undefined },
  ): Promise<void> {
    const ports = this.#ports;
    const giveBack = takePlace(entry, this.#entries.values(), ports.maxInBackground);
    const info = { ...entry.info, inBackground: true, ...(outputFile !== undefined && { outputFile }) };
    await ports.makeFolder().catch(giveBack);
    await ports.record(startRecord(info)).catch(giveBack);
    entry.info = { ...info, status: entry.info.status };
    if (lifetimeMs !== undefined)
      entry.cancelLifetime = ports.clock.timer(lifetimeMs, () => void this.#stop(entry, 'lifetime'));
    this.announceRunning();
    this.#announce(entry);
    this.#changed();
  }

  #handleOf(entry: TaskEntry): TaskHandle {
    return {
      taskId: entry.info.taskId,
      description: entry.info.description,
      get outputFile() {
        return entry.info.outputFile;
      },
      progress: (progress) => {
        if (isRunning(entry)) this.#ports.announce(progressMessage(entry.info, progress));
      },
      background: async (options = {}) => {
        if (!isBackground(entry) && isRunning(entry)) await this.#background(entry, options);
      },
      finish: (end) => this.#finish(entry, end),
    };
  }

  #read(entry: TaskEntry, from: number, maxBytes: number): Promise<TaskOutput> {
    return readOutput(this.#ports.files, entry.info.outputFile, { from, maxBytes });
  }
}

/** Whether the end of a task starts a turn. */
export const wakes = isNews;

function forgetOldest(entries: Map<string, TaskEntry>): void {
  const over = [...entries.values()].filter((entry) => !isRunning(entry) && entry.told);
  for (const { info } of over.slice(0, Math.max(0, over.length - MAX_ENDED))) entries.delete(info.taskId);
}
