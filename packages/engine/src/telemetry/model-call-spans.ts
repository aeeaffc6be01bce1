/** Spans of requests to a model: one for each attempt that was made, from its sending to its end. */
import type { ModelInfo, ModelOutcome, ModelOutput, ModelRequest } from '../protocol/model/model.ts';
import { DEFAULT_RECORDED, namedInOptions, providerFacts } from '../protocol/model/provider.ts';
import { promptTokens } from '../protocol/model/usage.ts';
import type { StreamEvent, Usage } from '../protocol/model/wire.ts';
import type { SpendingCounts, SpendingRow } from '../protocol/session/spending.ts';
import type { TracingOptions } from '../protocol/tracing.ts';
import type { ClaudeCodeSignals } from './claude-code-signals.ts';
import { AnswerContents, formatInput } from './message-contents.ts';
import { CLIENT, type OpenSpan, type OptionalAttributes, type SafeTracer, spanNow } from './safe-tracer.ts';
import type { SafeMeter } from './session-meters.ts';
import { ATTRIBUTE, METRIC, OPERATION } from './signal-names.ts';

interface CallPorts {
  readonly tracer: SafeTracer;
  readonly meter: SafeMeter | undefined;
  readonly claudeCode: ClaudeCodeSignals | undefined;
  readonly contents: TracingOptions['contents'];
  /** What a request is below. */
  parentOf(request: ModelRequest): OpenSpan | undefined;
  infoOf(model: string): Pick<ModelInfo, 'provider'>;
}

/** `error.type` of what was ended from outside. */
export const ABORTED = 'aborted';

/** One request, while its attempts are made. */
interface TracedRequest {
  readonly parent: OpenSpan | undefined;
  readonly attributes: OptionalAttributes;
  span: OpenSpan;
  startedMs: number;
  attempts: number;
  firstChunkMs?: number | undefined;
  response: OptionalAttributes;
  answer?: AnswerContents | undefined;
  /** By the ledger. */
  spent?: SpendingRow;
  /** Ends the span, once the request has ended. */
  finish?: () => void;
}

export class ModelCallSpans {
  readonly #ports: CallPorts;
  readonly #open = new Map<ModelRequest, TracedRequest>();
  readonly #byKey = new Map<string, TracedRequest>();

  constructor(ports: CallPorts) {
    this.#ports = ports;
  }

  /** Of the attempt that is under way. */
  traceparentOf(effectKey: string): string | undefined {
    return this.#byKey.get(effectKey)?.span.traceparent;
  }

  readonly before = (request: ModelRequest): undefined => {
    const { contents, infoOf, parentOf } = this.#ports;
    const { effort, maxTokens, model, querySource, sessionId, stream } = request;
    const attributes = {
      [ATTRIBUTE.operation]: OPERATION.chat,
      [ATTRIBUTE.provider]: tracedProvider(infoOf(model).provider),
      [ATTRIBUTE.conversation]: sessionId,
      [ATTRIBUTE.requestModel]: model,
      [ATTRIBUTE.maxTokens]: maxTokens,
      [ATTRIBUTE.stream]: stream,
      [ATTRIBUTE.reasoningLevel]: effort,
      [ATTRIBUTE.querySource]: querySource,
      ...(contents?.messages === true && {
        [ATTRIBUTE.inputMessages]: formatInput(request),
        [ATTRIBUTE.systemInstructions]: JSON.stringify(
          request.system.map((content) => ({ type: 'text', content })),
        ),
      }),
    };
    const parent = parentOf(request);
    const traced = {
      parent,
      attributes,
      attempts: 0,
      startedMs: 0,
      response: {},
    } as unknown as TracedRequest;
    this.#begin(traced);
    this.#open.set(request, traced);
    this.#byKey.set(request.effectKey, traced);
  };

