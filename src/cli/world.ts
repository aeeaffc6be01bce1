/** What a command may touch of the process it runs in. */
import { createOutput, type Output } from './output.ts';
import { listenForSignals, type Signals } from './signals.ts';

export type Env = Readonly<Record<string, string | undefined>>;

export interface World {
  readonly env: Env;
  readonly cwd: string;
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  /** `stdout` and `stderr` with back-pressure. */
  readonly out: Output;
  readonly err: Output;
  readonly signals: Signals;
}

export function createWorld(proc: NodeJS.Process): World {
  return {
    env: proc.env,
    cwd: proc.cwd(),
    stdin: proc.stdin,
    stdout: proc.stdout,
    stderr: proc.stderr,
    out: createOutput(proc.stdout),
    err: createOutput(proc.stderr),
    signals: listenForSignals(proc, (code) => proc.exit(code)),
  };
}

const DEFAULT_COLUMNS = 80;

/** Columns to lay lines out in; a pipe gets whole lines. */
export function columnsOf(stream: NodeJS.WriteStream): number {
  return stream.isTTY ? stream.columns || DEFAULT_COLUMNS : Number.POSITIVE_INFINITY;
}
