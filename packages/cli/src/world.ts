/** What a command may use of its process. */

import { closeSync, openSync } from 'node:fs';
import { isatty, ReadStream } from 'node:tty';
import { visible } from '@turnwright/terminal/text/visible.ts';
import type { ExitCode } from './exit-codes.ts';
import { createOutput, type ProcessOutput } from './output.ts';
import { listenForSignals, type Signals } from './signals.ts';
import { UsageError } from './usage-error.ts';

export type Env = Readonly<Record<string, string | undefined>>;

export interface World {
  readonly env: Env;
  /** Reading it throws a `UsageError` when the folder was removed. */
  readonly cwd: string;
  readonly stdin: NodeJS.ReadStream;
  /** Input for answers of the user; undefined: there is none. Opened at the first call. */
  keyboard(): NodeJS.ReadStream | undefined;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  /** `stdout` and `stderr` with back-pressure. */
  readonly out: ProcessOutput;
  readonly err: ProcessOutput;
  readonly signals: Signals;
  /** Ends the process immediately. */
  exit(code: ExitCode): void;
}

export function createWorld(proc: NodeJS.Process): World {
  const exit = createExit(proc);
  let keyboard: { readonly stream: NodeJS.ReadStream | undefined } | undefined;
  return {
    env: proc.env,
    get cwd() {
      return readCwd(proc);
    },
    stdin: proc.stdin,
    keyboard() {
      keyboard ??= { stream: openKeyboard(proc) };
      return keyboard.stream;
    },
    stdout: proc.stdout,
    stderr: proc.stderr,
    out: createOutput(proc.stdout),
    err: createOutput(proc.stderr),
    signals: listenForSignals(proc, (code, farewell) => {
      // The shell's prompt must not follow an unfinished line.
      const line = farewell === undefined ? '\n' : `\n${farewell}\n`;
      if (proc.stdout.isTTY) proc.stdout.write(line);
      else if (proc.stderr.isTTY) proc.stderr.write(line);
      exit(code);
    }),
    exit,
  };
}

/** Where the terminal is gone, `exit` would try to restore it and abort: ends like SIGHUP. */
function createExit(proc: NodeJS.Process): (code: ExitCode) => void {
  const terminals = [0, 1, 2].filter((descriptor) => isatty(descriptor));
  return (code) => {
    if (terminals.every((descriptor) => isatty(descriptor))) proc.exit(code);
    proc.removeAllListeners('SIGHUP');
    proc.kill(proc.pid, 'SIGHUP');
  };
}

function readCwd(proc: NodeJS.Process): string {
  try {
    return proc.cwd();
  } catch {
    throw new UsageError('The folder you are in does not exist any more. Go to another one.');
  }
}

/**
 * Keyboard input, also where stdin is a pipe (`git diff | turnwright "…"`): stdin if it is a terminal, else
 * the controlling terminal, if stdout or stderr is one and so shows the question. undefined: there is none,
 * as in CI.
 */
function openKeyboard({ stdin, stdout, stderr }: NodeJS.Process): NodeJS.ReadStream | undefined {
  if (stdin.isTTY === true) return stdin;
  if (stdout.isTTY !== true && stderr.isTTY !== true) return undefined;
  let descriptor: number;
  try {
    descriptor = openSync('/dev/tty', 'r+');
  } catch {
    return undefined;
  }
  try {
    return new ReadStream(descriptor).pause();
  } catch {
    closeSync(descriptor);
    return undefined;
  }
}

const DEFAULT_COLUMNS = 80;

/** Columns of the layout; a pipe gets complete lines. */
export function countColumns(stream: NodeJS.WriteStream): number {
  return stream.isTTY ? stream.columns || DEFAULT_COLUMNS : Number.POSITIVE_INFINITY;
}

/**
 * Warnings go to stderr unchanged, one line each: stdout is for the answer, and programs search for some of
 * them.
 */
export function warnOn(world: World): (line: string) => void {
  return (line) => void world.err.write(`${visible(line)}\n`).catch(() => undefined);
}
