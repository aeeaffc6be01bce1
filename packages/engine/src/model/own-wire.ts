/** A wire that a program brings, and what it is made with. */

import { errorText } from '@turnwright/base/text/error-text.ts';
import type { ModelFailure } from '../protocol/model/failure.ts';
import type { ModelClient } from '../protocol/model/model-client.ts';
import type {
  ConversationTurn,
  OwnWire,
  SourcedAnswer,
  Wire,
  WireKit,
  WirePorts,
} from '../protocol/model/provider-wire.ts';
import type { StreamEvent } from '../protocol/model/wire.ts';
import { createModelClient, type ModelClientOptions } from './create-model-client.ts';
import { createRenderedTurns } from './openai/turns.ts';
import { classifyAnswer, classifyConnectionError } from './retry/classify-error.ts';
import { networkError } from './retry/network-error.ts';
import { createEventDecoder } from './stream/decode-events.ts';
import { openIteratedAttempt } from './stream/iterated-attempt.ts';
import type { WireAccess, WireSetup } from './wire-setup.ts';

export function ownAccess({ provider: { wire } }: Pick<WireSetup, 'provider'>): WireAccess {
  if (typeof wire === 'function') return { open: (ports) => openOwnWire(wire, ports) };
  const problem = 'A provider of the type wire needs the function that makes its wire, as the field wire.';
  return { problem: `${problem} Only a program can give one: settings cannot.` };
}

/** A client that speaks by a wire, outside of a session. Its options are those of any client. */
export function createOwnClient(
  wire: OwnWire,
  options: Omit<ModelClientOptions, 'baseUrl' | 'wire'>,
): ModelClient {
  const access = ownAccess({ provider: { type: 'wire', wire } });
  if ('problem' in access) throw new TypeError(access.problem);
  return createModelClient({
    ...options,
    baseUrl: 'http://localhost',
    looksUpModels: false,
    wire: access.open,
  });
}

async function openOwnWire(make: OwnWire, ports: WirePorts): Promise<Wire> {
  const wire = await make(kitWith(ports));
  const lacking = (['prepare', 'close'] as const).filter((name) => typeof wire?.[name] !== 'function');
  if (lacking.length === 0) return wire;
  throw new TypeError(`The function in the field wire made no wire: it lacks ${lacking.join(' and ')}.`);
}

const HEAD = { status: 200, headers: {} } as const;

function kitWith(ports: WirePorts): WireKit {
  const rendered = createRenderedTurns<ConversationTurn>();
  return {
    ...ports,
    turns: ({ request: { view, userContext = [] }, keepsThinking, thinkingKey }) =>
      rendered.messages({ view, userContext, key: thinkingKey, keepsThinking }, (turns) => turns),
    openAttempt: ({ request: { model, stream } }, life, { classify, secrets = [], send }) =>
      openIteratedAttempt({
        async send(signal) {
          const { head = HEAD, events } = await send(signal);
          return { head, events: stream ? events : await wholeOf(events) };
        },
        createDecoder: createEventDecoder,
        classify: (error, head) => classify(error, head) ?? unclassified(error),
        secrets,
        stream,
        timeouts: ports.timeoutsFor(model),
        clock: ports.clock,
        life,
      }),
    refusal: (head, body) => classifyAnswer(head, body, ports.clock.nowMs()),
  };
}

/** The events of an answer that does not stream are one batch. */
async function wholeOf(events: SourcedAnswer['events']): Promise<readonly StreamEvent[]> {
  const whole: StreamEvent[] = [];
  for await (const event of events) whole.push(event);
  return whole;
}

function unclassified(error: unknown): ModelFailure {
  const network = networkError(error);
  if (network !== undefined) return classifyConnectionError(network);
  return { kind: 'unknown', message: errorText(error), cause: error };
}
