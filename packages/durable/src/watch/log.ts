/** What a worker says: lines for people, and the same as objects for a log. */
import { systemClock } from '@turnwright/base/clock.ts';
import { heardLines } from '@turnwright/base/process/heard-lines.ts';

/** One line of a worker's log. */
export interface LogLine {
  /** ISO 8601. */
  readonly time: string;
  /** `info`: begins and ends of runs. `warning`: what `stderr` receives. */
  readonly level: 'info' | 'warning';
  readonly message: string;
  /** Id of the worker. */
  readonly worker: string;
  readonly session?: string;
  readonly run?: number;
  readonly tenant?: string;
  readonly epoch?: number;
}

type About = Pick<LogLine, 'session' | 'run' | 'tenant' | 'epoch'>;

export type Say = (message: string, about?: About) => void;

interface Log {
  /** For people too. */
  readonly warn: Say;
  /** For the log alone. */
  readonly note: Say;
}

interface LogOptions {
  readonly worker: string;
  readonly stderr?: ((line: string) => void) | undefined;
  readonly log?: ((line: LogLine) => void) | undefined;
}

/** A callback that fails ends nothing. */
export function createLog({ worker, stderr, log }: LogOptions): Log {
  const tellPeople = stderr && heardLines('stderr', stderr);
  const tellLog = log && heardLines('log', log);
  const told =
    (level: LogLine['level']): Say =>
    (message, about) => {
      const time = new Date(systemClock.nowMs()).toISOString();
      tellLog?.({ time, level, message, worker, ...about });
    };
  const warn = told('warning');
  return {
    note: told('info'),
    warn(message, about) {
      tellPeople?.(message);
      warn(message, about);
    },
  };
}
