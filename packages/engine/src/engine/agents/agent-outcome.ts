/** What an agent was seen to do, and what its end comes to. */
import { addUsage } from '../../model/catalog/add-usage.ts';
import type { ModelFailure } from '../../protocol/model/failure.ts';
import type { AssistantMessage, LoopMessage } from '../../protocol/model/messages.ts';
import { contextTokens } from '../../protocol/model/usage.ts';
import { EMPTY_USAGE } from '../../protocol/model/wire.ts';
import type { JournalBody } from '../../protocol/session/journal.ts';
import type { Cost } from '../../protocol/session/spending.ts';
import { TERMINALS, type Terminal } from '../../protocol/session/terminal.ts';
import type { AgentEnd, AgentOutcome } from '../../protocol/tools/agent.ts';
import type { QueryEngineConfig } from '../config.ts';
import { ContinuedAnswers, textOfBlock as textOf } from '../output/continued-answers.ts';
import { wholeUsage } from '../output/result-fields.ts';

export interface AgentRecord {
  observe(message: LoopMessage): void;
  /** Each entry of its journal. */
  entry(body: JournalBody): void;
  readonly toolUseCount: number;
  readonly lastToolName: string | undefined;
  readonly totalTokens: number;
  readonly cost: Cost;
  outcome(end: AgentEnd, why: string | undefined, durationMs: number): AgentOutcome;
  /** The last thing that the engine said in the model's place: an API error. */
  readonly lastError: string | undefined;
}

/** `cost`: what it has paid so far. */
export function createAgentRecord(model: string, cost: () => Cost): AgentRecord {
  let blocks: AssistantMessage[] = [];
  let usage = EMPTY_USAGE;
  let asked = model;
  const tools: string[] = [];
  const continued = new ContinuedAnswers();

  const lastText = (): string => {
    const said = blocks.findLast((block) => block.synthetic === undefined && textOf(block).trim() !== '');
    if (said === undefined) return '';
    const parts = continued.partsOf(said.message.id, blocks);
    return blocks
      .filter(({ message }) => parts.includes(message.id))
      .map(textOf)
      .join('')
      .trim();
  };

  return {
    observe(message) {
      continued.observe(message, blocks);
      if (message.type === 'assistant') {
        blocks.push(message);
        for (const block of message.message.content) if (block.type === 'tool_use') tools.push(block.name);
      } else if (message.type === 'tombstone') {
        const gone = new Set(message.uuids);
        blocks = blocks.filter((block) => !gone.has(block.uuid));
      }
    },
    entry(body) {
      if (body.type === 'response') {
        usage = addUsage(usage, body.usage);
        continued.responseEnded(body.messageId, body.stopReason);
      } else if (body.type === 'request') asked = body.model;
    },
    get toolUseCount() {
      return tools.length;
    },
    get lastToolName() {
      return tools.at(-1);
    },
    get totalTokens() {
      return contextTokens(usage);
    },
    get cost() {
      return cost();
    },
    get lastError() {
      const error = blocks.findLast((block) => block.synthetic !== undefined);
      return error && textOf(error);
    },
    outcome: (end, why, durationMs) => ({
      end,
      ...(why !== undefined && { why }),
      text: lastText(),
      model: asked,
      usage: wholeUsage(usage),
      totalTokens: contextTokens(usage),
      ...cost(),
      totalToolUseCount: tools.length,
      totalDurationMs: Math.round(durationMs),
      toolsUsed: [...new Set(tools)],
    }),
  };
}

interface EndFacts {
  readonly terminal: Terminal;
  /** How its last model call failed, when it did. */
  readonly failure: ModelFailure | undefined;
  readonly deadlinePassed: boolean;
  readonly deadlineMs: number | undefined;
  readonly limits: Pick<QueryEngineConfig, 'maxBudgetUsd'>;
  readonly lastError: string | undefined;
}

/** The end, and a sentence on it. */
export function describeAgentEnd(facts: EndFacts): { readonly end: AgentEnd; readonly why?: string } {
  const { terminal, failure } = facts;
  const { agent: ended } = TERMINALS[terminal.reason];
  if (ended === 'completed') return { end: ended };
  // The deadline aborts the signal too, but it is the reason.
  if (facts.deadlinePassed)
    return { end: 'deadline', why: `it was not done after ${(facts.deadlineMs ?? 0) / 1000} s.` };
  if (ended === 'error' && failure?.kind === 'budget') return { end: 'budget', why: failure.message };
  switch (ended) {
    case 'max_turns':
      return { end: ended, why: `it had used all of its ${terminal.turnCount - 1} turns.` };
    case 'budget':
      return { end: ended, why: `the budget of $${facts.limits.maxBudgetUsd ?? 0} is spent.` };
    case 'aborted':
      return { end: ended, why: 'it was stopped.' };
    case 'stopped_by_hook':
      return { end: ended, why: 'a hook stopped it.' };
    case 'deadline':
    case 'lost':
    case 'error':
      return {
        end: ended,
        why: terminal.errors?.join(' ') || facts.lastError || `it ended as ${terminal.reason}.`,
      };
  }
}
