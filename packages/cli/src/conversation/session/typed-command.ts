/** `!command`: runs a command of the person's own in their shell, and reports what it wrote. */
import { type ChildProcess, spawn } from 'node:child_process';
import { isGone, standingFolder } from '@turnwright/base/files/standing-folder.ts';
import { terminalText } from '@turnwright/base/process/terminal-text.ts';
import { newlinesIn, takeEnd } from '@turnwright/base/text/cut-text.ts';
import type { Env } from '../../world.ts';

export interface ShellRun {
  /** Ends the command and what it started: by SIGTERM, and by SIGKILL after two seconds. */
  stop(): void;
  readonly ended: Promise<TypedCommandEnd>;
}

export interface TypedCommandEnd {
  /** undefined: a signal ended it, or it did not start. */
  readonly code: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
  /** Why it did not start. */
  readonly error?: string;
  /** It had the terminal to itself: what it wrote is not known. */
  readonly isOnTerminal?: true;
}

interface ShellOptions {
  readonly command: string;
  readonly cwd: string;
  readonly env: Env;
  /** Called with the end of both streams so far, in the order of their output, several times a second. */
  onOutput(tail: string, totalLines: number): void;
  /** Gives the terminal to a program that takes keys. Default: such programs are not started. */
  readonly lend?: (<T>(use: () => Promise<T>) => Promise<T>) | undefined;
}

/** More than the model should read; the rest is counted. */
const MAX_CHARS = 100_000;
const KILL_AFTER_MS = 2_000;
/** Of the output, for progress. */
const TAIL_CHARS = 2_048;
const TELL_EVERY_MS = 200;

