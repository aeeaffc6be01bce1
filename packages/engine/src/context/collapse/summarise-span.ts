/** One call of a small model, in the background, that condenses a span of the conversation. */
import type { ViewMessage } from '../../protocol/model/messages.ts';
import { type AskOncePorts, askOnce } from '../compact/helper-call.ts';
import { COLLAPSE_REQUEST, COLLAPSE_SYSTEM, collapseTranscript } from './collapse-transcript.ts';

interface CondenseInput {
  readonly messages: readonly ViewMessage[];
  readonly model: string;
  readonly sessionId: string;
  readonly effectKey: string;
  readonly signal: AbortSignal;
}

export type Condense = (input: CondenseInput) => Promise<string | undefined>;

/** Well above the requested length. */
const MAX_TOKENS = 4_000;

/** undefined: no usable answer, or the budget is used up. Never rejects for a failed call. */
export function createCondense(ports: AskOncePorts): Condense {
  return ({ messages, ...whose }) =>
    askOnce(
      {
        querySource: 'summary',
        foreground: false,
        system: COLLAPSE_SYSTEM,
        // The span as text, so that no tools need to be declared and no signatures are needed.
        texts: [collapseTranscript(messages), COLLAPSE_REQUEST],
        maxTokens: MAX_TOKENS,
        ...whose,
      },
      ports,
    );
}
