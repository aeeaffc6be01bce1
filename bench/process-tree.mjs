// CPU and memory of this process and of those it started, from /proc; elsewhere of this process alone.
import { readdirSync, readFileSync } from 'node:fs';

const TICK_MS = 10;

/** The processes that a process started, and those that they started. */
export function processesOf(pid) {
  const found = [];
  try {
    for (const task of readdirSync(`/proc/${pid}/task`)) {
      for (const child of readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ')) {
        if (child !== '') found.push(Number(child), ...processesOf(Number(child)));
      }
    }
  } catch {
    // It is gone, or there is no /proc.
  }
  return found;
}

/** utime, stime, cutime and cstime of a process, ms. */
function times(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields.slice(11, 15).map((ticks) => Number(ticks) * TICK_MS);
}

/** ms of CPU so far; children that have ended are included. */
export function cpuOfTree() {
  const own = process.cpuUsage();
  let ms = (own.user + own.system) / 1000;
  try {
    const [, , endedUser, endedSystem] = times(process.pid);
    ms += endedUser + endedSystem;
    for (const pid of processesOf(process.pid)) ms += times(pid).reduce((sum, time) => sum + time, 0);
  } catch {
    // No /proc, or it ended meanwhile and counts as ended from now on.
  }
  return ms;
}

/** Watches the memory of the processes that this one starts; call the result for the highest sum seen, MB. */
export function watchChildren(everyMs = 50) {
  let peak = 0;
  const timer = setInterval(() => {
    let kb = 0;
    for (const pid of processesOf(process.pid)) {
      try {
        kb += Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
      } catch {
        // It is gone.
      }
    }
    peak = Math.max(peak, kb / 1024);
  }, everyMs);
  return () => {
    clearInterval(timer);
    return peak;
  };
}
