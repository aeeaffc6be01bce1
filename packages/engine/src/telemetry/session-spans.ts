/**
 * The spans of a session, with the names and attributes of OpenTelemetry's conventions for generative AI: one
 * per submission and agent (`invoke_agent`), model request (`chat`), tool call (`execute_tool`) and hook.
 * They hold names, ids, counts and kinds of errors: no prompts, inputs, outputs or texts of errors. Loaded
 * with `Options.tracing`.
 */
import type { ModelOutcome, ModelRequest, RetryNotice } from '../protocol/model/model.ts';
import { DEFAULT_RECORDED, namedInOptions, providerFacts } from '../protocol/model/provider.ts';
import type { Usage } from '../protocol/model/wire.ts';
import type { SDKResultMessage } from '../protocol/stream/result-message.ts';
import type { AgentOutcome, SpawnRequest } from '../protocol/tools/agent.ts';
import type { CallSpans, HookSpans, TracingOptions } from '../protocol/tracing.ts';
import { CLIENT, INTERNAL, type OpenSpan, type OptionalAttributes, SafeTracer } from './safe-tracer.ts';

interface TracedSubmission {
  readonly sessionId: string;
  /** Of the main agent; undefined: it has none. */
  readonly agent: string | undefined;
  readonly model: string;
}

/** `error.type` of what was ended from outside. */
const ABORTED = 'aborted';

/** Hooks that did not answer as they should. One that blocks did. */
const FAILED_HOOKS = ['aborted', 'complained', 'failed'];

export class SessionSpans {
  readonly #tracer: SafeTracer;
  /** The running submission, or the last one, whose background work is still its own. */
  #submission: OpenSpan | undefined;
  readonly #agents = new Map<string, OpenSpan>();
  readonly #calls = new Map<string, OpenSpan>();
  readonly #requests = new Map<ModelRequest, OpenSpan>();

  constructor(options: TracingOptions) {
    this.#tracer = new SafeTracer(options);
  }

  submissionStarted({ sessionId, agent, model }: TracedSubmission): void {
    // An agent may begin a little after the call that started it has ended.
    for (const [key, span] of this.#calls) if (span.isEnded) this.#calls.delete(key);
    const attributes = {
      ...invoked(agent),
      'gen_ai.conversation.id': sessionId,
      'gen_ai.request.model': model,
    };
    this.#submission = this.#tracer.start(
      formatSpanName('invoke_agent', agent),
      INTERNAL,
      attributes,
      undefined,
    );
  }

