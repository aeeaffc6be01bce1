/** A host at the other end of a control session: pushes lines, sees what comes back, answers what it is asked. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import type { Options } from '@turnwright/engine';
import type { RehearsalServer } from '@turnwright/testing/rehearsal';
import { runControlSession } from '../../packages/cli/src/control/control-session.ts';

export type Line = Readonly<Record<string, unknown>> & { readonly type: string };
type Fields = Readonly<Record<string, unknown>>;

export interface Host {
  readonly stdin: PassThrough;
  /** Everything that came back, in order. */
  readonly lines: readonly Line[];
  /** Exit code, or what it was rejected with. */
  readonly ended: Promise<number>;
  say(line: object): void;
  prompt(text: string, more?: object): void;
  /** Sends a control request and gives its response. */
  ask(subtype: string, fields?: object): Promise<Fields>;
  /** Resolves with the first line, past or to come, that `fits`. */
  until(fits: (line: Line) => boolean): Promise<Line>;
  end(): void;
}

export interface HostOptions {
  readonly options?: Options;
  readonly asksHost?: boolean;
  readonly echoesAnswers?: boolean;
  /** Answers a request of the engine; undefined: not yet. */
  onRequest?(request: Fields & { readonly subtype: string }, id: string): object | undefined;
}

const NO_SIGNALS = {
  interrupted: false,
  leaving: false,
  attach: () => () => {},
  depart: async () => {},
  raiseInterrupt() {},
  stop() {},
};

export function startHost(server: RehearsalServer, given: HostOptions = {}): Host {
  const stdin = new PassThrough();
  const lines: Line[] = [];
  const watchers: (() => unknown)[] = [];
  let asked = 0;
  const host: Omit<Host, 'ended'> = {
    stdin,
    lines,
    say: (line) => void stdin.write(`${JSON.stringify(line)}\n`),
    prompt: (content, more = {}) =>
      host.say({ type: 'user', message: { role: 'user', content }, parent_tool_use_id: null, ...more }),
    async ask(subtype, fields = {}) {
      asked += 1;
      const request_id = `r${asked}`;
      host.say({ type: 'control_request', request_id, request: { subtype, ...fields } });
      const line = await host.until((l) => responseOf(l)?.['request_id'] === request_id);
      return responseOf(line) ?? {};
    },
    until: (fits) =>
      new Promise((resolve) => {
        const look = () => {
          const found = lines.find(fits);
          if (found !== undefined) resolve(found);
          return found !== undefined;
        };
        if (!look()) watchers.push(look);
      }),
    end: () => void stdin.end(),
  };
  const ended = runControlSession({
    options: {
      cwd: mkdtempSync(join(tmpdir(), 'turnwright-control-')),
      env: { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'k', PATH: process.env['PATH'] },
      ...given.options,
    },
    asksHost: given.asksHost === true,
    echoesAnswers: given.echoesAnswers === true,
    stdin,
    signals: NO_SIGNALS,
    write: async (text) => {
      const line = JSON.parse(text) as Line;
      lines.push(line);
      for (const look of watchers) look();
      if (line.type !== 'control_request') return;
      const id = String(line['request_id']);
      const response = given.onRequest?.(line['request'] as Fields & { subtype: string }, id);
      if (response !== undefined) {
        host.say({ type: 'control_response', response: { subtype: 'success', request_id: id, response } });
      }
    },
  });
  return { ...host, ended };
}

export function responseOf(line: Line): Fields | undefined {
  return line.type === 'control_response' ? (line['response'] as Fields) : undefined;
}

/** Type and subtype of a line, as one word. */
export function nameOf(line: Line): string {
  const { subtype } = line;
  return subtype === undefined ? line.type : `${line.type}/${String(subtype)}`;
}
