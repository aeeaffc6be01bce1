/** A running language server: its process, and requests in both directions. */

import { standingFolder } from '@turnwright/base/files/standing-folder.ts';
import { isRecord } from '@turnwright/base/json-values.ts';
import { type ProcessGroup, spawnGroup } from '@turnwright/base/process/process-tree.ts';
import { errorText } from '@turnwright/base/text/error-text.ts';
import type { Clock } from '../protocol/ports.ts';
import type { Isolate, Launch } from '../protocol/tools/isolation.ts';
import { frameMessage, type LspMessage, readFrames } from './message-frames.ts';

interface LinkOptions {
  readonly launch: Launch;
  /** undefined: it runs as any program does. */
  readonly isolate: Isolate | undefined;
  readonly clock: Clock;
  /** Answers a request of the server; undefined: there is no such method. */
  answer(method: string, params: unknown): unknown;
  hear(method: string, params: unknown): void;
}

export interface LanguageLink {
  /** Rejects with the server's error, when it ended, on abort, and after `limitMs`. */
  ask(method: string, params: unknown, until: AskLimits): Promise<unknown>;
  /** Never rejects. */
  say(method: string, params: unknown): void;
  /** Why it ended; undefined while it runs. */
  readonly epitaph: string | undefined;
  /** Resolves when it has ended. */
  readonly ended: Promise<string>;
  /** Never rejects. */
  close(): Promise<void>;
}

interface AskLimits {
  readonly limitMs: number;
  readonly signal?: AbortSignal | undefined;
}

const METHOD_NOT_FOUND = -32_601;
/** From SIGTERM to SIGKILL, ms: within the time limit of a session's end. */
const END_GRACE_MS = 80;
const STDERR_SHOWN_CHARS = 300;
/** Bytes that wait because the server does not read. */
const MAX_UNREAD_BYTES = 32 * 1024 * 1024;
/** More than this within the window is a flood. */
const FLOOD = { windowMs: 10_000, messages: 20_000, bytes: 64 * 1024 * 1024 };

/** Rejects when the program cannot be started. */
export async function startLink({
  launch: outside,
  isolate,
  clock,
  answer,
  hear,
}: LinkOptions): Promise<LanguageLink> {
  const asked = new Map<number, (message: LspMessage | Error) => void>();
  let count = 0;
  let stderr = '';
  let epitaph: string | undefined;
  let tellEnd: (why: string) => void = () => {};
  const ended = new Promise<string>((resolve) => {
    tellEnd = resolve;
  });
  const launch = await (isolate ?? (async (same) => same))({ ...outside, cwd: standingFolder(outside.cwd) });
  const group: ProcessGroup = spawnGroup(launch.program, launch.args, { ...launch, stdin: 'pipe' });

  let finishing: Promise<void> | undefined;
  const finish = (why: string): Promise<void> => {
    finishing ??= (async () => {
      const said = stderr.trim().replaceAll(/\s+/g, ' ');
      epitaph = said === '' ? why : `${why}; its last words: ${said}`;
      for (const settle of [...asked.values()]) settle(new Error(`it ${epitaph}`));
      asked.clear();
      group.stdin?.end();
      group.stdout?.removeAllListeners('data').resume();
      tellEnd(epitaph);
      await group.end(END_GRACE_MS);
      await launch.release?.();
    })();
    return finishing;
  };
  const send = (message: LspMessage): void => {
    const { stdin } = group;
    if (epitaph !== undefined || stdin === undefined || stdin.destroyed) return;
    stdin.write(frameMessage(message));
    if (stdin.writableLength > MAX_UNREAD_BYTES) void finish('does not read what it is sent');
  };
  const receive = (message: LspMessage): void => {
    const { id, method, params } = message;
    if (method === undefined) {
      const settle = asked.get(Number(id));
      asked.delete(Number(id));
      settle?.(message);
    } else if (id === undefined || id === null) hear(method, params);
    else {
      const result = answer(method, params);
      const error = { code: METHOD_NOT_FOUND, message: `Method not found: ${method}` };
      send({ id, ...(result === undefined ? { error } : { result }) });
    }
  };
  listenTo(group, clock, {
    onMessage: (message) => {
      if (epitaph === undefined) receive(message);
    },
    onProblem: (why) => void finish(why),
  });
  group.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-STDERR_SHOWN_CHARS);
  });
  // The server ended during a write, which is reported below.
  group.stdin?.on('error', () => {});
  void group.ended.then((end) =>
    finish(
      end.kind === 'not_started'
        ? `could not be started: ${end.error.message}`
        : end.signal === null
          ? `exited with code ${end.code}`
          : `was ended by ${end.signal}`,
    ),
  );
  if (group.pid === undefined) {
    const end = await group.ended;
    await finish(end.kind === 'not_started' ? `could not be started: ${end.error.message}` : 'did not start');
    throw new Error(`it ${epitaph}`);
  }
  group.guard();

  return {
    ended,
    get epitaph() {
      return epitaph;
    },
    say: (method, params) => send({ method, params }),
    ask(method, params, until) {
      if (epitaph !== undefined) return Promise.reject(new Error(`it ${epitaph}`));
      count += 1;
      return askOnce({ id: count, method, params }, until, { asked, clock, send });
    },
    async close() {
      // The protocol's way to leave; what does not go is ended.
      send({ id: 'shutdown', method: 'shutdown' });
      send({ method: 'exit' });
      await finish('was closed');
    },
  };
}

