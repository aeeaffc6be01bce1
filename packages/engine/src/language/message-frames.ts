/** Messages of the Language Server Protocol: a header with the length, then JSON. Buffers are bounded. */

import { isTooDeep, readJsonObject, TOO_DEEP } from '@turnwright/base/bounded-json.ts';

/** Bytes of one message. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
const MAX_HEADER_BYTES = 8 * 1024;
const HEADER_END = '\r\n\r\n';

export interface LspMessage {
  readonly id?: string | number | null;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}

export function frameMessage(message: LspMessage): Buffer {
  const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message }));
  return Buffer.concat([Buffer.from(`Content-Length: ${body.length}${HEADER_END}`), body]);
}

/**
 * Takes what a server writes, and calls `onMessage` for each message. `onProblem` is called once, with the
 * end of a sentence that begins with the server; what follows is ignored.
 */
export function readFrames(
  onMessage: (message: LspMessage) => void,
  onProblem: (why: string) => void,
): (chunk: Buffer) => void {
  let parts: Buffer[] = [];
  let held = 0;
  /** Bytes of the body that comes next; undefined: its header is not complete. */
  let needed: number | undefined;
  let isOver = false;
  const fail = (why: string) => {
    isOver = true;
    parts = [];
    onProblem(why);
  };
  /** The next header or body; undefined: more must arrive first. */
  const next = (): Buffer | undefined => {
    if (needed !== undefined && held < needed) return undefined;
    const all = parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
    const end = needed ?? all.indexOf(HEADER_END);
    parts = [all];
    if (end < 0) return undefined;
    const rest = all.subarray(end + (needed === undefined ? HEADER_END.length : 0));
    parts = [rest];
    held = rest.length;
    return all.subarray(0, end);
  };
  return (chunk) => {
    if (isOver) return;
    parts.push(chunk);
    held += chunk.length;
    while (!isOver) {
      const found = next();
      if (found === undefined) {
        if (needed === undefined && held > MAX_HEADER_BYTES) fail('wrote something that is no message');
        return;
      }
      if (needed === undefined) {
        const length = Number(/^content-length:\s*(\d+)\s*$/im.exec(found.toString('latin1'))?.[1]);
        if (!Number.isSafeInteger(length)) fail('wrote something that is no message');
        else if (length > MAX_MESSAGE_BYTES)
          fail(`wrote a message of more than ${MAX_MESSAGE_BYTES / 1024 / 1024} MB`);
        else needed = length;
        continue;
      }
      needed = undefined;
      const text = found.toString('utf8');
      if (isTooDeep(text)) return fail(`wrote a message that is ${TOO_DEEP}`);
      // What is no message costs itself alone.
      const message: LspMessage | undefined = readJsonObject(text);
      if (message !== undefined) onMessage(message);
    }
  };
}