  readonly onOutput = (request: ModelRequest, output: ModelOutput): void => {
    const traced = this.#open.get(request);
    if (traced === undefined) return;
    if (output.kind === 'retry') {
      const { delayMs, error, status } = output.notice;
      this.#end(traced, error, {
        [ATTRIBUTE.httpStatus]: status ?? undefined,
        [ATTRIBUTE.retryDelay]: Math.round(delayMs),
      });
      this.#ports.claudeCode?.requestFailed(request, { ...output.notice, sinceMs: traced.startedMs });
      return;
    }
    if (traced.span.isEnded || (output.kind === 'attempt' && output.attempt > traced.attempts)) {
      this.#end(traced, 'adapted');
      this.#begin(traced);
    }
    if (output.kind !== 'events') return;
    traced.firstChunkMs ??= output.ttftMs;
    for (const event of output.events) hear(traced, event);
  };

  /** The span ends when the ledger has said what was used: it may differ from what the answer reported. */
  readonly after = (request: ModelRequest, outcome: ModelOutcome | undefined): undefined => {
    const traced = this.#open.get(request);
    this.#open.delete(request);
    if (traced === undefined) return;
    const error = errorOfCall(outcome);
    const failure = outcome !== undefined && 'failure' in outcome ? outcome.failure : undefined;
    const sinceMs = traced.startedMs;
    const { claudeCode, meter } = this.#ports;
    if (traced.firstChunkMs !== undefined)
      meter?.record(METRIC.firstChunk, traced.firstChunkMs / 1000, measured(traced));
    if (failure !== undefined && !traced.span.isEnded)
      claudeCode?.requestFailed(request, {
        attempt: traced.attempts,
        status: failure.status ?? null,
        error: failure.kind,
        sinceMs,
      });
    const attributes = {
      ...traced.response,
      [ATTRIBUTE.timeToFirstChunk]: traced.firstChunkMs && traced.firstChunkMs / 1000,
      [ATTRIBUTE.requestId]: outcome?.requestId,
      [ATTRIBUTE.httpStatus]: failure?.status,
      [ATTRIBUTE.outputMessages]: traced.answer?.format(),
    };
    const atMs = spanNow();
    const durationMs = performance.now() - sinceMs;
    traced.finish = () => {
      this.#byKey.delete(request.effectKey);
      const { spent } = traced;
      if (spent !== undefined) {
        meter?.record(METRIC.callInput, inputOf(spent), measured(traced));
        meter?.record(METRIC.callOutput, spent.outputTokens, measured(traced));
      }
      if (error === undefined)
        claudeCode?.requestAnswered(request, spent, { durationMs, requestId: outcome?.requestId });
      this.#end(traced, error, { ...attributes, ...(spent && spentAttributes(spent)) }, atMs);
    };
    const hasBegun = traced.response[ATTRIBUTE.responseId] !== undefined;
    if (traced.spent !== undefined || !hasBegun) traced.finish();
  };

  /** What the ledger has counted for a request; `inside`: for an answer within its answer. */
  spent(row: SpendingRow, effectKey: string): void {
    // The loop counts each attempt of an iteration; one of them runs at a time.
    const traced = this.#byKey.get(effectKey) ?? this.#byKey.get(effectKey.replace(/\/\d+\/model$/, ''));
    if (traced === undefined) return;
    const before = traced.spent;
    traced.spent = before === undefined ? row : { ...before, costUSD: before.costUSD + row.costUSD };
    // Answers inside follow at once, in the same call.
    if (before === undefined) queueMicrotask(() => traced.finish?.());
  }

  /** Nothing more will be counted. */
  endAll(): void {
    for (const traced of [...this.#byKey.values()]) traced.finish?.();
  }

  #begin(traced: TracedRequest): void {
    const { contents, tracer } = this.#ports;
    const name = `${OPERATION.chat} ${traced.attributes[ATTRIBUTE.requestModel]}`;
    const attributes = {
      ...traced.attributes,
      [ATTRIBUTE.resendCount]: traced.attempts === 0 ? undefined : traced.attempts,
    };
    traced.span = tracer.start(name, CLIENT, attributes, traced.parent);
    traced.attempts += 1;
    traced.startedMs = performance.now();
    traced.firstChunkMs = undefined;
    traced.response = {};
    traced.answer = contents?.messages === true ? new AnswerContents() : undefined;
  }

  /** `atMs`: since 1970, default now. */
  #end(
    traced: TracedRequest,
    error: string | undefined,
    attributes: OptionalAttributes = {},
    atMs?: number,
  ): void {
    if (traced.span.isEnded) return;
    traced.span.end(error, attributes, atMs);
    const lateMs = atMs === undefined ? 0 : Math.max(0, spanNow() - atMs);
    const seconds = Math.max(0, performance.now() - traced.startedMs - lateMs) / 1000;
    this.#ports.meter?.record(METRIC.callDuration, seconds, {
      ...measured(traced),
      [ATTRIBUTE.errorType]: error,
    });
  }
}

const measured = ({ attributes, response }: TracedRequest): OptionalAttributes => ({
  [ATTRIBUTE.operation]: OPERATION.chat,
  [ATTRIBUTE.provider]: attributes[ATTRIBUTE.provider],
  [ATTRIBUTE.requestModel]: attributes[ATTRIBUTE.requestModel],
  [ATTRIBUTE.responseModel]: response[ATTRIBUTE.responseModel],
});

const inputOf = (row: SpendingCounts): number =>
  row.inputTokens + row.cacheReadInputTokens + row.cacheCreationInputTokens;

/** The convention counts cached tokens as input, too. */
const spentAttributes = (row: SpendingRow): OptionalAttributes => ({
  [ATTRIBUTE.inputTokens]: inputOf(row),
  [ATTRIBUTE.outputTokens]: row.outputTokens,
  [ATTRIBUTE.cacheReadTokens]: row.cacheReadInputTokens,
  [ATTRIBUTE.cacheWriteTokens]: row.cacheCreationInputTokens,
  [ATTRIBUTE.reasoningTokens]: row.thinkingTokens > 0 ? row.thinkingTokens : undefined,
  [ATTRIBUTE.cost]: row.isPriced ? row.costUSD : undefined,
});

function hear(traced: TracedRequest, event: StreamEvent): void {
  traced.answer?.hear(event);
  if (event.type === 'message_start') {
    const { id, model } = event.message;
    traced.response = { [ATTRIBUTE.responseId]: id, [ATTRIBUTE.responseModel]: model };
  }
  if (event.type !== 'message_delta' || event.delta.stop_reason === null) return;
  traced.response = { ...traced.response, [ATTRIBUTE.finishReasons]: [event.delta.stop_reason] };
}

/** As the conventions name it. */
export function tracedProvider(recorded: string = DEFAULT_RECORDED): string {
  const name = recorded === 'unknown' ? DEFAULT_RECORDED : recorded;
  return providerFacts(namedInOptions(name)).tracedAs ?? name;
}

/** Of a submission or an agent. The conventions give them no figures of the cache. */
export const tokenAttributes = (usage: Usage): OptionalAttributes => ({
  [ATTRIBUTE.inputTokens]: promptTokens(usage),
  [ATTRIBUTE.outputTokens]: usage.output_tokens,
});

function errorOfCall(outcome: ModelOutcome | undefined): string | undefined {
  switch (outcome?.kind) {
    case 'complete':
    case 'parked':
      return undefined;
    case 'broken':
    case 'failed':
      return outcome.failure.kind;
    case 'aborted':
    case undefined:
      return ABORTED;
  }
}
