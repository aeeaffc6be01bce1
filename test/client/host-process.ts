/** The built command line and a program that drives it, as clients in any language do: lines of JSON both ways. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

export const BIN =
  process.env['TURNWRIGHT_BIN'] ?? fileURLToPath(new URL('../../dist/bin/turnwright', import.meta.url));

export type Fields = Readonly<Record<string, unknown>>;
export type Line = Fields & { readonly type: string; readonly subtype?: string };

export interface HostProcess {
  readonly child: ChildProcessWithoutNullStreams;
  /** Everything that came back, in order. */
  readonly lines: readonly Line[];
  readonly stderr: () => string;
  readonly exit: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
  say(line: object): void;
  prompt(content: string, more?: object): void;
  /** Sends a control request and gives its response: subtype, and payload or sentence. */
  ask(subtype: string, fields?: object): Promise<Fields>;
  /** The first line, past or to come, that `fits`. Rejects when the process ends without one. */
  until(fits: (line: Line) => boolean): Promise<Line>;
  end(): void;
}

export interface HostProcessOptions {
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly env: Readonly<Record<string, string>>;
  /** Answers a request of the engine; undefined: not at all. */
  readonly onRequest?: (request: Fields) => object | undefined;
}

export const STREAM = ['--output-format', 'stream-json', '--verbose', '--input-format', 'stream-json'];

export const temporary = () => mkdtempSync(join(tmpdir(), 'turnwright-host-'));

/** What points it at a rehearsal, with a home of its own. */
export function envFor(server: { readonly url: string }, more: Readonly<Record<string, string>> = {}) {
  const home = temporary();
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    CLAUDE_CONFIG_DIR: join(home, '.claude'),
    ANTHROPIC_BASE_URL: server.url,
    ANTHROPIC_API_KEY: 'sk-test',
    ...more,
  };
}

export function startProcess(options: HostProcessOptions): HostProcess {
  const child = spawn(BIN, [...options.args], { cwd: options.cwd ?? temporary(), env: options.env });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines: Line[] = [];
  const watchers = new Set<() => void>();
  let stderr = '';
  let rest = '';
  let ended = false;
  let asked = 0;
  const look = () => {
    for (const watch of watchers) watch();
  };
  const take = (line: Line) => {
    lines.push(line);
    if (line.type === 'control_request') {
      const response = options.onRequest?.(line['request'] as Fields);
      if (response !== undefined) {
        const request_id = line['request_id'];
        host.say({ type: 'control_response', response: { subtype: 'success', request_id, response } });
      }
    }
  };
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const parts = `${rest}${text}`.split('\n');
    rest = parts.pop() ?? '';
    for (const part of parts) if (part !== '') take(JSON.parse(part) as Line);
    look();
  });
  child.stdin.on('error', () => undefined);
  const exit = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.once('close', (code, signal) => {
      ended = true;
      look();
      resolve({ code, signal });
    });
  });
  const host: HostProcess = {
    child,
    lines,
    stderr: () => stderr,
    exit,
    say: (line) => void child.stdin.write(`${JSON.stringify(line)}\n`),
    prompt: (content, more = {}) =>
      host.say({ type: 'user', message: { role: 'user', content }, parent_tool_use_id: null, ...more }),
    async ask(subtype, fields = {}) {
      asked += 1;
      const request_id = `r${asked}`;
      host.say({ type: 'control_request', request_id, request: { subtype, ...fields } });
      const line = await host.until((each) => (each['response'] as Fields)?.['request_id'] === request_id);
      return line['response'] as Fields;
    },
    until: (fits) =>
      new Promise((resolve, reject) => {
        const watch = () => {
          const found = lines.find(fits);
          if (found === undefined && !ended) return;
          watchers.delete(watch);
          if (found === undefined) reject(new Error(`It ended without such a line. ${stderr}`));
          else resolve(found);
        };
        watchers.add(watch);
        watch();
      }),
    end: () => void child.stdin.end(),
  };
  return host;
}

export const isResult = (line: Line): boolean => line.type === 'result';
export const isA =
  (type: string, subtype?: string) =>
  (line: Line): boolean =>
    line.type === type && (subtype === undefined || line.subtype === subtype);
