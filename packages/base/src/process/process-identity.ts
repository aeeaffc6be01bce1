/** Whether the process that wrote a lock still runs. A pid alone is not enough, because pids are reused. */
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { codeOf } from '../text/error-text.ts';

export interface ProcessIdentity {
  readonly pid: number;
  /** Start time in clock ticks since boot; absent where the system does not provide it. */
  readonly startTime?: string;
  readonly host: string;
}

/** Cached: it never changes. */
let ownStartTime: string | undefined;

export function thisProcess(): ProcessIdentity {
  ownStartTime ??= readStartTime(process.pid);
  return identified(process.pid, ownStartTime);
}

/** `elsewhere`: it ran on another host, so its state is unknown. */
export function checkLiveness(identity: ProcessIdentity): 'alive' | 'dead' | 'elsewhere' {
  if (identity.host !== hostname()) return 'elsewhere';
  if (!isRunning(identity.pid)) return 'dead';
  const startTime = readStartTime(identity.pid);
  const other =
    startTime !== undefined && identity.startTime !== undefined && startTime !== identity.startTime;
  return other ? 'dead' : 'alive';
}

function isRunning(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it runs, under another user.
    return codeOf(error) === 'EPERM';
  }
}

function identified(pid: number, startTime: string | undefined): ProcessIdentity {
  return { pid, host: hostname(), ...(startTime === undefined ? {} : { startTime }) };
}

/** Field 22 of `/proc/<pid>/stat`; the command name before it may hold blanks and brackets. */
function readStartTime(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}
