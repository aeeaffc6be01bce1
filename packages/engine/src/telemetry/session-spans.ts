/**
 * The spans of a session, with the names and attributes of OpenTelemetry's conventions for generative AI: one
 * per submission and agent (`invoke_agent`), iteration, model request (`chat`), tool call (`execute_tool`)
 * and hook; and the metrics that the same things are counted in. They hold names, ids, counts and kinds of
 * errors: prompts, inputs and outputs only on request, texts of errors never. Loaded with `Options.tracing`.
 */
import type { ModelInfo, ModelRequest } from '../protocol/model/model.ts';
import type { DecisionRecord } from '../protocol/session/decision-record.ts';
import type { JournalBody } from '../protocol/session/journal.ts';
import type { SpendingRow } from '../protocol/session/spending.ts';
import type { SDKResultMessage } from '../protocol/stream/result-message.ts';
import type { AgentOutcome, SpawnRequest } from '../protocol/tools/agent.ts';
import type { CallSpans, HookSpans, TracingOptions } from '../protocol/tracing.ts';
import { ClaudeCodeSignals } from './claude-code-signals.ts';
import { formatText } from './message-contents.ts';
import { ABORTED, ModelCallSpans, tokenAttributes, tracedProvider } from './model-call-spans.ts';
import { INTERNAL, type OpenSpan, type OptionalAttributes, SafeTracer } from './safe-tracer.ts';
import { SafeMeter } from './session-meters.ts';
import { ATTRIBUTE, METRIC, OPERATION, SPAN } from './signal-names.ts';

interface TracedSubmission {
  readonly sessionId: string;
  readonly submission: string;
  /** Of the main agent; undefined: it has none. */
  readonly agent: string | undefined;
  readonly model: string;
  /** Its text. */
  readonly prompt: string;
}

/** Hooks that did not answer as they should. One that blocks did. */
const FAILED_HOOKS = ['aborted', 'complained', 'failed'];

/** Asked for by the loop of a conversation; other requests are made beside it. */
const isOfLoop = ({ querySource }: ModelRequest): boolean =>
  querySource === 'main' || querySource === 'compact' || querySource.startsWith('agent:');

export class SessionSpans {
  readonly #options: TracingOptions;
  readonly #tracer: SafeTracer;
  readonly #meter: SafeMeter | undefined;
  readonly #claudeCode: ClaudeCodeSignals | undefined;
  /** The running submission, or the last one, whose background work is still its own. */
  #submission: OpenSpan | undefined;
  #startedMs = 0;
  #agentName: string | undefined;
  /** USD of the session when the submission began, by its ledger. */
  #spentUsd = 0;
  readonly #agents = new Map<string, OpenSpan>();
  /** Running iterations, by agent; '' is the main one. */
  readonly #iterations = new Map<string, OpenSpan>();
  readonly #calls = new Map<string, OpenSpan>();
  #models: ModelCallSpans | undefined;

  constructor(options: TracingOptions) {
    this.#options = options;
    this.#tracer = new SafeTracer(options);
    this.#meter = options.meter && new SafeMeter(options.meter);
    this.#claudeCode = options.claudeCodeNames === true ? new ClaudeCodeSignals(options) : undefined;
  }

