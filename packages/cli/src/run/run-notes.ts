/** Events in the messages of a run besides its result: retries, compactions, fallbacks. */
import type { SDKMessage } from '@turnwright/engine';
import type { Sink } from './print.ts';

type SystemMessage = Extract<SDKMessage, { readonly type: 'system' }>;
type RetryMessage = Extract<SystemMessage, { readonly subtype: 'api_retry' }>;
type CompactMessage = Extract<SystemMessage, { readonly subtype: 'compact_boundary' }>;

export interface RunNotes extends Sink {
  readonly sessionId: string | undefined;
  readonly retries: readonly RetryMessage[];
  readonly compactions: readonly CompactMessage[];
}

export function createRunNotes(): RunNotes {
  let sessionId: string | undefined;
  const retries: RetryMessage[] = [];
  const compactions: CompactMessage[] = [];
  return {
    retries,
    compactions,
    get sessionId() {
      return sessionId;
    },
    async show(message) {
      sessionId ??= message.session_id;
      if (message.type !== 'system') return;
      if (message.subtype === 'api_retry') retries.push(message);
      if (message.subtype === 'compact_boundary') compactions.push(message);
    },
    end: async () => undefined,
  };
}
