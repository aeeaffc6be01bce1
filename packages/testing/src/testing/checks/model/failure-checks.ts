/** Checks of what becomes of a request that is refused, or gets no answer (L8). */
import type { FailureKind } from '@turnwright/engine/protocol/model/failure.ts';
import { equal, holds } from '../demand.ts';
import { assembleAnswer } from './answer-of.ts';
import { fallbackChecks } from './fallback-checks.ts';
import { check, failed, type ModelCheck } from './model-check.ts';
import type { MessageAnswer, RefusalAnswer, RefusalReason, ServerAnswer } from './model-server.ts';
import { callModel, requestFor, type WireTraits } from './opened-model.ts';

const HELLO: MessageAnswer = { kind: 'message', parts: [{ kind: 'text', text: 'Hello.' }] };

const refusal = (reason: RefusalReason, more: Partial<RefusalAnswer> = {}): RefusalAnswer => ({
  kind: 'refusal',
  reason,
  ...more,
});

export function failureChecks(traits: WireTraits): readonly ModelCheck[] {
  return [
    ...retried(),
    // What a double waits for is part of its script.
    ...(traits.http === 'none' ? [] : [...patience(traits), ...waits()]),
    ...final(traits),
    ...credentials(traits),
    ...fallbackChecks(traits),
  ];
}

/** The first back-off, without jitter. */
const FIRST_BACKOFF_MS = 500;

function retried(): readonly ModelCheck[] {
  const answers: readonly (readonly [string, ServerAnswer, FailureKind?])[] = [
    ['overload', refusal('overloaded')],
    ['a rate limit', refusal('rate_limited'), 'rate_limited'],
    ['an error of the server', refusal('server_error'), 'server_error'],
    ['a time-out of the server', refusal('timeout'), 'timeout'],
    ['a reset connection', { kind: 'reset' }, 'connection'],
    ['an empty answer', { kind: 'empty' }],
  ];
  return answers.map(([what, answer, kind]) =>
    check(`${what} is retried, after a wait that is announced`, async (opened) => {
      const { client, server, model, sleeps } = opened;
      server.answerWith(answer, HELLO);
      const { events, notices, outcome } = await callModel(client, requestFor(model));
      equal(outcome.kind, 'complete');
      equal(assembleAnswer(events).blocks, [{ kind: 'text', text: 'Hello.' }]);
      equal(
        notices.map(({ attempt }) => attempt),
        [1],
        'retries announced',
      );
      holds((notices[0]?.cause ?? '') !== '', 'a sentence that names the cause');
      equal(sleeps, [FIRST_BACKOFF_MS], 'waits');
      equal(outcome.attempts.length, 2, 'attempts');
      if (kind !== undefined) equal(outcome.attempts[0]?.outcome, kind, 'the first attempt');
      equal(outcome.retry.retries, 1, 'retries');
    }),
  );
}

function patience(traits: WireTraits): readonly ModelCheck[] {
  return [
    check(
      'the back-off doubles, and ends with the retries',
      async (opened) => {
        const { client, server, model, sleeps } = opened;
        server.answerWith(...Array.from({ length: 5 }, () => refusal('server_error')));
        const { notices, outcome } = await callModel(client, requestFor(model));
        equal(failed(outcome).kind, 'server_error');
        equal(sleeps, [500, 1000, 2000], 'waits');
        equal(notices.length, 3, 'retries announced');
        equal(server.received.length, 4, 'requests');
      },
      { maxRetries: 3 },
    ),

    check(
      'an unattended client waits for as long as it takes',
      async (opened) => {
        const { client, server, model, sleeps } = opened;
        const reason = traits.overload === 'status' ? 'overloaded' : 'rate_limited';
        server.answerWith(...Array.from({ length: 14 }, () => refusal(reason)), HELLO);
        const { outcome } = await callModel(client, requestFor(model));
        equal(outcome.kind, 'complete');
        equal(server.received.length, 15, 'requests');
        holds(
          sleeps.every((ms) => ms <= 30_000),
          'a heartbeat at least every 30 seconds',
        );
      },
      { persistentRetry: true },
    ),

    check(
      'a server that is not running is named with each retry',
      async ({ client, server, model }) => {
        await server.stopListening();
        const { notices, outcome } = await callModel(client, requestFor(model));
        equal(failed(outcome).kind, 'connection');
        equal(notices.length, 1, 'retries announced');
        holds(/refuse|connect/i.test(notices[0]?.cause ?? ''), 'the cause in the notice');
      },
      { maxRetries: 1 },
    ),

    check(
      'silence before the answer ends with the time limit',
      async ({ client, server, model }) => {
        server.answerWith({ kind: 'silence' });
        const { outcome } = await callModel(client, requestFor(model));
        equal(failed(outcome).kind, 'timeout');
      },
      { maxRetries: 0, timeouts: { headersMs: 60, answerMs: 60, idleMs: 60 } },
    ),
  ];
}

