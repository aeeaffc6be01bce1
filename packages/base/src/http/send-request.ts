/** One exchange over a client request of Node: the head of its response, then its body within a limit. */
import type { ClientRequest, IncomingMessage } from 'node:http';

/**
 * Sends an unsent request and resolves with its response, as soon as its head is there. Rejects when there is
 * none. An abort destroys the socket with the signal's reason, until the response has ended.
 */
export function sendRequest(
  request: ClientRequest,
  body: string | undefined,
  signal: AbortSignal | null | undefined,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const onAbort = () => request.destroy(toAbortError(signal));
    signal?.addEventListener('abort', onAbort, { once: true });
    request.once('close', () => signal?.removeEventListener('abort', onAbort));
    request.on('error', reject);
    request.once('response', resolve);
    if (signal?.aborted === true) onAbort();
    request.end(body);
  });
}

function toAbortError(signal: AbortSignal | null | undefined): Error {
  const reason: unknown = signal?.reason;
  return reason instanceof Error ? reason : new DOMException('The request was given up.', 'AbortError');
}

/**
 * The bytes of a response, or of what unpacks it. `isWhole` false: there are more than `maxBytes`, and the
 * first ones are returned. Rejects when the body breaks off. The source is destroyed at the end.
 */
export async function readWithin(
  source: AsyncIterable<Buffer>,
  maxBytes: number,
): Promise<{ readonly bytes: Buffer; readonly isWhole: boolean }> {
  const chunks: Buffer[] = [];
  let count = 0;
  for await (const chunk of source) {
    count += chunk.length;
    if (count > maxBytes) return { bytes: Buffer.concat(chunks), isWhole: false };
    chunks.push(chunk);
  }
  return { bytes: Buffer.concat(chunks), isWhole: true };
}