  /** `result`: undefined when there is none, because the submission was left or is parked. */
  submissionEnded(result: SDKResultMessage | undefined, isParked: boolean): void {
    if (result === undefined) this.#submission?.end(isParked ? undefined : ABORTED);
    else
      this.#submission?.end(findError(result), {
        ...tokens(result.usage),
        'turnwright.terminal_reason': result.terminal_reason,
      });
  }

  /** Runs the agent within a span. */
  async ofAgent(
    { agentId, definition, parentAgentId, toolUseId }: SpawnRequest,
    run: () => Promise<AgentOutcome>,
  ): Promise<AgentOutcome> {
    const { name } = definition;
    const parent = this.#calls.get(formatKey(parentAgentId, toolUseId)) ?? this.#agent(parentAgentId);
    const attributes = { ...invoked(name), 'gen_ai.agent.id': agentId };
    const span = this.#tracer.start(formatSpanName('invoke_agent', name), INTERNAL, attributes, parent);
    this.#agents.set(agentId, span);
    let outcome: AgentOutcome | undefined;
    try {
      outcome = await run();
      return outcome;
    } finally {
      this.#agents.delete(agentId);
      const end = outcome?.end ?? ABORTED;
      span.end(end === 'completed' ? undefined : end, {
        'gen_ai.request.model': outcome?.model,
        ...(outcome !== undefined && tokens(outcome.usage)),
      });
    }
  }

  /** `agentId`: undefined for the main agent. */
  callsOf(agentId: string | undefined): CallSpans {
    const spans = new WeakMap<object, OpenSpan>();
    return {
      around: (call, run) => {
        const { id, name } = call;
        const attributes = {
          'gen_ai.operation.name': 'execute_tool',
          'gen_ai.tool.name': name,
          'gen_ai.tool.call.id': id,
        };
        const parent = this.#agent(agentId);
        return this.#tracer.startActive(formatSpanName('execute_tool', name), attributes, parent, (span) => {
          spans.set(call, span);
          this.#calls.set(formatKey(agentId, id), span);
          return run();
        });
      },
      ended: (call, error) => spans.get(call)?.end(error),
    };
  }

  readonly hooks: HookSpans = {
    around: ({ event, type, toolUseId, agentId }, run) => {
      const call = toolUseId === undefined ? undefined : this.#calls.get(formatKey(agentId, toolUseId));
      const attributes = { 'turnwright.hook.event': event, 'turnwright.hook.type': type };
      return this.#tracer.startActive(
        `hook ${event}`,
        attributes,
        call ?? this.#agent(agentId),
        async (span) => {
          const outcome = await run();
          const { kind } = outcome;
          span.end(FAILED_HOOKS.includes(kind) ? kind : undefined, { 'turnwright.hook.outcome': kind });
          return outcome;
        },
      );
    },
  };

  /** A layer around model calls: one span per request, with an event for each attempt that is repeated. */
  modelCalls(providerOf: (model: string) => string | undefined) {
    return {
      before: (request: ModelRequest): undefined => {
        const { agentId, maxTokens, model, querySource, sessionId } = request;
        const provider = providerOf(model) ?? DEFAULT_RECORDED;
        const attributes = {
          'gen_ai.operation.name': 'chat',
          'gen_ai.provider.name': providerFacts(namedInOptions(provider)).tracedAs ?? provider,
          'gen_ai.conversation.id': sessionId,
          'gen_ai.request.model': model,
          'gen_ai.request.max_tokens': maxTokens,
          'turnwright.query_source': querySource,
        };
        const span = this.#tracer.start(
          formatSpanName('chat', model),
          CLIENT,
          attributes,
          this.#agent(agentId),
        );
        this.#requests.set(request, span);
      },
      onRetry: (request: ModelRequest, { attempt, delayMs, error, status }: RetryNotice): void =>
        this.#requests.get(request)?.event('retry', {
          'turnwright.retry.attempt': attempt,
          'turnwright.retry.delay_ms': Math.round(delayMs),
          'error.type': error,
          'http.response.status_code': status ?? undefined,
        }),
      after: (request: ModelRequest, outcome: ModelOutcome | undefined): undefined => {
        const last = outcome?.attempts.at(-1);
        this.#requests.get(request)?.end(errorOfCall(outcome), {
          ...(last?.usage !== undefined && tokens(last.usage)),
          'http.response.status_code':
            outcome !== undefined && 'failure' in outcome ? outcome.failure.status : undefined,
          'turnwright.attempts': outcome?.attempts.length,
        });
        this.#requests.delete(request);
      },
    };
  }

  /** What works for an agent, or for the main one, is below its span. */
  #agent(id: string | undefined): OpenSpan | undefined {
    return (id === undefined ? undefined : this.#agents.get(id)) ?? this.#submission;
  }
}

const formatSpanName = (operation: string, subject: string | undefined): string =>
  subject === undefined ? operation : `${operation} ${subject}`;

/** Ids of calls are unique within the conversation of one agent. */
const formatKey = (agentId: string | undefined, toolUseId: string): string => `${agentId ?? ''}/${toolUseId}`;

const invoked = (agent: string | undefined): OptionalAttributes => ({
  'gen_ai.operation.name': 'invoke_agent',
  'gen_ai.agent.name': agent,
});

type CountedUsage = Pick<
  Usage,
  'cache_creation_input_tokens' | 'cache_read_input_tokens' | 'input_tokens' | 'output_tokens'
>;

/** The convention counts cached tokens as input, too. */
function tokens({
  cache_creation_input_tokens: created,
  cache_read_input_tokens: read,
  input_tokens: input,
  output_tokens: output,
}: CountedUsage): OptionalAttributes {
  return {
    'gen_ai.usage.input_tokens': input + created + read,
    'gen_ai.usage.output_tokens': output,
    'gen_ai.usage.cache_creation.input_tokens': created,
    'gen_ai.usage.cache_read.input_tokens': read,
  };
}

function findError({ is_error, subtype, terminal_reason }: SDKResultMessage): string | undefined {
  if (!is_error && subtype === 'success') return undefined;
  return terminal_reason ?? subtype;
}

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
