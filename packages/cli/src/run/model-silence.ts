/** Detects a long silence of the server, from the messages of a run with stream events. */
import type { SDKMessage } from '@turnwright/engine';
import { duration } from '../words/units.ts';

/** Until the first notice; each later one comes after twice the time. */
const FIRST_NOTICE_MS = 20_000;

interface ModelSilence {
  observe(message: SDKMessage): void;
  /** The notice, when one is due; the next one is due after twice the time. */
  due(): string | undefined;
}

/** `nowMs`: monotonic. */
export function createModelSilence(nowMs: () => number): ModelSilence {
  /** Time of the last sign of the pending request; undefined: none is pending. */
  let sinceMs: number | undefined;
  let nextMs = FIRST_NOTICE_MS;
  const silentMs = () => (sinceMs === undefined ? 0 : nowMs() - sinceMs);
  return {
    observe(message) {
      const asks =
        message.type === 'system' && message.subtype === 'status' && message.status === 'requesting';
      const brings = message.type === 'stream_event' && message.event.type !== 'message_stop';
      if (message.type !== 'stream_event' && !asks && !ENDS.has(message.type) && !isRetry(message)) return;
      sinceMs = asks || brings ? nowMs() : undefined;
      nextMs = FIRST_NOTICE_MS;
    },
    due() {
      const ms = silentMs();
      if (ms < nextMs) return undefined;
      nextMs = ms * 2;
      return silenceLine(ms);
    },
  };
}

/** After these no request is pending. */
const ENDS: ReadonlySet<SDKMessage['type']> = new Set(['user', 'result']);

function isRetry(message: SDKMessage): boolean {
  return message.type === 'system' && message.subtype === 'api_retry';
}

function silenceLine(ms: number): string {
  return `the server has sent nothing for ${duration(ms)}`;
}
