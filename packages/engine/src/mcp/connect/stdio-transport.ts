/**
 * Messages as lines over the standard streams of a child process in a process group of its own: everything
 * that a server starts ends with it. Buffers are bounded (T117).
 */

import { isTooDeep, TOO_DEEP } from '@turnwright/base/bounded-json.ts';
import { standingFolder } from '@turnwright/base/files/standing-folder.ts';
import { isRecord, withoutLineSeparators } from '@turnwright/base/json-values.ts';
import { type ProcessGroup, spawnGroup } from '@turnwright/base/process/process-tree.ts';
import { cleanText } from '@turnwright/base/text/clean-text.ts';
import type { Isolate, Launch } from '../../protocol/tools/isolation.ts';
import type { MessageTransport } from './json-line.ts';
import type { JsonRpcMessage } from './json-rpc.ts';

interface StdioServer {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The complete environment. */
  readonly env: Readonly<Record<string, string>>;
  /** undefined: it runs as any program does. */
  readonly isolate: Isolate | undefined;
}

export interface StdioTransport extends MessageTransport {
  /** How the process ended by itself, with the end of its stderr; undefined while it runs, or if closed. */
  readonly epitaph: string | undefined;
  /** It was stopped because of what it wrote. */
  readonly wasStopped: boolean;
}

/** Maximum bytes of one message. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;
const STDERR_SHOWN_CHARS = 500;
/** From SIGTERM to SIGKILL, ms: within the time limit of a session's end. */
const END_GRACE_MS = 80;
/** Time for which the pipes of an ended process are read, in ms. */
const DRAIN_MS = 50;
/** Time that a process may take to exit after its output has ended, in ms. */
const EXIT_MS = 250;

export function createStdioTransport(server: StdioServer): StdioTransport {
  let launch: Launch | undefined;
  let group: ProcessGroup | undefined;
  let epitaph: string | undefined;
  let stderr = '';
  let closed = false;
  let wasStopped = false;
  const stop = (why: string) => {
    wasStopped ||= !closed;
    void finish(why);
  };

  const transport: StdioTransport = {
    get epitaph() {
      return epitaph;
    },
    get wasStopped() {
      return wasStopped;
    },
    async start() {
      const { command: program, args, env, isolate } = server;
      const outside: Launch = { program, args, cwd: standingFolder(server.cwd), env };
      const isolated = isolate === undefined ? outside : await isolate(outside);
      if (closed) {
        await isolated.release?.();
        throw new Error('The server was closed before it was started.');
      }
      launch = isolated;
      const started = spawnGroup(launch.program, launch.args, { ...launch, stdin: 'pipe' });
      group = started;
      started.stderr?.setEncoding('utf8').on('data', (text: string) => {
        stderr = (stderr + text).slice(-STDERR_SHOWN_CHARS);
      });
      // The server ended during a write, which is reported below.
      started.stdin?.on('error', () => {});
      const drained = new Promise<void>((resolve) => started.stdout?.once('end', resolve));
      const lines = lineReader(
        (line) => {
          if (isTooDeep(line)) stop(`wrote a message that is ${TOO_DEEP}`);
          else receive(line, transport);
        },
        () => stop(`wrote more than ${MAX_LINE_BYTES / 1024 / 1024} MB without a line's end`),
      );
      started.stdout?.on('data', lines);
      // A server that closes its stdout cannot answer any more; most exit right after.
      void drained.then(() => pause(EXIT_MS)).then(() => finish('closed its output'));
      void started.ended.then(async (end) => {
        await Promise.race([drained, pause(DRAIN_MS)]);
        await finish(
          end.kind === 'not_started'
            ? `could not be started: ${end.error.message}`
            : end.signal !== null
              ? `was ended by ${end.signal}`
              : `exited with code ${end.code}`,
        );
      });
      if (started.pid === undefined) {
        const end = await started.ended;
        throw end.kind === 'not_started' ? end.error : new Error('The process could not be started.');
      }
    },
    async send(message) {
      const stdin = group?.stdin;
      if (closed || stdin === undefined || stdin.destroyed) throw new Error('The server is not running.');
      if (!stdin.write(`${withoutLineSeparators(JSON.stringify(message))}\n`)) {
        await new Promise<void>((resolve) => {
          stdin.once('drain', resolve);
          stdin.once('close', resolve);
        });
      }
    },
    async close() {
      await finish(undefined);
    },
  };

  /** undefined: it is closed by us. */
  async function finish(how: string | undefined): Promise<void> {
    const first = !closed;
    closed = true;
    if (first) {
      const said = cleanText(stderr.trim(), STDERR_SHOWN_CHARS);
      epitaph = how === undefined || said === '' ? how : `${how}; its last words: ${said}`;
      group?.stdin?.end();
      group?.stdout?.removeAllListeners('data').resume();
    }
    await group?.end(END_GRACE_MS);
    await launch?.release?.();
    if (first) transport.onclose?.();
  }

  return transport;
}

/**
 * Splits bytes into lines, so that characters across chunks are intact. Calls `onOverflow` once and then
 * ignores input.
 */
function lineReader(onLine: (line: string) => void, onOverflow: () => void): (chunk: Buffer) => void {
  let parts: Buffer[] = [];
  let length = 0;
  let over = false;
  return (chunk) => {
    let rest = chunk;
    while (!over) {
      const at = rest.indexOf(0x0a);
      if (at < 0) break;
      const line = Buffer.concat([...parts, rest.subarray(0, at)]).toString('utf8');
      parts = [];
      length = 0;
      rest = rest.subarray(at + 1);
      onLine(line);
    }
    if (over || rest.length === 0) return;
    parts.push(rest);
    length += rest.length;
    if (length <= MAX_LINE_BYTES) return;
    over = true;
    parts = [];
    onOverflow();
  };
}

/** Lines that are not messages are ignored: servers print banners. */
function receive(line: string, transport: MessageTransport): void {
  if (!line.startsWith('{') && !line.trimStart().startsWith('{')) return;
  let message: unknown;
  try {
    message = JSON.parse(line);
  } catch {
    return;
  }
  if (!isRecord(message) || message['jsonrpc'] !== '2.0') return;
  transport.onmessage?.(withObjectResult(message) as unknown as JsonRpcMessage);
}

/** The protocol requires an object; other values of a server are wrapped (F83). */
function withObjectResult(message: Record<string, unknown>): Record<string, unknown> {
  if (!('result' in message) || isRecord(message['result'])) return message;
  const { result } = message;
  return { ...message, result: result === null ? {} : { toolResult: result } };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
