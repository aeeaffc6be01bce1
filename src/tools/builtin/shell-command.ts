/**
 * One shell command from start to end: its output collected, its whole process group ended on every path. What it
 * leaves in the background ends with it, also when that keeps the pipes open (F99).
 */
import type { Clock } from '../../protocol/ports.ts';
import { type ProcessEnd, type ProcessGroup, spawnGroup } from '../../util/process-tree.ts';
import { unlessAborted } from '../deferred.ts';
import type { BoundedOutput } from './bounded-output.ts';

export interface ShellCommand {
  readonly command: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** After the shell's exit, how long its pipes may still be read while others hold them. */
  readonly drainMs: number;
  /** Between SIGTERM and SIGKILL. */
  readonly killGraceMs: number;
  readonly output: BoundedOutput;
  readonly clock: Clock;
}

export interface ShellEnd {
  readonly end: ProcessEnd;
  readonly stopped?: 'timeout' | 'abort';
  /** Processes it had left behind were ended. */
  readonly leftovers: boolean;
}

export interface RunningShell {
  /** When nothing of it is left. Never rejects. */
  readonly ended: Promise<ShellEnd>;
  /** The first call decides why. */
  stop(why: 'timeout' | 'abort', graceMs?: number): void;
  /** From now on it ends with this process, however this process ends (F100). */
  guard(): void;
}

/** In one pipe, so that the output stands in the order in which it was written. */
const MERGED = 'exec "$0" -c "$1" 2>&1';

export function startShellCommand(shell: ShellCommand): RunningShell {
  let group = spawn(shell, 'bash');
  let guarded = false;
  let stopped: ShellEnd['stopped'];
  const stop = (why: 'timeout' | 'abort', graceMs = shell.killGraceMs) => {
    stopped ??= why;
    void group.end(graceMs);
  };
  const guard = () => {
    guarded = true;
    group.guard();
  };

  const run = async (): Promise<ShellEnd> => {
    let end = await follow(group, shell);
    if (isMissing(end) && stopped === undefined) {
      group = spawn(shell, 'sh');
      if (guarded) group.guard();
      end = await follow(group, shell);
    }
    const leftovers = await group.end(shell.killGraceMs);
    return { end, leftovers: leftovers && stopped === undefined, ...(stopped !== undefined && { stopped }) };
  };
  return { ended: run(), stop, guard };
}

function spawn({ cwd, env, command }: ShellCommand, program: string): ProcessGroup {
  return spawnGroup(program, ['-c', MERGED, program, command], { cwd, env, stderr: 'ignore' });
}

function isMissing(end: ProcessEnd): boolean {
  return end.kind === 'not_started' && end.error.code === 'ENOENT';
}

async function follow(group: ProcessGroup, { output, drainMs, clock }: ShellCommand): Promise<ProcessEnd> {
  const drained = drain(group, output);
  const end = await group.ended;
  await drainedWithin(drainMs, drained, clock);
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

async function drainedWithin(ms: number, drained: Promise<void>, clock: Clock): Promise<void> {
  const late = new AbortController();
  const cancel = clock.timer(ms, () => late.abort());
  await unlessAborted(drained, late.signal).catch(() => {});
  cancel();
}