/** F51. */
function waits(): readonly ModelCheck[] {
  const asks = (headers: Readonly<Record<string, string>>) => refusal('rate_limited', { headers });
  return [
    check('retry-after in seconds is obeyed', async ({ client, server, model, sleeps }) => {
      server.answerWith(asks({ 'retry-after': '7' }), HELLO);
      const { outcome } = await callModel(client, requestFor(model));
      equal(outcome.kind, 'complete');
      equal(sleeps, [7000], 'waits');
    }),
    check('retry-after as a date is obeyed', async ({ client, server, model, sleeps }) => {
      const at = new Date(Math.floor(Number(new Date('2100-01-01T00:00:00Z')))).toUTCString();
      server.answerWith(asks({ 'retry-after': at }), HELLO);
      const { outcome } = await callModel(client, requestFor(model));
      // Decades are not waited for: that it was read is what shows.
      equal(failed(outcome).kind, 'rate_limited');
      equal(sleeps, [], 'waits');
    }),
    ...['soon', '-5', ''].map((value) =>
      check(`retry-after '${value}' is no time: the back-off decides`, async (opened) => {
        const { client, server, model, sleeps } = opened;
        server.answerWith(asks({ 'retry-after': value }), HELLO);
        const { outcome } = await callModel(client, requestFor(model));
        equal(outcome.kind, 'complete');
        equal(sleeps, [FIRST_BACKOFF_MS], 'waits');
      }),
    ),
    check('a wait of more than five minutes is reported, not waited for', async (opened) => {
      const { client, server, model, sleeps } = opened;
      server.answerWith(asks({ 'retry-after': '3600' }));
      const { outcome } = await callModel(client, requestFor(model));
      const failure = failed(outcome);
      equal(failure.kind, 'rate_limited');
      equal(failure.retryAfterMs, 3_600_000, 'the wait that was asked for');
      equal(sleeps, [], 'waits');
    }),
  ];
}

/** What a retry cannot help. */
function final(traits: WireTraits): readonly ModelCheck[] {
  const refusals: readonly (readonly [string, ServerAnswer, FailureKind])[] = [
    ['a forbidden request', refusal('forbidden'), 'permission'],
    ['an unknown model', refusal('not_found'), 'not_found'],
    ['a prompt that is too long', refusal('too_long'), 'prompt_too_long'],
    ['a request that is too large', refusal('too_large'), 'prompt_too_long'],
    ['an image that is too large', refusal('media_too_large'), 'media_too_large'],
    ['an invalid request', refusal('invalid'), 'invalid_request'],
    ['a web page', { kind: 'web_page' }, 'protocol'],
    ['an answer of another API', { kind: 'other_api' }, 'protocol'],
  ];
  return [
    ...refusals.map(([what, answer, kind]) =>
      check(`${what} is not retried, and fails as ${kind}`, async (opened) => {
        const { client, server, model, sleeps } = opened;
        server.answerWith(answer, HELLO);
        const { events, outcome } = await callModel(client, requestFor(model));
        const failure = failed(outcome);
        equal(failure.kind, kind);
        holds(failure.message.length > 3, 'a sentence');
        equal([server.received.length, sleeps.length, events.length], [1, 0, 0], 'requests, waits, events');
      }),
    ),

    check('a schema that the endpoint does not take fails at once, and says so', async (opened) => {
      const { client, server, model, sleeps } = opened;
      server.answerWith(refusal('bad_schema'), HELLO);
      const outputSchema = { type: 'object', properties: {}, additionalProperties: false } as const;
      const { outcome } = await callModel(client, requestFor(model, { outputSchema }));
      const failure = failed(outcome);
      equal([failure.kind, failure.outputSchema], ['invalid_request', true], 'failure');
      equal([server.received.length, sleeps.length], [1, 0], 'requests, waits');
    }),

    check('a prompt that is too long says by how much', async ({ client, server, model }) => {
      server.answerWith(refusal('too_long', { tokens: { input: 210_000, limit: 200_000 } }));
      const { outcome } = await callModel(client, requestFor(model));
      const { tokens } = failed(outcome);
      if (traits.tooLong === 'counted') equal(tokens, { input: 210_000, limit: 200_000 }, 'tokens');
      else holds(tokens?.limit === undefined || tokens.limit === 200_000, 'no other limit than the server’s');
    }),
  ];
}

function credentials(traits: WireTraits): readonly ModelCheck[] {
  return [
    check('a refused credential fails at once, with a sentence about it (F52)', async (opened) => {
      const { client, server, model, sleeps } = opened;
      server.answerWith(...Array.from({ length: 4 }, () => refusal('unauthorized')));
      const failure = failed((await callModel(client, requestFor(model))).outcome);
      holds(['authentication', 'cloud_credentials'].includes(failure.kind), `a refusal (${failure.kind})`);
      holds(/key|token|credential|log ?in|auth/i.test(failure.message), `a sentence (${failure.message})`);
      holds(server.received.length <= (traits.credential === 'own' ? 2 : 1), 'no retries');
      equal(sleeps, [], 'waits');
    }),

    ...(traits.credential === 'own'
      ? []
      : [
          check(
            'a refused credential is renewed once',
            async ({ client, server, model, sleeps }) => {
              server.answerWith(refusal('unauthorized'), HELLO);
              const { outcome } = await callModel(client, requestFor(model));
              equal(outcome.kind, 'complete');
              equal(server.received[1]?.credential, 'fresh-key', 'credential of the second request');
              equal(sleeps, [], 'waits');
            },
            { renewCredential: async () => 'fresh-key' },
          ),

          check(
            'a renewed credential that is refused too is the end of it',
            async (opened) => {
              const { client, server, model } = opened;
              server.answerWith(refusal('unauthorized'), refusal('unauthorized'), HELLO);
              const { outcome } = await callModel(client, requestFor(model));
              equal(failed(outcome).kind, 'authentication');
              equal(server.received.length, 2, 'requests');
            },
            { renewCredential: async () => 'fresh-key' },
          ),
        ]),
  ];
}
