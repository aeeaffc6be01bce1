/**
 * One shell command from start to end: its output collected, its process group ended on every path.
 * Background processes end with it, even if they hold the pipes open (F99).
 */

import { unlessAborted } from '@turnwright/base/async/promises.ts';
import { type ProcessEnd, type ProcessGroup, spawnGroup } from '@turnwright/base/process/process-tree.ts';
import type { Clock } from '../../../protocol/ports.ts';
import type { Isolate, Launch } from '../../../protocol/tools/isolation.ts';
import type { BoundedOutput } from './bounded-output.ts';

interface ShellCommand {
  readonly command: string;
  /** The shell that the command was judged for. */
  readonly shell: 'bash' | 'sh';
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Time for which the pipes are read after the shell's exit while other processes hold them. */
  readonly drainMs: number;
  /** Between SIGTERM and SIGKILL. */
  readonly killGraceMs: number;
  readonly output: BoundedOutput;
  readonly clock: Clock;
  /** Whether to report the shell's last folder. Default false. */
  readonly tellFolder?: boolean;
  /** Isolates the shell. Absent: it runs without isolation. */
  readonly isolate?: Isolate | undefined;
}

export interface ShellEnd {
  readonly end: ProcessEnd;
  readonly stopped?: 'timeout' | 'abort';
  /** Background processes of the command were ended. */
  readonly leftovers: boolean;
  /** Last folder of a successful shell, resolved. Only with `tellFolder`. */
  readonly folder?: string;
  /** stderr of the isolating program, if the shell failed. */
  readonly complaint?: string;
}

export interface RunningShell {
  /** Resolves when all processes have ended. Never rejects. */
  readonly ended: Promise<ShellEnd>;
  /** The first call sets the reason. */
  stop(why: 'timeout' | 'abort', graceMs?: number): void;
  /** From now on it ends with this process, in whatever way this process ends (F100). */
  guard(): void;
}

const MAX_COMPLAINT_CHARS = 2000;

/** Programs recognise by these that an agent started them. */
const MARKS = { CLAUDECODE: '1', TURNWRIGHT: '1' } as const;

/** Both streams in one pipe, so that the order of output is kept. */
const MERGED = 'exec "$0" -c "$1" 2>&1';

/**
 * The same, and the last folder of a successful command is written to a descriptor that commands hardly use.
 * It runs in the shell itself, so that `set -e`, `exit` and line numbers work as in a shell of its own. It is
 * one line, which the shell has read before a syntax error of the command confuses its reader.
 */
const tellingFolder = (descriptor: number) =>
  `exec "$0" -c 'TURNWRIGHT_COMMAND=$1; shift; eval "$TURNWRIGHT_COMMAND"; { TURNWRIGHT_CODE=$?; [ $TURNWRIGHT_CODE -ne 0 ] || command pwd -P >&${descriptor} || :; exit $TURNWRIGHT_CODE; } 2>/dev/null' "$0" "$1" 2>&1 ${descriptor}>&3 3>&-`;

/** Between SIGTERM and SIGKILL after an abort: no process outlives its call, which has 100 ms (L10.9). */
const ABORT_GRACE_MS = 50;

/** Shells other than bash support descriptors of one digit only. */
const DESCRIPTORS = { bash: 197, sh: 9 } as const;

export function startShellCommand(shell: ShellCommand): RunningShell {
  let group: ProcessGroup | undefined;
  let guarded = false;
  let stopped: ShellEnd['stopped'];
  const stop = (why: 'timeout' | 'abort', graceMs = why === 'abort' ? ABORT_GRACE_MS : shell.killGraceMs) => {
    stopped ??= why;
    void group?.end(graceMs);
  };
  const guard = () => {
    guarded = true;
    group?.guard();
  };
  const start = (launch: Launch): ProcessGroup => {
    group = spawn(shell, launch);
    if (guarded) group.guard();
    return group;
  };
  const run = async (): Promise<ShellEnd> => {
    const { isolate } = shell;
    if (isolate === undefined) return runToEnd(start(toLaunch(shell)), shell, () => stopped);
    let launch: Launch;
    try {
      launch = await isolate(toLaunch(shell));
    } catch (error) {
      return { end: { kind: 'not_started', error: error as NodeJS.ErrnoException }, leftovers: false };
    }
    try {
      if (stopped === undefined) return await runToEnd(start(launch), shell, () => stopped);
      return { end: { kind: 'exited', code: null, signal: 'SIGTERM' }, leftovers: false, stopped };
    } finally {
      await launch.release?.();
    }
  };
  return { ended: run(), stop, guard };
}

