/** One task from its start to its end. */
import type { Ids } from '../protocol/ports.ts';
import type { TaskEnd, TaskEndedBy, TaskInfo, TaskRecord, TaskStart } from '../protocol/tools/task.ts';

/** A task in the table. Only the table changes it. */
export interface TaskEntry {
  readonly start: TaskStart;
  info: TaskInfo;
  /** It has one of the places in the background, also while that is being recorded. */
  hasPlace: boolean;
  /** Hosts were notified of it. */
  announced: boolean;
  /** The model was notified of its end, or need not be. */
  told: boolean;
  /** Ends of earlier runs under its id that the model was not notified of. */
  before: readonly TaskInfo[];
  /** Bytes of its output that the model has read. */
  readTo: number;
  /** It is being stopped. */
  stopping: { readonly by: TaskEndedBy; readonly done: Promise<void> } | undefined;
  finishing: Promise<void> | undefined;
  cancelLifetime: () => void;
  /** Resolves when it has ended. */
  readonly ended: Promise<void>;
  settle(): void;
}

export function openEntry(start: TaskStart, info: TaskInfo): TaskEntry {
  let settle = () => {};
  const ended = new Promise<void>((resolve) => {
    settle = resolve;
  });
  return {
    start,
    info,
    hasPlace: false,
    announced: false,
    told: false,
    before: [],
    readTo: 0,
    stopping: undefined,
    finishing: undefined,
    cancelLifetime: () => {},
    ended,
    settle: () => settle(),
  };
}

export function isRunning({ info }: TaskEntry): boolean {
  return info.status === 'running';
}

/** In the background: it outlives its call, and is reported to hosts and model. */
export function isBackground({ info }: TaskEntry): boolean {
  return info.inBackground;
}

/**
 * Whether its end starts a turn: an end that was not requested does. The model is notified of the others with
 * its next request.
 */
export function isNews({ endedBy }: TaskInfo): boolean {
  return endedBy === 'itself' || endedBy === 'lifetime';
}

/** The end of a task that was stopped. */
export function attributeEnd(end: TaskEnd, entry: TaskEntry): TaskEnd & { readonly endedBy: TaskEndedBy } {
  const by = entry.stopping?.by;
  if (by === undefined) return { ...end, endedBy: 'itself' };
  return { ...end, status: 'stopped', endedBy: by, summary: `It ${STOPPED_BY[by]}` };
}

const STOPPED_BY: Readonly<Record<TaskEndedBy, string>> = {
  itself: 'ended',
  model: 'was stopped',
  host: 'was stopped by the user',
  interrupt: 'was stopped when the user interrupted',
  lifetime: 'was stopped: it had run for as long as it may',
  session: 'was stopped when the session ended',
  lost: 'was lost with the process that ran it',
};

/** Journal record of its start. */
export function startRecord(info: TaskInfo): TaskRecord {
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

/** Ends that the model was not notified of, in order. */
export function untoldEnds(entry: TaskEntry): readonly TaskInfo[] {
  const isUntold = !entry.told && !isRunning(entry) && isBackground(entry);
  return isUntold ? [...entry.before, entry.info] : entry.before;
}

/** The model is being notified of its ends so far. */
export function markTold(entry: TaskEntry): void {
  entry.before = [];
  if (!isRunning(entry)) entry.told = true;
}

/** Short enough for a model to copy. */
export function freshId({ kind }: TaskStart, ids: Ids): string {
  const letter = kind === 'shell' ? 'b' : 'a';
  return `${letter}${ids.uuid().replaceAll('-', '').slice(-9)}`;
}
