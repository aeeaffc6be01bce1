/**
 * Result of the Agent tool: for consumers the usual shape, for the model a report or the reason why there is
 * none.
 */

import type { ResultUsage } from '../protocol/model/wire.ts';
import type { AgentEnd, AgentOutcome, SpawnRequest } from '../protocol/tools/agent.ts';
import { describeAddress } from '../protocol/tools/agent-runs.ts';
import type { ToolOutput } from '../protocol/tools/tool.ts';

interface AgentReport {
  readonly agentId: string;
  readonly agentType: string;
  readonly prompt: string;
  readonly content: readonly { readonly type: 'text'; readonly text: string }[];
  readonly resolvedModel: string;
  readonly totalToolUseCount: number;
  readonly totalDurationMs: number;
  readonly totalTokens: number;
  readonly usage: ResultUsage;
  readonly toolsUsed: readonly string[];
}

export type AgentToolOutput =
  | (AgentReport & { readonly status: 'completed' })
  /** It did not complete; `content` is its text so far. */
  | (AgentReport & {
      readonly status: 'failed';
      readonly reason: Exclude<AgentEnd, 'completed'>;
      readonly error: string;
    })
  | {
      readonly status: 'async_launched';
      readonly isAsync: true;
      readonly agentId: string;
      readonly description: string;
      readonly prompt: string;
      readonly outputFile: string;
    }
  | { readonly status: 'refused'; readonly reason: string };

/** `goesOn`: the reader can send messages to agents, so the text says how. */
export function toAgentOutput(
  request: SpawnRequest,
  outcome: AgentOutcome,
  goesOn: boolean,
): ToolOutput<AgentToolOutput> {
  const address = goesOn ? `\n\n${describeAddress(request.agentId)}` : '';
  const report: AgentReport = {
    agentId: request.agentId,
    agentType: request.definition.name,
    prompt: request.prompt,
    content: outcome.text === '' ? [] : [{ type: 'text', text: outcome.text }],
    resolvedModel: outcome.model,
    totalToolUseCount: outcome.totalToolUseCount,
    totalDurationMs: outcome.totalDurationMs,
    totalTokens: outcome.totalTokens,
    usage: outcome.usage,
    toolsUsed: outcome.toolsUsed,
  };
  if (outcome.end === 'completed')
    return {
      data: { status: 'completed', ...report },
      content: `${outcome.text === '' ? 'The agent completed without a report.' : outcome.text}${address}`,
    };
  const error = outcome.why ?? `The agent ended: ${outcome.end}.`;
  return {
    data: { status: 'failed', reason: outcome.end, error, ...report },
    content: `${failedText(request, outcome, error)}${address}`,
    isError: true,
    keepsData: true,
  };
}

/** Also the text of a background agent's notification. */
export function failedText(request: SpawnRequest, outcome: AgentOutcome, error: string): string {
  const head = `The agent ${request.definition.name} did not complete (${outcome.end}): ${error}`;
  return outcome.text === ''
    ? `${head}\nIt had said nothing until then.`
    : `${head}\n\nWhat it had said until then:\n${outcome.text}`;
}
