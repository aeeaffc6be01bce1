/** A program in a real terminal: tmux, with a history, whose window the test resizes. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

export const hasTmux = spawnSync('tmux', ['-V']).status === 0;

export interface Tmux {
  resize(columns: number, rows: number): void;
  /** As `tmux send-keys` names them: `Enter`, `C-c`, or text. */
  keys(...keys: readonly string[]): void;
  /** Text as it is, without names of keys. */
  type(text: string): void;
  /** Types a line at a prompt and, once the window shows its end, enters it. */
  enter(text: string): Promise<void>;
  /** Rows of the window. */
  screen(): string[];
  /** History and window; lines that the terminal has wrapped are joined. */
  history(): string[];
  /** Column and row of the cursor, from 0. */
  cursor(): { readonly column: number; readonly row: number };
  /** Every byte that the program wrote since `start`. */
  raw(): string;
  /** Waits until the history has this text. */
  until(text: string): Promise<void>;
  /** Waits until the window has this text. */
  seen(text: string): Promise<void>;
  /** Waits until the window lacks this text. */
  gone(text: string): Promise<void>;
  /** Waits until the shell asks for a command: the terminal echoes earlier input in between what is printed. */
  prompted(): Promise<void>;
  /** Value of a format, `#{pane_dead}` for example. */
  ask(format: string): string;
  /** Before the end of the test, which ends it otherwise. */
  end(): void;
}

interface Start {
  readonly columns?: number;
  readonly rows?: number;
  readonly env?: Readonly<Record<string, string>>;
}

const WAIT_STEP_MS = 30;
/** How often the window is looked at although nothing was written, or something is written all the time. */
const WAIT_AT_MOST_MS = 300;
/** Longer than the burst rule of the input, which takes fast keys for a paste. */
const TYPING_MS = 120;
/** Of an entered line, what is waited for: more of it may not be in the window. */
const TAIL_CHARS = 12;
const withoutBlanks = (text: string) => text.replaceAll(/\s/g, '');
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/** Types `command` at a shell; ends with the test. */
export async function inTmux(
  command: readonly string[],
  { columns = 80, rows = 24, env = {} }: Start = {},
): Promise<Tmux> {
  const folder = mkdtempSync(join(tmpdir(), 'turnwright-tmux-'));
  const socket = join(folder, 'socket');
  const raw = join(folder, 'raw');
  const script = join(folder, 'run.sh');
  const profile = join(folder, 'profile');
  const config = join(folder, 'tmux.conf');
  const run = (...args: string[]) =>
    execFileSync('tmux', ['-S', socket, '-f', config, ...args], { encoding: 'utf8', env: TMUX_ENV });
  writeFileSync(raw, '');
  writeFileSync(config, 'set -g history-limit 60000\n');
  // What the shell runs before its first prompt; no program inherits the variable.
  writeFileSync(profile, 'unset ENV\necho text of the shell; seq 1 5\n');
  const settings = Object.entries(env).map(([name, value]) => `export ${name}=${quoted(value)}`);
  writeFileSync(script, [...settings, `exec ${command.map(quoted).join(' ')}`].join('\n'));
  const shell = `PS1="$ " ENV=${quoted(profile)} exec sh`;
  run(
    ...['new-session', '-d', '-x', `${columns}`, '-y', `${rows}`, shell, ';'],
    // The server of tmux 3.3 does not survive this setting before its first window.
    ...['set', '-g', 'window-size', 'manual', ';', 'resize-window', '-x', `${columns}`, '-y', `${rows}`, ';'],
    ...['pipe-pane', '-o', `exec cat >> ${quoted(raw)}`],
  );
  const end = () => void spawnSync('tmux', ['-S', socket, 'kill-server']);
  onTestFinished(end);
  const lines = (...args: string[]) =>
    run('capture-pane', '-p', ...args)
      .replace(/\n$/, '')
      .split('\n');
  const has = (rows: readonly string[], text: string) => rows.some((row) => row.includes(text));
  /** Each look starts a program: one is worth it when something was written, and nothing more since. */
  const wait = async (isSo: () => boolean) => {
    for (;;) {
      const { size } = statSync(raw);
      if (isSo()) return;
      let last = size;
      for (let waited = 0; waited < WAIT_AT_MOST_MS; waited += WAIT_STEP_MS) {
        await pause(WAIT_STEP_MS);
        const now = statSync(raw).size;
        if (now !== size && now === last) break;
        last = now;
      }
    }
  };
  const terminal: Tmux = {
    resize: (width, height) => void run('resize-window', '-x', `${width}`, '-y', `${height}`),
    keys: (...keys) => void run('send-keys', ...keys),
    type: (text) => void run('send-keys', '-l', '--', text),
    async enter(text) {
      terminal.type(text);
      // Where the prompt wraps, there are blanks.
      const end = withoutBlanks(text).slice(-TAIL_CHARS);
      await wait(() => withoutBlanks(lines().join('').split('›').at(-1) ?? '').includes(end));
      await pause(TYPING_MS);
      terminal.keys('Enter');
      await pause(TYPING_MS);
    },
    screen: () => lines(),
    history: () => lines('-J', '-S', '-'),
    cursor() {
      const [column = 0, row = 0] = terminal.ask('#{cursor_x} #{cursor_y}').split(' ').map(Number);
      return { column, row };
    },
    raw: () => readFileSync(raw).subarray(before).toString(),
    until: (text) => wait(() => has(terminal.history(), text)),
    seen: (text) => wait(() => has(terminal.screen(), text)),
    gone: (text) => wait(() => !has(terminal.screen(), text)),
    prompted: () => wait(() => lines().findLast((row) => row !== '') === '$'),
    ask: (format) => run('display-message', '-p', format).trimEnd(),
    end,
  };
  while (!readFileSync(raw, 'utf8').endsWith('$ ')) await pause(5);
  const before = statSync(raw).size;
  run('send-keys', '-l', '--', `sh ${script}; echo ended with $?`, ';', 'send-keys', 'Enter');
  return terminal;
}

const TMUX_ENV = { PATH: process.env['PATH'] ?? '', HOME: tmpdir(), LANG: 'C.UTF-8', SHELL: '/bin/sh' };

export const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
