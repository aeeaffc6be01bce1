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
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
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

/** In one pipe, so that the output stands in the order in which it was written. */
const MERGED = 'exec "$0" -c "$1" 2>&1';

/** Never rejects. */
export async function runShellCommand(shell: ShellCommand): Promise<ShellEnd> {
  const first = await follow(shell, 'bash');
  const noBash =
    first.end.kind === 'not_started' && first.end.error.code === 'ENOENT' && first.stopped === undefined;
  return noBash ? follow(shell, 'sh') : first;
}

async function follow(shell: ShellCommand, program: string): Promise<ShellEnd> {
  const { cwd, env, clock, signal, killGraceMs } = shell;
  const group = spawnGroup(program, ['-c', MERGED, program, shell.command], { cwd, env, stderr: 'ignore' });
  let stopped: ShellEnd['stopped'];
  const stop = (why: 'timeout' | 'abort') => {
    stopped ??= why;
    void group.end(killGraceMs);
  };
  const onAbort = () => stop('abort');
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });
  const cancelTimeout = clock.timer(shell.timeoutMs, () => stop('timeout'));
  try {
    const drained = drain(group, shell.output);
    const end = await group.ended;
    await drainedWithin(shell.drainMs, drained, clock);
    group.stdout?.destroy();
    await drained;
    const leftovers = await group.end(killGraceMs);
    return { end, leftovers: leftovers && stopped === undefined, ...(stopped !== undefined && { stopped }) };
  } finally {
    cancelTimeout();
    signal.removeEventListener('abort', onAbort);
  }
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
