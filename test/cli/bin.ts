/** Runs the built command line as a person's shell would. Needs `npm run build`. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type RehearsalServer, type ScriptedReply, startRehearsal } from '@turnwright/testing/rehearsal';
import { onTestFinished } from 'vitest';

export const BIN = fileURLToPath(new URL('../../dist/bin/turnwright', import.meta.url));

export interface Ran {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  /** On top of a bare environment with a configuration home of its own. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Default: the built one of this repository. */
  readonly bin?: string;
  /** Piped in; default: an empty stdin. */
  readonly input?: string;
  /** Told the child at once. */
  onStart?(child: ChildProcess): void;
  /** Told the child and everything on stdout so far, whenever something comes. */
  onStdout?(child: ChildProcess, soFar: string): void;
}

export function temporaryFolder(): string {
  return mkdtempSync(join(tmpdir(), 'turnwright-cli-'));
}

export function bareEnv(more: Readonly<Record<string, string>> = {}): Record<string, string> {
  const { PATH = '', TMPDIR } = process.env;
  const home = temporaryFolder();
  return {
    PATH,
    HOME: home,
    TURNWRIGHT_HOME: join(home, 'config'),
    ...(TMPDIR !== undefined && { TMPDIR }),
    ...more,
  };
}

export function turnwright(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  if (!existsSync(BIN)) throw new Error('There is no dist/bin/turnwright: npm run build');
  const child = spawn(process.execPath, [options.bin ?? BIN, ...args], {
    cwd: options.cwd ?? temporaryFolder(),
    env: bareEnv(options.env),
    stdio: [options.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  child.stdin?.on('error', () => undefined); // it may leave before it has read all
  child.stdin?.end(options.input);
  options.onStart?.(child);
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    options.onStdout?.(child, stdout);
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
}

/** A model that says this, for as long as the test runs. */
export async function rehearse(...replies: readonly ScriptedReply[]): Promise<RehearsalServer> {
  const starting = startRehearsal({ scenario: { name: 'command line', replies } });
  // Before anything is awaited: later, another test may be the current one.
  onTestFinished(async () => (await starting).close());
  return starting;
}

/** What points a child at a rehearsal. */
export function against(server: { readonly url: string }): Record<string, string> {
  return { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'sk-test-secret' };
}
