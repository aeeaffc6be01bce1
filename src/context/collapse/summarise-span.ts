/** One call of a small model, in the background, that condenses a span of the conversation. */
import type { ViewMessage } from '../../protocol/messages.ts';
import { type AskOncePorts, askOnce } from '../compact/helper-call.ts';
import { COLLAPSE_REQUEST, COLLAPSE_SYSTEM, collapseTranscript } from './collapse-transcript.ts';

export interface CondenseInput {
  readonly messages: readonly ViewMessage[];
  readonly model: string;
  readonly sessionId: string;
  readonly effectKey: string;
  readonly signal: AbortSignal;
}

export type Condense = (input: CondenseInput) => Promise<string | undefined>;

/** Well above the length that is asked for. */
const MAX_TOKENS = 4_000;

/** Undefined: no usable answer, or no money for one. Never rejects for a call that failed. */
export function createCondense(ports: AskOncePorts): Condense {
  return ({ messages, ...whose }) =>
    askOnce(
      {
        querySource: 'summary',
        foreground: false,
        system: COLLAPSE_SYSTEM,
        // Calls and results of the span as text need no tools to be declared, and no model's signatures.
        texts: [collapseTranscript(messages), COLLAPSE_REQUEST],
        maxTokens: MAX_TOKENS,
        ...whose,
      },
      ports,
    );
}