async function runToEnd(
  group: ProcessGroup,
  shell: ShellCommand,
  stoppedBy: () => ShellEnd['stopped'],
): Promise<ShellEnd> {
  const told = folderTold(group);
  const complaint = readBeginning(group.stderr);
  const end = await follow(group, shell);
  const leftovers = await group.end(shell.killGraceMs);
  const stopped = stoppedBy();
  const endedWell = end.kind === 'exited' && end.code === 0 && stopped === undefined;
  const folder = endedWell ? await within(shell.drainMs, told, shell.clock) : undefined;
  const complains = !endedWell && shell.isolate !== undefined;
  const complained = complains ? await within(shell.drainMs, complaint, shell.clock) : undefined;
  group.side?.destroy();
  group.stderr?.destroy();
  return {
    end,
    leftovers: leftovers && stopped === undefined,
    ...(stopped !== undefined && { stopped }),
    ...(folder !== undefined && { folder }),
    ...(complained !== undefined && complained !== '' && { complaint: complained }),
  };
}

// Shells of Windows spell folders differently.
const asksForFolder = ({ tellFolder }: ShellCommand): boolean =>
  tellFolder === true && process.platform !== 'win32';

function toLaunch(shell: ShellCommand): Launch {
  const { cwd, env, command, shell: program } = shell;
  const script = asksForFolder(shell) ? tellingFolder(DESCRIPTORS[program]) : MERGED;
  return { program, args: ['-c', script, program, command], cwd, env: { ...env, ...MARKS } };
}

function spawn(shell: ShellCommand, { program, args, cwd, env, descriptors }: Launch): ProcessGroup {
  return spawnGroup(program, args, {
    cwd,
    env,
    // stderr of the command is part of its output; that of the isolating program is separate.
    stderr: shell.isolate === undefined ? 'ignore' : 'pipe',
    sidePipe: asksForFolder(shell),
    descriptors,
  });
}

/** Its beginning; undefined if it cannot be read completely. */
async function readBeginning(stream: ProcessGroup['stderr']): Promise<string | undefined> {
  if (stream === undefined) return undefined;
  let text = '';
  try {
    for await (const chunk of stream.setEncoding('utf8'))
      if (text.length < MAX_COMPLAINT_CHARS) text += chunk;
    return text.trim();
  } catch {
    return undefined;
  }
}

/**
 * Read from the start: a pipe without a reader is emptied when its process ends. undefined: no folder was
 * reported.
 */
async function folderTold({ side }: ProcessGroup): Promise<string | undefined> {
  let told = '';
  try {
    for await (const chunk of side?.setEncoding('utf8') ?? []) {
      told += chunk;
      if (told.endsWith('\n')) return told.slice(0, -1);
    }
  } catch {
    // Ended by this process.
  }
  return undefined;
}

async function follow(group: ProcessGroup, { output, drainMs, clock }: ShellCommand): Promise<ProcessEnd> {
  const drained = drain(group, output);
  const end = await group.ended;
  await within(drainMs, drained, clock);
  group.stdout?.destroy();
  await drained;
  return end;
}

async function drain(group: ProcessGroup, output: BoundedOutput): Promise<void> {
  if (group.stdout === undefined) return;
  try {
    for await (const chunk of group.stdout) await output.write(chunk as Buffer);
  } catch {
    // Ended by this process: the output read so far counts.
  }
}

/** undefined when it takes longer, or fails. */
async function within<T>(ms: number, work: Promise<T> | undefined, clock: Clock): Promise<T | undefined> {
  if (work === undefined) return undefined;
  const late = new AbortController();
  const cancel = clock.timer(ms, () => late.abort());
  try {
    return await unlessAborted(work, late.signal);
  } catch {
    return undefined;
  } finally {
    cancel();
  }
}
