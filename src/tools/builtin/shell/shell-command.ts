/**
 * One shell command from start to end: its output collected, its whole process group ended on every path. What it
 * leaves in the background ends with it, also when that keeps the pipes open (F99).
 */
import type { Clock } from '../../../protocol/ports.ts';
import type { Isolate, Launch } from '../../../protocol/sandbox.ts';
import { type ProcessEnd, type ProcessGroup, spawnGroup } from '../../../util/process/process-tree.ts';
import { unlessAborted } from '../../deferred.ts';
import type { BoundedOutput } from './bounded-output.ts';

export interface ShellCommand {
  readonly command: string;
  /** The one that the command was judged for. */
  readonly shell: 'bash' | 'sh';
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** After the shell's exit, how long its pipes may still be read while others hold them. */
  readonly drainMs: number;
  /** Between SIGTERM and SIGKILL. */
  readonly killGraceMs: number;
  readonly output: BoundedOutput;
  readonly clock: Clock;
  /** Whether to say in which folder the shell ended. Default false. */
  readonly tellFolder?: boolean;
  /** Puts the shell into isolation. Absent: it runs as any program does. */
  readonly isolate?: Isolate | undefined;
}

export interface ShellEnd {
  readonly end: ProcessEnd;
  readonly stopped?: 'timeout' | 'abort';
  /** Processes it had left behind were ended. */
  readonly leftovers: boolean;
  /** The folder a shell was in that ended well, free of links. Only with `tellFolder`. */
  readonly folder?: string;
  /** Of a shell that did not end well: what the program that isolates it wrote to its standard error. */
  readonly complaint?: string;
}

export interface RunningShell {
  /** When nothing of it is left. Never rejects. */
  readonly ended: Promise<ShellEnd>;
  /** The first call decides why. */
  stop(why: 'timeout' | 'abort', graceMs?: number): void;
  /** From now on it ends with this process, however this process ends (F100). */
  guard(): void;
}

const MAX_COMPLAINT_CHARS = 2000;

/** By these a program knows that it was started by an agent, and by which. */
const MARKS = { CLAUDECODE: '1', TURNWRIGHT: '1' } as const;

/** In one pipe, so that the output stands in the order in which it was written. */
const MERGED = 'exec "$0" -c "$1" 2>&1';

/**
 * The same, and where a command that ended well has gone is written to a descriptor that commands hardly use. It runs in
 * the shell itself, whose `set -e`, `exit` and line numbers are then those of a shell of its own.
 */
const tellingFolder = (
  descriptor: number,
) => `exec "$0" -c 'TURNWRIGHT_COMMAND=$1; shift; eval "$TURNWRIGHT_COMMAND"
{ TURNWRIGHT_CODE=$?; [ $TURNWRIGHT_CODE -ne 0 ] || command pwd -P >&${descriptor} || :; exit $TURNWRIGHT_CODE; } 2>/dev/null' "$0" "$1" 2>&1 ${descriptor}>&3 3>&-`;

/** Other shells than bash know descriptors of one digit alone. */
const DESCRIPTORS = { bash: 197, sh: 9 } as const;

export function startShellCommand(shell: ShellCommand): RunningShell {
  let group: ProcessGroup | undefined;
  let guarded = false;
  let stopped: ShellEnd['stopped'];
  const stop = (why: 'timeout' | 'abort', graceMs = shell.killGraceMs) => {
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
    if (isolate === undefined) return runToEnd(start(launchOf(shell)), shell, () => stopped);
    let launch: Launch;
    try {
      launch = await isolate(launchOf(shell));
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
  const complaint = textOf(group.stderr);
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

// The shells of Windows name folders in a way of their own.
const asksForFolder = ({ tellFolder }: ShellCommand): boolean =>
  tellFolder === true && process.platform !== 'win32';

function launchOf(shell: ShellCommand): Launch {
  const { cwd, env, command, shell: program } = shell;
  const script = asksForFolder(shell) ? tellingFolder(DESCRIPTORS[program]) : MERGED;
  return { program, args: ['-c', script, program, command], cwd, env: { ...env, ...MARKS } };
}

function spawn(shell: ShellCommand, { program, args, cwd, env, descriptors }: Launch): ProcessGroup {
  return spawnGroup(program, args, {
    cwd,
    env,
    // The command's own goes into its output; what isolates it has one of its own.
    stderr: shell.isolate === undefined ? 'ignore' : 'pipe',
    sidePipe: asksForFolder(shell),
    descriptors,
  });
}

/** Its beginning; undefined when it cannot be read to its end. */
async function textOf(stream: ProcessGroup['stderr']): Promise<string | undefined> {
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

/** Read from the start: a pipe without a reader is emptied when its process ends. undefined: nothing was told. */
async function folderTold({ side }: ProcessGroup): Promise<string | undefined> {
  let told = '';
  try {
    for await (const chunk of side?.setEncoding('utf8') ?? []) {
      told += chunk;
      if (told.endsWith('\n')) return told.slice(0, -1);
    }
  } catch {
    // Cut off by us.
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
    // Cut off by us: what was read until then is the output.
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
