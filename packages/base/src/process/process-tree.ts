/**
 * Child processes in a process group of their own, so that a command ends together with everything it started
 * (F99), and nothing of it is left when this process exits (F100).
 */
import type { ChildProcess } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { childProcess } from '../node.ts';
import { outliveNot } from './kill-on-exit.ts';

export type ProcessEnd =
  | { readonly kind: 'exited'; readonly code: number | null; readonly signal: NodeJS.Signals | null }
  | { readonly kind: 'not_started'; readonly error: NodeJS.ErrnoException };

interface SpawnGroupOptions {
  readonly cwd: string;
  /** The complete environment of the child; nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  /** Default `pipe`. */
  readonly stderr?: 'pipe' | 'ignore';
  /** Default `ignore`: empty. A number: this open descriptor. */
  readonly stdin?: 'pipe' | 'ignore' | number;
  /** A pipe of its own as descriptor 3. Default false. */
  readonly sidePipe?: boolean;
  /** Open descriptors that the child receives as 4, 5, …; `ignore` skips one. Default none. */
  readonly descriptors?: readonly (number | 'ignore')[] | undefined;
}

export interface ProcessGroup {
  /** Absent when the process could not be started. */
  readonly pid: number | undefined;
  /** Only with `stdin: 'pipe'`. */
  readonly stdin: Writable | undefined;
  readonly stdout: Readable | undefined;
  readonly stderr: Readable | undefined;
  /** What is written to descriptor 3; only with `sidePipe`. */
  readonly side: Readable | undefined;
  /**
   * How its first process ended; resolves when what that process wrote has been read. Never rejects; other
   * processes of the group may still run.
   */
  readonly ended: Promise<ProcessEnd>;
  /** Whether any process of the group is alive (or dead and not yet reaped). */
  alive(): boolean;
  /** From now on the group ends with this process, also when this process is killed. No effect on Windows. */
  guard(): void;
  /**
   * SIGTERM to the group, SIGKILL after `graceMs`; a later call with less time brings that forward. True when
   * there was a process to end. Never rejects.
   */
  end(graceMs: number): Promise<boolean>;
}

/**
 * Time limit of waiting for processes after SIGKILL. They die within a few ms, but count as alive until they
 * are reaped: an init process that reaps late, or never (a container without one), must not delay the caller.
 */
const REAP_MS = 20;
const windows = process.platform === 'win32';

const live = new Set<() => void>();
let watching = false;

/** Starts `command` with `args` (without a shell) as the leader of a new group. Never throws. */
export function spawnGroup(
  command: string,
  args: readonly string[],
  options: SpawnGroupOptions,
): ProcessGroup {
  let child: ChildProcess;
  try {
    child = childProcess().spawn(command, args, {
      cwd: options.cwd,
      env: options.env,
      stdio: [options.stdin ?? 'ignore', 'pipe', options.stderr ?? 'pipe', ...extraDescriptors(options)],
      detached: !windows,
      windowsHide: true,
    });
  } catch (error) {
    return notStarted(error as NodeJS.ErrnoException);
  }

  const { pid } = child;
  const alive = () => pid !== undefined && groupAlive(pid, child);
  const killNow = () => signalGroup(pid, 'SIGKILL');
  let unguard: (() => void) | undefined;
  const forget = () => {
    live.delete(killNow);
    unguard?.();
  };
  if (pid !== undefined) register(killNow);

  const ended = new Promise<ProcessEnd>((resolve) => {
    child.once('error', (error: NodeJS.ErrnoException) => {
      if (pid === undefined) resolve({ kind: 'not_started', error });
    });
    child.once('exit', (code, signal) => {
      if (!alive()) forget();
      afterReads(() => resolve({ kind: 'exited', code, signal }));
    });
  });

  let killAtMs = Number.POSITIVE_INFINITY;
  const endOnce = async (): Promise<boolean> => {
    try {
      if (!alive()) return false;
      signalGroup(pid, 'SIGTERM');
      if (await goneBy(() => killAtMs, alive)) return true;
      killNow();
      const reapedBy = performance.now() + REAP_MS;
      await goneBy(() => reapedBy, alive);
      return true;
    } finally {
      forget();
    }
  };
  let ending: Promise<boolean> | undefined;

  return {
    pid,
    stdin: child.stdin ?? undefined,
    stdout: child.stdout ?? undefined,
    stderr: child.stderr ?? undefined,
    side: (child.stdio[3] as Readable | null | undefined) ?? undefined,
    ended,
    alive,
    guard() {
      if (pid !== undefined && !windows && alive()) unguard ??= outliveNot(pid);
    },
    end(graceMs) {
      killAtMs = Math.min(killAtMs, performance.now() + graceMs);
      ending ??= endOnce();
      return ending;
    },
  };
}

/**
 * Calls back when a turn of the event loop has read what has arrived by now. Node reports the end of a
 * process before its last output when both come during one long turn: the first callback ends that turn, the
 * second the next one.
 */
const afterReads = (callback: () => void): void => void setImmediate(() => setImmediate(callback));

function extraDescriptors({
  sidePipe,
  descriptors = [],
}: SpawnGroupOptions): readonly ('pipe' | 'ignore' | number)[] {
  if (descriptors.length > 0) return [sidePipe === true ? 'pipe' : 'ignore', ...descriptors];
  return sidePipe === true ? ['pipe'] : [];
}

function notStarted(error: NodeJS.ErrnoException): ProcessGroup {
  return {
    pid: undefined,
    stdin: undefined,
    stdout: undefined,
    stderr: undefined,
    side: undefined,
    ended: Promise.resolve({ kind: 'not_started', error }),
    alive: () => false,
    guard: () => {},
    end: async () => false,
  };
}

/** One exit handler for the whole process, installed with the first group. */
function register(killNow: () => void): void {
  live.add(killNow);
  if (watching) return;
  watching = true;
  process.on('exit', () => {
    for (const kill of live) kill();
  });
}

function groupAlive(pid: number, child: ChildProcess): boolean {
  if (windows) return child.exitCode === null && child.signalCode === null;
  try {
    process.kill(-pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    if (windows)
      childProcess()
        .spawn('taskkill', ['/pid', String(pid), '/T', '/F'], { stdio: 'ignore', windowsHide: true })
        .on('error', () => {});
    else process.kill(-pid, signal);
  } catch {
    // The group has ended, or its id was reused: there is nothing to end.
  }
}

/** `deadline`: of `performance.now()`; asked again and again. */
async function goneBy(deadline: () => number, alive: () => boolean): Promise<boolean> {
  for (let pause = 1; alive(); pause = Math.min(pause * 2, 20)) {
    const left = deadline() - performance.now();
    if (left <= 0) return false;
    await new Promise((resolve) => setTimeout(resolve, Math.min(pause, left)));
  }
  return true;
}
