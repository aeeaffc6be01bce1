/** Checks of answers that break off, and of calls that are aborted. */

import { systemClock } from '@turnwright/base/clock.ts';
import {
  FRESH_RETRY_STATE,
  type ModelOutcome,
  type ModelOutput,
} from '@turnwright/engine/protocol/model/model.ts';
import { equal, holds } from '../demand.ts';
import { assembleAnswer } from './answer-of.ts';
import { check, type ModelCheck } from './model-check.ts';
import type { AnswerBreak, MessageAnswer, ModelServer, ServerAnswer } from './model-server.ts';
import { callModel, requestFor, type WireTraits } from './opened-model.ts';

const TEXT = { kind: 'text', text: 'A sentence of several words.' } as const;
const THINKING = { kind: 'thinking', text: 'Let me see what it is.', signature: 'c2lnbmVk' } as const;
const CALL = { kind: 'call', id: 'call_1', name: 'Look', input: { at: 'some place' } } as const;
const TOOLS = [{ name: 'Look', description: 'Looks.', input_schema: { type: 'object' } }] as const;
const HELLO: MessageAnswer = { kind: 'message', parts: [{ kind: 'text', text: 'Hello.' }] };

const brokenAt = (at: AnswerBreak['at'], how: AnswerBreak['how']): MessageAnswer => ({
  kind: 'message',
  parts: [...(at === 'thinking' ? [THINKING] : []), ...(at === 'call' ? [CALL] : [TEXT])],
  breaks: { at, how },
});

export function interruptionChecks(traits: WireTraits): readonly ModelCheck[] {
  return [...breaks(traits), ...aborts(traits)];
}

const SHORT = { timeouts: { idleMs: 60 } };

function breaks(traits: WireTraits): readonly ModelCheck[] {
  const places = ['start', 'text', 'call', ...(traits.thinking === 'none' ? [] : ['thinking'])] as const;
  const thinking = { type: 'enabled' } as const;
  return [
    ...(places as readonly AnswerBreak['at'][]).flatMap((at) =>
      (traits.http === 'pooled' && at === 'start' ? (['cut'] as const) : (['cut', 'reset'] as const)).map(
        (how) =>
          check(`an answer that is ${how} in its ${at} is broken, not retried`, async (opened) => {
            const { client, server, model, sleeps } = opened;
            server.answerWith(brokenAt(at, how), HELLO);
            const request = requestFor(model, { tools: TOOLS, ...(at === 'thinking' && { thinking }) });
            const { events, outcome } = await callModel(client, request);
            equal(broken(outcome).kind, 'cut');
            equal([server.received.length, sleeps.length], [1, 0], 'requests, waits');
            const { blocks, stopReason } = assembleAnswer(events);
            equal(stopReason, null, 'stop reason');
            equal(blocks.length, at === 'start' ? 0 : 1, 'blocks');
            const [attempt] = outcome.attempts;
            if (traits.usageComes === 'early' && at !== 'start') equal(attempt?.wasted, true, 'wasted');
          }),
      ),
    ),

    check('an answer that is cut behind its call is broken', async ({ client, server, model }) => {
      server.answerWith({ kind: 'message', parts: [CALL], breaks: { at: 'end', how: 'cut' } });
      const { events, outcome } = await callModel(client, requestFor(model, { tools: TOOLS }));
      equal(broken(outcome).kind, 'cut');
      const { blocks, stopReason } = assembleAnswer(events);
      equal([blocks.length, blocks[0]?.kind, stopReason], [1, 'call', null], 'blocks, and the stop reason');
    }),

    check(
      'an answer that falls silent is broken as stalled',
      async ({ client, server, model }) => {
        server.answerWith(brokenAt('text', 'stall'));
        const { outcome } = await callModel(client, requestFor(model));
        equal(broken(outcome).kind, 'stalled');
      },
      SHORT,
    ),

    check('an answer that reports an error of the server is broken', async ({ client, server, model }) => {
      server.answerWith(brokenAt('text', 'error'));
      const { outcome } = await callModel(client, requestFor(model));
      equal(broken(outcome).kind, 'stream_error');
    }),

    ...(traits.overload === 'status'
      ? [
          check('an answer that reports overload counts as one', async ({ client, server, model }) => {
            server.answerWith(brokenAt('text', 'overloaded'));
            const { outcome } = await callModel(
              client,
              requestFor(model, { fallsBackOn: ['overloaded', 'stalled'] }),
            );
            equal(broken(outcome).kind, 'overloaded');
            equal(outcome.retry.overloadedInARow, 1, 'overloaded in a row');
          }),
        ]
      : []),

    check('a request after a cut is a retry: it waits first', async ({ client, server, model, sleeps }) => {
      server.answerWith(HELLO);
      const after = { failure: { kind: 'cut', message: 'It broke.' }, immediate: false } as const;
      const { outputs, outcome } = await callModel(client, requestFor(model), { after });
      equal(outcome.kind, 'complete');
      equal(outputs[0]?.kind, 'retry', 'first output');
      equal(sleeps, [500], 'waits');
    }),

    check('a request after a stall goes out at once, without streaming', async (opened) => {
      const { client, server, model, sleeps } = opened;
      server.answerWith(HELLO);
      const after = { failure: { kind: 'stalled', message: 'Silence.' }, immediate: true } as const;
      const { events, outcome } = await callModel(client, requestFor(model, { stream: false }), { after });
      equal(outcome.kind, 'complete');
      equal(assembleAnswer(events).blocks, [{ kind: 'text', text: 'Hello.' }]);
      equal(sleeps, [], 'waits');
    }),
  ];
}

