/** Checks of what a call leaves to another model (L4.4). */
import { type FallbackTrigger, fallbackTrigger } from '@turnwright/engine/protocol/model/fallback.ts';
import { FRESH_RETRY_STATE } from '@turnwright/engine/protocol/model/model.ts';
import { equal } from '../demand.ts';
import { check, failed, type ModelCheck } from './model-check.ts';
import type { MessageAnswer, RefusalAnswer, RefusalReason, ServerAnswer } from './model-server.ts';
import { callModel, requestFor, type WireTraits } from './opened-model.ts';

const HELLO: MessageAnswer = { kind: 'message', parts: [{ kind: 'text', text: 'Hello.' }] };

const refusal = (reason: RefusalReason, more: Partial<RefusalAnswer> = {}): RefusalAnswer => ({
  kind: 'refusal',
  reason,
  ...more,
});

export function fallbackChecks(traits: WireTraits): readonly ModelCheck[] {
  return [...elsewhere(traits), ...(traits.overload === 'status' ? overload() : [])];
}

/** What another model takes over for fails at once, and says for which reason (L4.4). */
function elsewhere(traits: WireTraits): readonly ModelCheck[] {
  const reasons: readonly (readonly [string, ServerAnswer, FallbackTrigger])[] = [
    ['money that is used up', refusal('billing'), 'billing'],
    ['a model that is gone', refusal('not_found'), 'model_not_found'],
    // What a double waits for is part of its script.
    ...(traits.http === 'none'
      ? []
      : [
          [
            'a quota that is used up for an hour',
            refusal('rate_limited', { headers: { 'retry-after': '3600' } }),
            'quota',
          ] as const,
        ]),
  ];
  return reasons.map(([what, answer, trigger]) =>
    check(
      `${what} ends the call at once, where another model waits`,
      async ({ client, server, model, sleeps }) => {
        server.answerWith(answer, HELLO);
        const request = requestFor(model, { fallsBackOn: [trigger] });
        // Without the other model an unattended client would wait, or leave the wait to another run.
        const { outcome } = await callModel(client, request, { isTooLong: () => true });
        equal(fallbackTrigger(failed(outcome), outcome.retry), trigger, 'reason');
        equal([server.received.length, sleeps], [1, []], 'requests, waits');
      },
      { persistentRetry: true },
    ),
  );
}

function overload(): readonly ModelCheck[] {
  const busy = Array.from({ length: 6 }, () => refusal('overloaded'));
  return [
    check('overload ends a call of the background at once', async ({ client, server, model, sleeps }) => {
      server.answerWith(...busy);
      const { outcome } = await callModel(client, requestFor(model, { foreground: false }));
      equal(failed(outcome).kind, 'overloaded');
      equal([server.received.length, sleeps.length], [1, 0], 'requests, waits');
    }),
    check('overload in a row ends the call at the limit, where another model waits', async (opened) => {
      const { client, server, model } = opened;
      server.answerWith(...busy);
      const { outcome } = await callModel(
        client,
        requestFor(model, { fallsBackOn: ['overloaded', 'stalled'] }),
      );
      equal(failed(outcome).kind, 'overloaded');
      equal(outcome.retry.overloadedInARow, 3, 'overloaded in a row');
      equal(outcome.retry.retries, 2, 'retries');
      equal(server.received.length, 3, 'requests');
    }),
    check('overload inside an answer is the last one of a row', async ({ client, server, model }) => {
      const parts = [{ kind: 'text', text: 'A sentence of several words.' }] as const;
      server.answerWith(...busy.slice(0, 2), {
        kind: 'message',
        parts,
        breaks: { at: 'text', how: 'overloaded' },
      });
      const { outcome } = await callModel(
        client,
        requestFor(model, { fallsBackOn: ['overloaded', 'stalled'] }),
      );
      equal([outcome.kind, outcome.retry.overloadedInARow], ['broken', 3], 'outcome, overloaded in a row');
      equal(outcome.attempts.length, 3, 'attempts');
    }),
    check('a row of overloads goes on from call to call', async ({ client, server, model }) => {
      server.answerWith(...busy);
      const retry = { ...FRESH_RETRY_STATE, overloadedInARow: 2 };
      const { outcome } = await callModel(
        client,
        requestFor(model, { fallsBackOn: ['overloaded', 'stalled'] }),
        { retry },
      );
      equal(failed(outcome).kind, 'overloaded');
      equal(outcome.retry.overloadedInARow, 3, 'overloaded in a row');
      equal(server.received.length, 1, 'requests');
    }),
  ];
}