/** Reads what the server writes, as long as it is not too much. */
function listenTo(
  { stdout }: Pick<ProcessGroup, 'stdout'>,
  clock: Pick<Clock, 'monotonicMs'>,
  {
    onMessage,
    onProblem,
  }: { readonly onMessage: (message: LspMessage) => void; readonly onProblem: (why: string) => void },
): void {
  const isFlood = floodGuard(clock);
  const frames = readFrames((message) => {
    if (isFlood(0)) onProblem('wrote too many messages');
    else onMessage(message);
  }, onProblem);
  stdout?.on('data', (chunk: Buffer) => {
    if (isFlood(chunk.length)) onProblem('wrote too much');
    else frames(chunk);
  });
}

interface AskPorts {
  /** What waits for an answer, by id. */
  readonly asked: Map<number, (outcome: LspMessage | Error) => void>;
  readonly clock: Pick<Clock, 'timer'>;
  send(message: LspMessage): void;
}

function askOnce(
  request: { readonly id: number; readonly method: string; readonly params: unknown },
  { limitMs, signal }: AskLimits,
  { asked, clock, send }: AskPorts,
): Promise<unknown> {
  const { id, method } = request;
  return new Promise((resolve, reject) => {
    const settle = (outcome: LspMessage | Error) => {
      asked.delete(id);
      cancel();
      signal?.removeEventListener('abort', onAbort);
      if (outcome instanceof Error) reject(outcome);
      else if (outcome.error === undefined) resolve(outcome.result);
      else reject(new Error(describeError(outcome.error)));
    };
    const giveUp = (why: Error) => {
      send({ method: '$/cancelRequest', params: { id } });
      settle(why);
    };
    const onAbort = () => giveUp(new Error('it was interrupted'));
    const cancel = clock.timer(limitMs, () =>
      giveUp(new Error(`it gave no answer to ${method} within ${limitMs} ms`)),
    );
    asked.set(id, settle);
    signal?.addEventListener('abort', onAbort, { once: true });
    if (signal?.aborted === true) onAbort();
    else send(request);
  });
}

function describeError(error: unknown): string {
  const { message } = isRecord(error) ? error : { message: error };
  return typeof message === 'string' ? `it answered: ${message}` : errorText(error);
}

function floodGuard(clock: Pick<Clock, 'monotonicMs'>): (bytes: number) => boolean {
  let sinceMs = clock.monotonicMs();
  let seen = { messages: 0, bytes: 0 };
  return (bytes) => {
    const now = clock.monotonicMs();
    if (now - sinceMs > FLOOD.windowMs) {
      sinceMs = now;
      seen = { messages: 0, bytes: 0 };
    }
    seen = { messages: seen.messages + (bytes === 0 ? 1 : 0), bytes: seen.bytes + bytes };
    return seen.messages > FLOOD.messages || seen.bytes > FLOOD.bytes;
  };
}
