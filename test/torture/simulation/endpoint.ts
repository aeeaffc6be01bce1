/**
 * The Messages API of the rehearsal, judge and faults included, without its server: a request goes in, and what would
 * be written to the socket comes out.
 */

import type { Clock } from '@turnwright/engine/protocol/ports.ts';
import { createPromptCache } from '../../../packages/testing/src/rehearsal/accounting/prompt-cache.ts';
import { errorBody } from '../../../packages/testing/src/rehearsal/api-errors.ts';
import {
  answerMessage,
  type MessageEndpointPorts,
} from '../../../packages/testing/src/rehearsal/http/message-endpoint.ts';
import { JUDGE_RULES } from '../../../packages/testing/src/rehearsal/judge/index.ts';
import { modelCatalogue } from '../../../packages/testing/src/rehearsal/models.ts';
import { type Answer, PING_FRAME } from '../../../packages/testing/src/rehearsal/reply/answer.ts';
import { holdThreads } from '../../../packages/testing/src/rehearsal/request/held-threads.ts';
import {
  classifyRequest,
  type RehearsalRequest,
} from '../../../packages/testing/src/rehearsal/scenario/rehearsal-request.ts';
import type { Reply } from '../../../packages/testing/src/rehearsal/scenario/scenario.ts';
import { createSessionBook } from '../../../packages/testing/src/rehearsal/session-book.ts';
import type { Delivery, Received } from './network.ts';

export interface Endpoint {
  answer(request: Received): Promise<readonly Delivery[]>;
  /** Bodies of the requests, in order. */
  readonly bodies: readonly unknown[];
  /** What the judge refused: rule and message. */
  readonly refused: readonly { readonly rule: string; readonly message: string }[];
  /** Numbers of the requests whose streamed answer has no end. */
  readonly cut: ReadonlySet<number>;
}

/** Pings of a silent stream; the client has given up by then. */
const MAX_PINGS = 100;

const NOT_FOUND: readonly Delivery[] = [
  { kind: 'head', afterMs: 1, status: 404, headers: { 'content-type': 'text/plain' } },
  { kind: 'end', afterMs: 0 },
];

export function endpointOf(
  model: (request: RehearsalRequest) => Reply,
  options: { readonly clock: Clock; readonly windows: Readonly<Record<string, number>> },
): Endpoint {
  const bodies: unknown[] = [];
  const refused: { rule: string; message: string }[] = [];
  const cut = new Set<number>();
  const ports: MessageEndpointPorts = {
    rules: JUDGE_RULES,
    models: modelCatalogue(options.windows),
    cache: createPromptCache(() => options.clock.nowMs()),
    sessions: createSessionBook(model, []),
    chaos: undefined,
    requiredKey: undefined,
    thoughtCalls: new Set(),
    threads: holdThreads(100),
    kindOf: classifyRequest,
  };
  return {
    bodies,
    refused,
    cut,
    async answer({ path, headers, text }) {
      if (path !== '/v1/messages') return NOT_FOUND;
      const body: unknown = JSON.parse(text);
      const number = bodies.push(body);
      const incoming = {
        number,
        requestId: `req_${number}`,
        headers,
        body,
        jsonError: undefined,
        bytes: text.length,
        session: 'simulated',
      };
      const outcome = await answerMessage(incoming, ports);
      if (outcome.verdict.kind === 'rejected') refused.push(outcome.verdict);
      if ('answer' in outcome) {
        const deliveries = deliveriesOf(outcome.answer);
        if ((body as { readonly stream?: boolean }).stream === true && !hasEnd(deliveries)) cut.add(number);
        return deliveries;
      }
      const { status, headers: more = {} } = outcome.error;
      return [
        { kind: 'head', afterMs: 1, status, headers: { 'content-type': 'application/json', ...more } },
        {
          kind: 'bytes',
          afterMs: 0,
          bytes: Buffer.from(JSON.stringify(errorBody(outcome.error, incoming.requestId))),
        },
        { kind: 'end', afterMs: 0 },
      ];
    },
  };
}

const hasEnd = (deliveries: readonly Delivery[]): boolean =>
  deliveries.some((each) => each.kind === 'bytes' && each.bytes.includes('"message_stop"'));

function deliveriesOf(answer: Answer): Delivery[] {
  if (answer.instead === 'reset') return [{ kind: 'reset', afterMs: 1 }];
  if (answer.instead === 'stall') return [];
  const steps: Delivery[] = [
    { kind: 'head', afterMs: 1 + answer.headersMs, status: answer.status, headers: answer.headers },
  ];
  let waiting: Buffer[] = [];
  let afterMs = 0;
  const flush = () => {
    if (waiting.length > 0) steps.push({ kind: 'bytes', afterMs, bytes: Buffer.concat(waiting) });
    if (waiting.length > 0) afterMs = 0;
    waiting = [];
  };
  for (const frame of answer.frames) {
    if (frame.pauseMs !== undefined) {
      flush();
      afterMs = frame.pauseMs;
    }
    waiting.push(Buffer.from(frame.bytes as string));
    const { next } = frame;
    if (next === undefined) continue;
    flush();
    if (next.kind === 'reset') steps.push({ kind: 'reset', afterMs: 1 });
    else if (next.kind === 'end') steps.push({ kind: 'end', afterMs: 0 });
    else if (next.pingMs !== undefined)
      for (let n = 0; n < MAX_PINGS; n++)
        steps.push({ kind: 'bytes', afterMs: next.pingMs, bytes: Buffer.from(PING_FRAME) });
    return steps;
  }
  flush();
  steps.push({ kind: 'end', afterMs });
  return steps;
}