export function runShell(options: ShellOptions): ShellRun {
  const { command, cwd, lend } = options;
  if (isGone(cwd) && !/^\s*cd\s+["']?[/~$]/.test(command))
    return notStarted(
      `The folder ${cwd} no longer exists, so the command did not run. Let it begin with cd, for example: cd ${standingFolder(cwd)} && …`,
    );
  const program = findKeyTaker(command);
  if (program === undefined) return startShell(options);
  if (lend !== undefined) return startOnTerminal(options, lend);
  return notStarted(
    `${program} was not started: commands behind ! have no terminal here, so programs that take keys do not work. Use another terminal window for it.`,
  );
}

function notStarted(error: string): ShellRun {
  return { stop() {}, ended: Promise.resolve({ code: undefined, stdout: '', stderr: '', error }) };
}

/** Programs that draw on a terminal, and wait for keys without end where there is none. */
const NEEDS_TERMINAL = new Set(
  'vi vim nvim view vimdiff nvimdiff nano pico micro hx helix kak joe mcedit emacs htop btop top tmux screen mc ranger nnn lf lazygit tig gitui k9s fzf dialog whiptail ncdu'.split(
    ' ',
  ),
);
/** Flags with which they do their work without a terminal. */
const WITHOUT_TERMINAL =
  /\s(?:-b\w*|-[eE]s|-s|-f|--batch|--headless|--version|--help|-V|-h|ls|kill-\w+|new -d)(?:\s|$)/;

/** A program of the command that takes keys; undefined: there is none. */
function findKeyTaker(command: string): string | undefined {
  return command
    .split(/[;&|\n]+/)
    .filter((part) => !WITHOUT_TERMINAL.test(part))
    .map((part) => /^\s*(?:\w+=\S*\s+|(?:sudo|command|exec|env)\s+)*([\w.-]+)/.exec(part)?.[1] ?? '')
    .find((name) => NEEDS_TERMINAL.has(name));
}

function startOnTerminal(
  { command, cwd, env }: ShellOptions,
  lend: NonNullable<ShellOptions['lend']>,
): ShellRun {
  let child: ChildProcess | undefined;
  const use = () =>
    new Promise<TypedCommandEnd>((resolve) => {
      const known = { stdout: '', stderr: '', isOnTerminal: true } as const;
      const options = { cwd: standingFolder(cwd), env: { ...env }, stdio: 'inherit' } as const;
      child = spawn(env['SHELL'] ?? '/bin/sh', ['-c', command], options);
      child.once('error', ({ message }) => resolve({ ...known, code: undefined, error: message }));
      child.once('close', (code) => resolve({ ...known, code: code ?? undefined }));
    });
  return { stop: () => void child?.kill(), ended: lend(use) };
}

function startShell({ command, cwd, env, onOutput }: ShellOptions): ShellRun {
  const shell = env['SHELL'] ?? '/bin/sh';
  // A group of its own, so that all of it can be ended, and Ctrl+C stays with the editor.
  const child = spawn(shell, ['-c', command], {
    cwd: standingFolder(cwd),
    env: { ...env },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const out = collector();
  const err = collector();
  let tail = '';
  let newlines = 0;
  let telling: NodeJS.Timeout | undefined;
  const tell = () => {
    telling = undefined;
    onOutput(tail, newlines + (tail.endsWith('\n') ? 0 : 1));
  };
  const listen = (stream: NodeJS.ReadableStream, into: { add(text: string): void }) => {
    stream.setEncoding('utf8').on('data', (text: string) => {
      into.add(text);
      tail = takeEnd(tail + text, TAIL_CHARS);
      newlines += newlinesIn(text);
      telling ??= setTimeout(tell, TELL_EVERY_MS);
    });
  };
  listen(child.stdout, out);
  listen(child.stderr, err);
  const signal = (name: NodeJS.Signals) => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, name);
    } catch {
      // It has ended.
    }
  };
  let timer: NodeJS.Timeout | undefined;
  return {
    stop() {
      signal('SIGTERM');
      timer ??= setTimeout(() => signal('SIGKILL'), KILL_AFTER_MS);
    },
    ended: new Promise((resolve) => {
      const settle = (end: Pick<TypedCommandEnd, 'code' | 'error'>) => {
        clearTimeout(timer);
        clearTimeout(telling);
        resolve({ stdout: out.text(), stderr: err.text(), ...end });
      };
      child.once('error', (error) => settle({ code: undefined, error: error.message }));
      child.once('close', (code) => settle({ code: code ?? undefined }));
    }),
  };
}

/** The beginning and the end of a long text. */
function collector(): { add(text: string): void; text(): string } {
  let head = '';
  let tail = '';
  let dropped = 0;
  return {
    add(text) {
      const room = MAX_CHARS / 2 - head.length;
      head += text.slice(0, Math.max(0, room));
      tail += text.slice(Math.max(0, room));
      if (tail.length <= MAX_CHARS) return;
      dropped += tail.length - MAX_CHARS / 2;
      tail = tail.slice(-MAX_CHARS / 2);
    },
    text() {
      if (dropped === 0) return head + tail;
      return `${head}\n… ${dropped} characters left out …\n${tail}`;
    },
  };
}

/** The command of a text that `shellPrompt` made; undefined: it is another one. */
export function parseShellPrompt(prompt: string): string | undefined {
  return /^<bash-input>([\s\S]*?)<\/bash-input>\n<bash-stdout>/.exec(prompt)?.[1];
}

/** The command and its output as the model reads them. */
export function shellPrompt(command: string, end: TypedCommandEnd): string {
  const { code, stdout, stderr, error, isOnTerminal = false } = end;
  const how = code === undefined ? 'ended by a signal' : `exit code ${code}`;
  const exit = error ?? (isOnTerminal ? `${how}; it had the terminal, its output is not known` : how);
  return [
    `<bash-input>${command}</bash-input>`,
    `<bash-stdout>${terminalText(stdout).trimEnd()}</bash-stdout>`,
    `<bash-stderr>${terminalText(stderr).trimEnd()}</bash-stderr>`,
    `<bash-exit>${exit}</bash-exit>`,
  ].join('\n');
}
