/** What real shells do with command lines: which programs they run, with which arguments, and which files they make. */
import { spawn } from 'node:child_process';
import {
  accessSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROGRAMS } from './hostile-lines.ts';

export interface Outcome {
  /** Each program that ran, with its arguments. */
  readonly ran: readonly (readonly string[])[];
  /** The names of the files that are there now and were not before. */
  readonly made: readonly string[];
}

const TOOLS = ['bash', 'dash', 'env', 'xargs', 'nohup', 'nice', 'timeout', 'cat', 'find', 'rm'];

const pathOf = (name: string): string | undefined =>
  ['/bin', '/usr/bin']
    .map((folder) => `${folder}/${name}`)
    .find((file) => {
      try {
        accessSync(file);
        return true;
      } catch {
        return false;
      }
    });

/** Whether the machine has the shells to compare with. */
export const hasShells = ['bash', 'dash', 'xargs', 'find'].every((name) => pathOf(name) !== undefined);

/** As many blocks: a loop that runs programs for ever ends when it has written so much. */
const LOG_BLOCKS = 64;

/**
 * One shell reads all lines, each in a process, a folder and a log of its own: to start a shell, and a program for each
 * command, is most of the time. Programs that take note are functions where the shell itself runs them, and files for
 * whoever else does (`xargs`, `env`, `bash -c`, `command`); `AS_FILES` makes them files for all. None of them reads, so
 * a loop that writes to one would end by the signal of a broken pipe, after as many turns as there was time for.
 */
const RUNNER = `
trap '' PIPE
ulimit -f ${LOG_BLOCKS}
turnwright_note() {
  local turnwright_said turnwright_word
  turnwright_said=$1
  shift
  for turnwright_word; do turnwright_said="$turnwright_said␟$turnwright_word"; done
  printf '%s␞\\n' "$turnwright_said" >> "$LOG"
}
[ -n "$AS_FILES" ] || . "$ROOT/functions"
turnwright_line=0
while [ $turnwright_line -lt $LINES_TO_RUN ]; do
  turnwright_line=$((turnwright_line+1))
  echo $turnwright_line >&3
  (
    exec 3>&-
    cd "$ROOT/work/$turnwright_line" || exit 1
    LOG=$ROOT/logs/$turnwright_line
    export LOG
    . "$ROOT/lines/$turnwright_line"
  ) </dev/null >/dev/null 2>&1
done
`;

/** What is there before. */
const FILES = ['f1', 'f2', 'd/f3'];

/** For what lines left in the background. */
const SETTLE_MS = 100;

export async function runInShell(
  shell: 'bash' | 'dash',
  lines: readonly string[],
  {
    programs = PROGRAMS,
    seconds = 1,
    files = FILES,
    asFiles = false,
  }: {
    readonly programs?: readonly string[];
    /** What still runs after these is ended. */
    readonly seconds?: number;
    readonly files?: readonly string[];
    /** Each program is a process, also where the shell would run it by itself. */
    readonly asFiles?: boolean;
  } = {},
): Promise<readonly Outcome[]> {
  const root = mkdtempSync(join(tmpdir(), 'turnwright-shells-'));
  try {
    const bin = join(root, 'bin');
    for (const folder of ['bin', 'lines', 'logs', 'work']) mkdirSync(join(root, folder));
    for (const name of TOOLS.filter((tool) => !programs.includes(tool)))
      symlinkSync(pathOf(name) ?? '/bin/false', join(bin, name));
    const dash = pathOf('dash') ?? '/bin/sh';
    symlinkSync(dash, join(bin, 'sh'));
    const code = (name: string) => (name === 'omega' ? 1 : 0);
    for (const name of programs) {
      const note = `m="${name}"; for a; do m="$m␟$a"; done; printf '%s␞\\n' "$m" >> "$LOG"`;
      writeFileSync(join(bin, name), `#!${dash}\n${note}\nexit ${code(name)}\n`, { mode: 0o755 });
    }
    writeFileSync(
      join(root, 'functions'),
      programs.map((name) => `${name}() { turnwright_note ${name} "$@"; return ${code(name)}; }\n`).join(''),
    );
    for (const [i, line] of lines.entries()) {
      const folder = join(root, 'work', String(i + 1));
      mkdirSync(join(folder, 'd'), { recursive: true });
      for (const file of files) writeFileSync(join(folder, file), 'x\n');
      writeFileSync(join(root, 'lines', String(i + 1)), line);
    }
    writeFileSync(join(root, 'runner'), RUNNER);
    await run(shell, root, seconds, {
      PATH: bin,
      ROOT: root,
      LINES_TO_RUN: String(lines.length),
      LC_ALL: 'C.UTF-8',
      AS_FILES: asFiles ? 'yes' : '',
    });
    await new Promise((done) => setTimeout(done, SETTLE_MS));
    return lines.map((_, i) => ({
      ran: programsIn(textOf(join(root, 'logs', String(i + 1)))),
      made: readdirSync(join(root, 'work', String(i + 1)), { recursive: true })
        .map(String)
        .filter((name) => name !== 'd' && !files.includes(name)),
    }));
  } finally {
    endAll(leftIn(root));
    rmSync(root, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Runs all lines. One that keeps the shell for so many seconds is ended, with what it started. */
async function run(
  shell: string,
  root: string,
  seconds: number,
  env: Readonly<Record<string, string>>,
): Promise<void> {
  const child = spawn(pathOf(shell) ?? shell, [join(root, 'runner')], {
    env,
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    detached: true,
  });
  let begunMs = Date.now();
  child.stdio[3]?.on('data', () => {
    begunMs = Date.now();
  });
  const watch = setInterval(() => {
    if (Date.now() - begunMs > 1000 * seconds) endAll(startedBy(child.pid));
  }, WATCH_MS);
  try {
    await new Promise<void>((done, failed) => {
      child.on('error', failed);
      child.on('exit', () => done());
    });
  } finally {
    clearInterval(watch);
  }
}

const WATCH_MS = 200;

const pids = (): readonly number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);

/** What a process started, and what that started. */
function startedBy(first: number | undefined): ReadonlySet<number> {
  const parents = new Map(
    pids().map((pid) => [pid, Number(/^.*\) \S (\d+)/s.exec(textOf(`/proc/${pid}/stat`))?.[1])]),
  );
  const found = new Set(first === undefined ? [] : [first]);
  for (const parent of found) for (const [pid, its] of parents) if (its === parent) found.add(pid);
  found.delete(first ?? 0);
  return found;
}

/**
 * A loop that a line left behind would run for ever. It has the runner's environment, or a part of it, or it is in the
 * line's folder.
 */
function leftIn(root: string): readonly number[] {
  return pids().filter(
    (pid) => textOf(`/proc/${pid}/environ`).includes(root) || linkOf(`/proc/${pid}/cwd`).includes(root),
  );
}

function endAll(some: Iterable<number>): void {
  for (const pid of some)
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
}

const orNothing =
  (look: (path: string) => string) =>
  (path: string): string => {
    try {
      return look(path);
    } catch {
      return '';
    }
  };
const textOf = orNothing((path) => readFileSync(path, 'utf8'));
const linkOf = orNothing(readlinkSync);

function programsIn(log: string): readonly (readonly string[])[] {
  return log
    .split('␞\n')
    .filter((note) => note !== '')
    .map((note) => note.split('␟'));
}