  submissionStarted({ sessionId, submission, agent, model, prompt }: TracedSubmission): void {
    // An agent may begin a little after the call that started it has ended.
    for (const [key, span] of this.#calls) if (span.isEnded) this.#calls.delete(key);
    const attributes = {
      ...invoked(agent),
      [ATTRIBUTE.conversation]: sessionId,
      [ATTRIBUTE.requestModel]: model,
      [ATTRIBUTE.inputMessages]: this.#said('user', prompt),
    };
    const name = formatSpanName(OPERATION.invokeAgent, agent);
    this.#submission = this.#tracer.start(name, INTERNAL, attributes, undefined);
    this.#startedMs = performance.now();
    this.#agentName = agent;
    this.#spentUsd = 0;
    this.#claudeCode?.submissionStarted(sessionId, submission, prompt);
  }

  /** `result`: undefined when there is none, because the submission was left or is parked. */
  submissionEnded(result: SDKResultMessage | undefined, isParked: boolean): void {
    this.#models?.endAll();
    const error = result === undefined ? (isParked ? undefined : ABORTED) : findError(result);
    this.#leaveIteration('', error ?? (result === undefined ? undefined : ABORTED));
    const span = this.#submission;
    if (span === undefined || span.isEnded) return;
    const seconds = (performance.now() - this.#startedMs) / 1000;
    span.end(error, {
      ...(result && tokenAttributes(result.usage)),
      [ATTRIBUTE.cost]: this.#spentUsd,
      [ATTRIBUTE.terminalReason]: result?.terminal_reason,
      [ATTRIBUTE.outputMessages]:
        result?.subtype === 'success' ? this.#said('assistant', result.result) : undefined,
    });
    this.#invokedFor(seconds, this.#agentName, error);
    this.#claudeCode?.submissionEnded(seconds);
  }

  /** Runs the agent within a span. */
  async ofAgent(
    { agentId, definition, parentAgentId, toolUseId }: SpawnRequest,
    run: () => Promise<AgentOutcome>,
  ): Promise<AgentOutcome> {
    const { name } = definition;
    const parent = this.#calls.get(formatKey(parentAgentId, toolUseId)) ?? this.#agent(parentAgentId);
    const attributes = { ...invoked(name), [ATTRIBUTE.agentId]: agentId };
    const span = this.#tracer.start(
      formatSpanName(OPERATION.invokeAgent, name),
      INTERNAL,
      attributes,
      parent,
    );
    const startedMs = performance.now();
    this.#agents.set(agentId, span);
    let outcome: AgentOutcome | undefined;
    try {
      outcome = await run();
      return outcome;
    } finally {
      this.#agents.delete(agentId);
      const end = outcome?.end ?? ABORTED;
      const error = end === 'completed' ? undefined : end;
      this.#leaveIteration(agentId, error ?? ABORTED);
      span.end(error, {
        [ATTRIBUTE.requestModel]: outcome?.model,
        ...(outcome !== undefined && tokenAttributes(outcome.usage)),
      });
      this.#invokedFor((performance.now() - startedMs) / 1000, name, error);
    }
  }

  /** `agentId`: undefined for the main agent. */
  callsOf(agentId: string | undefined): CallSpans {
    const started = new WeakMap<object, { readonly span: OpenSpan; readonly ms: number }>();
    const { contents } = this.#options;
    return {
      around: (call, run) => {
        const { id, name, input } = call;
        const attributes = {
          [ATTRIBUTE.operation]: OPERATION.executeTool,
          [ATTRIBUTE.toolName]: name,
          [ATTRIBUTE.toolType]: 'function',
          [ATTRIBUTE.toolCallId]: id,
          [ATTRIBUTE.toolArguments]: contents?.tools === true ? toJson(input) : undefined,
        };
        const parent = this.#place(agentId);
        return this.#tracer.startActive(
          formatSpanName(OPERATION.executeTool, name),
          attributes,
          parent,
          (span) => {
            started.set(call, { span, ms: performance.now() });
            this.#calls.set(formatKey(agentId, id), span);
            return run();
          },
        );
      },
      traceparentOf: (id) => this.#calls.get(formatKey(agentId, id))?.traceparent,
      ended: (call, error, output) => {
        const { span, ms } = started.get(call) ?? {};
        if (span === undefined || ms === undefined || span.isEnded) return;
        const isShown = contents?.tools === true && output !== undefined;
        span.end(error, { [ATTRIBUTE.toolResult]: isShown ? toJson(output.content) : undefined });
        this.#meter?.record(METRIC.toolDuration, (performance.now() - ms) / 1000, {
          [ATTRIBUTE.operation]: OPERATION.executeTool,
          [ATTRIBUTE.toolName]: call.name,
          [ATTRIBUTE.errorType]: error,
        });
        const { name, input } = call;
        if (error === undefined) this.#claudeCode?.toolRan({ name, input, data: output?.data });
      },
    };
  }

  readonly hooks: HookSpans = {
    around: ({ event, type, toolUseId, agentId }, run) => {
      const call = toolUseId === undefined ? undefined : this.#calls.get(formatKey(agentId, toolUseId));
      const attributes = { [ATTRIBUTE.hookEvent]: event, [ATTRIBUTE.hookType]: type };
      const parent = call ?? this.#place(agentId);
      return this.#tracer.startActive(`hook ${event}`, attributes, parent, async (span) => {
        const outcome = await run(span.traceparent);
        const { kind } = outcome;
        span.end(FAILED_HOOKS.includes(kind) ? kind : undefined, { [ATTRIBUTE.hookOutcome]: kind });
        return outcome;
      });
    },
  };

  /** A layer around model calls. */
  modelCalls(infoOf: (model: string) => ModelInfo): ModelCallSpans {
    this.#models = new ModelCallSpans({
      tracer: this.#tracer,
      meter: this.#meter,
      claudeCode: this.#claudeCode,
      contents: this.#options.contents,
      infoOf,
      parentOf: (request) =>
        isOfLoop(request) ? this.#iteration(request.agentId) : this.#place(request.agentId),
    });
    return this.#models;
  }

  readonly traceparentOf = (effectKey: string): string | undefined =>
    this.#models?.traceparentOf(effectKey) ?? this.#submission?.traceparent;

  /** An answer that the ledger has counted: what it has in all is what these add up to. */
  readonly spent = (row: SpendingRow, effectKey: string): void => {
    this.#spentUsd += row.costUSD;
    this.#models?.spent(row, effectKey);
    this.#claudeCode?.spent(row);
    if (this.#meter === undefined) return;
    const by = {
      [ATTRIBUTE.operation]: OPERATION.chat,
      [ATTRIBUTE.provider]: tracedProvider(row.provider),
      [ATTRIBUTE.requestModel]: row.model,
      [ATTRIBUTE.modality]: 'unknown',
    };
    const cached = row.cacheReadInputTokens + row.cacheCreationInputTokens;
    this.#meter.record(METRIC.input, row.inputTokens + cached, by);
    this.#meter.record(METRIC.output, row.outputTokens, by);
    this.#meter.record(METRIC.cacheRead, row.cacheReadInputTokens, by);
    this.#meter.record(METRIC.cacheWrite, row.cacheCreationInputTokens, by);
    this.#meter.record(METRIC.reasoning, row.thinkingTokens, by);
    this.#meter.record(METRIC.cost, row.costUSD, {
      [ATTRIBUTE.requestModel]: row.model,
      [ATTRIBUTE.provider]: tracedProvider(row.provider),
      [ATTRIBUTE.agent]: row.agent,
      [ATTRIBUTE.purpose]: row.purpose,
    });
  };

  /** Iterations end with the records of the journal that say why. */
  follow(
    journal: { onEntry(listener: (body: JournalBody) => void): unknown },
    agentId: string | undefined,
  ): void {
    journal.onEntry((body) => {
      if (body.type === 'decision') this.#decided(body.record, agentId);
    });
  }

  #decided(record: DecisionRecord, agentId: string | undefined): void {
    const { decision, iteration, tools, costUsd } = record;
    const parent = this.#iterations.get(agentId ?? '');
    const outcome =
      decision?.kind === 'continue'
        ? decision.transition
        : decision?.kind === 'stop'
          ? decision.terminal
          : decision?.kind;
    this.#showWork(record, agentId, parent);
    this.#leaveIteration(agentId ?? '', undefined, {
      [ATTRIBUTE.iteration]: iteration,
      [ATTRIBUTE.transition]: outcome,
      [ATTRIBUTE.rule]: record.rules.find(({ verdict }) => verdict !== 'pass')?.name,
      [ATTRIBUTE.cost]: costUsd,
    });
    this.#meter?.record(METRIC.iterations, 1, { [ATTRIBUTE.transition]: outcome });
    this.#claudeCode?.toolsEnded(tools);
  }

  /** What has its times in the record alone: waits for a permission, and steps that changed the context. */
  #showWork(record: DecisionRecord, agentId: string | undefined, parent: OpenSpan | undefined): void {
    const startedAt = Date.parse(record.startedAt);
    const wallMs = (ms: number) => startedAt + (ms - record.startMs);
    for (const { id, permission, queuedMs } of record.tools) {
      if (permission?.askedMs === undefined) continue;
      const call = this.#calls.get(formatKey(agentId, id)) ?? parent;
      const attributes = {
        [ATTRIBUTE.permissionVerdict]: permission.verdict,
        [ATTRIBUTE.permissionSource]: permission.source,
      };
      const from = wallMs(queuedMs);
      this.#tracer
        .start(SPAN.permission, INTERNAL, attributes, call, from)
        .end(undefined, {}, from + permission.askedMs);
    }
    let at = startedAt;
    for (const { step, ms, tokensBefore, tokensAfter } of record.prepare) {
      if (ms === undefined) continue;
      if (tokensAfter !== undefined)
        this.#tracer
          .start(
            SPAN.context,
            INTERNAL,
            {
              [ATTRIBUTE.compactionStep]: step,
              [ATTRIBUTE.tokensBefore]: tokensBefore,
              [ATTRIBUTE.tokensAfter]: tokensAfter,
            },
            parent,
            at,
          )
          .end(undefined, {}, at + ms);
      at += ms;
    }
  }

  /** Begun by the first request of an iteration, when there is none. */
  #iteration(agentId: string | undefined): OpenSpan | undefined {
    if (this.#options.iterations === false) return this.#agent(agentId);
    const key = agentId ?? '';
    const running = this.#iterations.get(key);
    if (running !== undefined) return running;
    const span = this.#tracer.start(SPAN.iteration, INTERNAL, {}, this.#agent(agentId));
    this.#iterations.set(key, span);
    return span;
  }

  #leaveIteration(key: string, error: string | undefined, attributes: OptionalAttributes = {}): void {
    this.#iterations.get(key)?.end(error, attributes);
    this.#iterations.delete(key);
  }

  #invokedFor(seconds: number, agent: string | undefined, error: string | undefined): void {
    this.#meter?.record(METRIC.agentDuration, seconds, {
      ...invoked(agent),
      [ATTRIBUTE.errorType]: error,
    });
  }

  #said(role: 'assistant' | 'user', text: string): string | undefined {
    return this.#options.contents?.messages === true ? formatText(role, text) : undefined;
  }

  /** What works for an agent, or for the main one, is below its iteration, or its span. */
  #place(id: string | undefined): OpenSpan | undefined {
    return this.#iterations.get(id ?? '') ?? this.#agent(id);
  }

  #agent(id: string | undefined): OpenSpan | undefined {
    return (id === undefined ? undefined : this.#agents.get(id)) ?? this.#submission;
  }
}

const formatSpanName = (operation: string, subject: string | undefined): string =>
  subject === undefined ? operation : `${operation} ${subject}`;

/** Ids of calls are unique within the conversation of one agent. */
const formatKey = (agentId: string | undefined, toolUseId: string): string => `${agentId ?? ''}/${toolUseId}`;

const invoked = (agent: string | undefined): OptionalAttributes => ({
  [ATTRIBUTE.operation]: OPERATION.invokeAgent,
  [ATTRIBUTE.agentName]: agent,
});

const toJson = (value: unknown): string | undefined => {
  try {
    return typeof value === 'string' ? value : JSON.stringify(value);
  } catch {
    return undefined;
  }
};

function findError({ is_error, subtype, terminal_reason }: SDKResultMessage): string | undefined {
  if (!is_error && subtype === 'success') return undefined;
  return terminal_reason ?? subtype;
}