function aborts({ http }: WireTraits): readonly ModelCheck[] {
  const phases: readonly (readonly [
    phase: string,
    answer: ServerAnswer,
    at: (output: ModelOutput) => boolean,
    attempts: number,
  ])[] = [
    ['while it waits for the answer', { kind: 'silence' }, ({ kind }) => kind === 'attempt', 1],
    ['inside a text', brokenAt('text', 'stall'), (output) => hasDelta(output), 1],
    ['inside a call', brokenAt('call', 'stall'), (output) => hasDelta(output), 1],
    [
      'in the wait before a retry',
      { kind: 'refusal', reason: 'server_error' },
      ({ kind }) => kind === 'retry',
      1,
    ],
  ];
  return [
    check('a call that is aborted before it begins sends nothing', async ({ client, server, model }) => {
      const { outputs, outcome } = await callModel(client, requestFor(model), {
        signal: AbortSignal.abort(),
      });
      equal(outcome.kind, 'aborted');
      equal([outputs.length, server.received.length], [0, 0], 'outputs, requests');
    }),
    ...phases.map(([phase, answer, at, attempts]) =>
      check(`a call that is aborted ${phase} ends, and its connection too`, async (opened) => {
        const { client, server, model } = opened;
        server.answerWith(answer, HELLO);
        const controller = new AbortController();
        const request = requestFor(model, { tools: TOOLS });
        const { outcome } = await callModel(client, request, { signal: controller.signal }, (output) => {
          // In a turn of its own, when the request is on its way; a wait that is skipped takes no turn.
          if (at(output) && output.kind === 'retry') controller.abort();
          else if (at(output)) setImmediate(() => controller.abort());
        });
        equal(outcome.kind, 'aborted');
        equal(outcome.attempts.length, attempts, 'attempts');
        await client.close();
        await until(() => countOpen(server, http) === 0, 'no connection, or answer, that is open');
      }),
    ),
    check('a call that is left by its reader closes its connection', async ({ client, server, model }) => {
      server.answerWith(brokenAt('text', 'stall'));
      const { signal } = new AbortController();
      const call = client.call(requestFor(model), { signal, retry: FRESH_RETRY_STATE });
      for (let step = await call.next(); !step.done && !hasDelta(step.value); step = await call.next());
      await call.return({ kind: 'aborted', retry: FRESH_RETRY_STATE, attempts: [] });
      await until(() => countOpen(server, http) === 0, 'no connection, or answer, that is open');
    }),
  ];
}

function hasDelta(output: ModelOutput): boolean {
  return output.kind === 'events' && output.events.some(({ type }) => type === 'content_block_delta');
}

function broken(outcome: ModelOutcome) {
  equal(outcome.kind, 'broken', 'outcome');
  return (outcome as Extract<ModelOutcome, { kind: 'broken' }>).failure;
}

/** What must be none at the end: connections, or answers where a library keeps connections. */
const countOpen = (server: ModelServer, http: WireTraits['http']) =>
  http === 'pooled' ? server.openAnswers : server.openSockets;

/** Polls: a closed socket is noticed by the other side a moment later. */
async function until(condition: () => boolean, what: string): Promise<void> {
  for (let tries = 0; tries < 400 && !condition(); tries++) await systemClock.sleep(5);
  holds(condition(), what);
}
