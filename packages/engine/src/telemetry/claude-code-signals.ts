/**
 * Metrics and events under the names that Claude Code documents, for dashboards that were made for it: its
 * page "Monitoring", https://code.claude.com/docs/en/monitoring-usage. What they say of prompts, inputs and
 * errors is left out unless it was asked for.
 */
import { isoTime } from '@turnwright/base/text/figures-and-times.ts';
import type { ModelRequest } from '../protocol/model/model.ts';
import type { SpendingRow } from '../protocol/session/spending.ts';
import type { ToolTrace } from '../protocol/tools/tool-call.ts';
import type { TracingOptions } from '../protocol/tracing.ts';
import { harmless, knownAttributes, type OptionalAttributes, spanNow } from './safe-tracer.ts';
import { SafeMeter } from './session-meters.ts';
import { CLAUDE_CODE_EVENT, CLAUDE_CODE_METRIC } from './signal-names.ts';

interface FailedRequest {
  readonly attempt: number;
  readonly status: number | null;
  readonly error: string;
  /** Monotonic, of this process. */
  readonly sinceMs: number;
}

interface RunTool {
  readonly name: string;
  readonly input: unknown;
  readonly data: unknown;
}

const EDITS = ['Edit', 'Write', 'NotebookEdit'];

export class ClaudeCodeSignals {
  readonly #options: TracingOptions;
  readonly #meter: SafeMeter | undefined;
  #sessionId = '';
  #promptId = '';
  #events = 0;

  constructor(options: TracingOptions) {
    this.#options = options;
    this.#meter = options.meter && new SafeMeter(options.meter);
  }

  submissionStarted(sessionId: string, promptId: string, prompt: string): void {
    if (this.#sessionId !== sessionId) {
      this.#sessionId = sessionId;
      this.#count(CLAUDE_CODE_METRIC.sessions, 1);
    }
    this.#promptId = promptId;
    const { contents } = this.#options;
    this.#emit(CLAUDE_CODE_EVENT.prompt, {
      prompt_length: prompt.length,
      prompt: contents?.messages === true ? prompt : undefined,
    });
  }

  submissionEnded(seconds: number): void {
    this.#count(CLAUDE_CODE_METRIC.activeTime, seconds, { type: 'cli' });
  }

  spent({ agent, purpose, ...row }: SpendingRow): void {
    const { model } = row;
    const source = purpose !== 'loop' ? 'auxiliary' : agent === 'main' ? 'main' : 'subagent';
    const by = { model, query_source: source, 'agent.name': agent === 'main' ? undefined : agent };
    this.#count(CLAUDE_CODE_METRIC.cost, row.costUSD, by);
    const types = {
      input: row.inputTokens,
      output: row.outputTokens,
      cacheRead: row.cacheReadInputTokens,
      cacheCreation: row.cacheCreationInputTokens,
    };
    for (const [type, tokens] of Object.entries(types))
      if (tokens > 0) this.#count(CLAUDE_CODE_METRIC.tokens, tokens, { ...by, type });
  }

  /** `spent`: by the ledger. */
  requestAnswered(
    { effort, model, querySource, speed }: ModelRequest,
    spent: SpendingRow | undefined,
    { durationMs, requestId }: { readonly durationMs: number; readonly requestId: string | undefined },
  ): void {
    this.#emit(CLAUDE_CODE_EVENT.request, {
      model,
      cost_usd: spent?.costUSD,
      duration_ms: Math.round(durationMs),
      input_tokens: spent?.inputTokens,
      output_tokens: spent?.outputTokens,
      cache_read_tokens: spent?.cacheReadInputTokens,
      cache_creation_tokens: spent?.cacheCreationInputTokens,
      request_id: requestId,
      speed: speed ?? 'normal',
      query_source: querySource,
      effort,
    });
  }

  requestFailed({ effort, model, querySource, speed }: ModelRequest, failed: FailedRequest): void {
    this.#emit(CLAUDE_CODE_EVENT.error, {
      model,
      error: failed.error,
      status_code: failed.status ?? undefined,
      duration_ms: Math.round(performance.now() - failed.sinceMs),
      attempt: failed.attempt,
      speed: speed ?? 'normal',
      query_source: querySource,
      effort,
    });
  }

  /** Calls of an iteration that has been decided. */
  toolsEnded(tools: readonly ToolTrace[]): void {
    for (const { id, name, outcome, permission, inputChars, resultChars, ...times } of tools) {
      const source = permission && decisionSource(permission);
      const decision = permission && (permission.verdict === 'allow' ? 'accept' : 'reject');
      const of = { tool_name: name, tool_use_id: id };
      if (decision !== undefined) this.#emit(CLAUDE_CODE_EVENT.decision, { ...of, decision, source });
      if (decision !== undefined && EDITS.includes(name))
        this.#count(CLAUDE_CODE_METRIC.editDecisions, 1, { tool_name: name, decision, source });
      if (times.startedMs === undefined) continue;
      this.#emit(CLAUDE_CODE_EVENT.result, {
        ...of,
        success: String(outcome === 'ok'),
        duration_ms: Math.round(times.endedMs - times.startedMs),
        error_type: outcome === 'ok' ? undefined : outcome,
        decision_type: decision,
        decision_source: source,
        tool_input_size_bytes: inputChars,
        tool_result_size_bytes: resultChars,
      });
    }
  }

  /** A call that has a good result. */
  toolRan({ name, input, data }: RunTool): void {
    const hunks = (data as { readonly structuredPatch?: unknown } | undefined)?.structuredPatch;
    if (Array.isArray(hunks)) {
      const lines = hunks.flatMap(({ lines }: { readonly lines?: readonly string[] }) => lines ?? []);
      for (const [type, sign] of [['added', '+'] as const, ['removed', '-'] as const]) {
        const count = lines.filter((line) => line.startsWith(sign)).length;
        if (count > 0) this.#count(CLAUDE_CODE_METRIC.lines, count, { type });
      }
    }
    const { command } = (input ?? {}) as { readonly command?: unknown };
    if (name !== 'Bash' || typeof command !== 'string') return;
    if (/\bgit\s+(?:-\S+\s+)*commit\b/.test(command)) this.#count(CLAUDE_CODE_METRIC.commits, 1);
    if (/\bgh\s+pr\s+create\b|\bglab\s+mr\s+create\b/.test(command))
      this.#count(CLAUDE_CODE_METRIC.pullRequests, 1);
  }

  #count(row: Parameters<SafeMeter['record']>[0], value: number, attributes: OptionalAttributes = {}): void {
    this.#meter?.record(row, value, { 'session.id': this.#sessionId, ...attributes });
  }

  #emit(event: string, attributes: OptionalAttributes): void {
    const { logger } = this.#options;
    if (logger === undefined) return;
    const name = `claude_code.${event}`;
    const timestamp = spanNow();
    harmless(() =>
      logger.emit({
        timestamp,
        eventName: name,
        body: name,
        severityNumber: 9,
        attributes: knownAttributes({
          'session.id': this.#sessionId,
          'prompt.id': this.#promptId,
          'event.name': event,
          'event.timestamp': isoTime(timestamp),
          'event.sequence': this.#events++,
          ...attributes,
        }),
      }),
    );
  }
}

function decisionSource({ source, verdict }: NonNullable<ToolTrace['permission']>): string {
  if (source === 'hook') return 'hook';
  if (source === 'host') return verdict === 'allow' ? 'user_temporary' : 'user_reject';
  return 'config';
}
