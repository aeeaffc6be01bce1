/** Our requests to the host, and its answers. */
import { randomUUID } from 'node:crypto';
import type { Fields, HostAnswer } from './wire.ts';

export interface HostChannel {
  /** Resolves with the answer's payload. Rejects with the host's error, when `signal` fires, and once the host is gone. */
  request(request: Fields & { readonly subtype: string }, signal: AbortSignal): Promise<unknown>;
  /** The host closed its end: it may still read, but answers no more. */
  readonly gone: boolean;
  /** Does not wait for an answer. */
  tell(request: Fields & { readonly subtype: string }): void;
  /** An answer came; one that nobody waits for is passed over. */
  settle(id: string, answer: HostAnswer): void;
  /** Open requests of one subtype, as they were sent. */
  pending(subtype: string): readonly Fields[];
  /** The host closed its end: nothing open will be answered. */
  hangUp(): void;
}

interface Open {
  readonly line: Fields & { readonly request: { readonly subtype: string } };
  settle(answer: HostAnswer): void;
}

const GONE = 'The host closed its end before it answered.';

export function createHostChannel(send: (line: Fields) => void): HostChannel {
  const open = new Map<string, Open>();
  let gone = false;
  return {
    request: (request, signal) =>
      new Promise((resolve, reject) => {
        if (gone) return reject(new Error(GONE));
        if (signal.aborted) return reject(new Error('It was withdrawn.'));
        const id = randomUUID();
        const onAbort = () => {
          open.delete(id);
          send({ type: 'control_cancel_request', request_id: id });
          reject(new Error('It was withdrawn.'));
        };
        const line = { type: 'control_request', request_id: id, request };
        open.set(id, {
          line,
          settle(answer) {
            signal.removeEventListener('abort', onAbort);
            if (answer.ok) resolve(answer.payload);
            else reject(new Error(answer.error));
          },
        });
        signal.addEventListener('abort', onAbort, { once: true });
        send(line);
      }),
    get gone() {
      return gone;
    },
    tell: (request) => send({ type: 'control_request', request_id: randomUUID(), request }),
    settle(id, answer) {
      const request = open.get(id);
      open.delete(id);
      request?.settle(answer);
    },
    pending: (subtype) =>
      [...open.values()].flatMap(({ line }) => (line.request.subtype === subtype ? [line] : [])),
    hangUp() {
      gone = true;
      for (const { settle } of open.values()) settle({ ok: false, error: GONE });
      open.clear();
    },
  };
}
