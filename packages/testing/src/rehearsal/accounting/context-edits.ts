/**
 * `context_management.edits`: what the API clears before the prompt reaches the model. The request keeps its
 * history; tokens, cache and window are computed from the rest.
 */

import { isRecord } from '@turnwright/base/json-values.ts';
import type { ApiBlock, ApiRequest, ApiTurn } from '../request/api-request.ts';
import { blockTokens, requestTokens } from './count-tokens.ts';

/** An edit that was applied, as the response reports it. */
export type AppliedEdit =
  | {
      readonly type: 'clear_tool_uses_20250919';
      readonly cleared_tool_uses: number;
      readonly cleared_input_tokens: number;
    }
  | {
      readonly type: 'clear_thinking_20251015';
      readonly cleared_thinking_turns: number;
      readonly cleared_input_tokens: number;
    };

export interface EditedPrompt {
  readonly tools: ApiRequest['tools'];
  readonly system: ApiRequest['system'];
  readonly turns: readonly ApiTurn[];
  readonly inputTokens: number;
  /** Absent when the request asks for no edits. */
  readonly applied?: readonly AppliedEdit[];
  readonly originalTokens: number;
}

const CLEARED = '[tool result cleared]';
const DEFAULT_TRIGGER_TOKENS = 100_000;
const DEFAULT_KEPT_TOOL_USES = 3;

export function applyContextEdits(request: ApiRequest): EditedPrompt {
  const { tools, system } = request;
  const originalTokens = requestTokens(request);
  const management = request.body['context_management'];
  const edits =
    isRecord(management) && Array.isArray(management['edits']) ? management['edits'].filter(isRecord) : [];
  let turns = request.turns;
  const applied: AppliedEdit[] = [];
  for (const edit of edits) {
    const tokens = applied.length === 0 ? originalTokens : requestTokens({ tools, system, turns });
    const result =
      edit['type'] === 'clear_tool_uses_20250919'
        ? clearToolUses(turns, edit, tokens)
        : edit['type'] === 'clear_thinking_20251015'
          ? clearThinking(turns, edit)
          : undefined;
    if (result === undefined) continue;
    turns = result.turns;
    applied.push(result.applied);
  }
  const inputTokens = applied.length === 0 ? originalTokens : requestTokens({ tools, system, turns });
  return { tools, system, turns, inputTokens, originalTokens, ...(edits.length > 0 ? { applied } : {}) };
}

interface Edited {
  readonly turns: readonly ApiTurn[];
  readonly applied: AppliedEdit;
}

function clearToolUses(
  turns: readonly ApiTurn[],
  edit: Record<string, unknown>,
  inputTokens: number,
): Edited | undefined {
  const excluded = new Set(Array.isArray(edit['exclude_tools']) ? edit['exclude_tools'] : []);
  const uses: ApiBlock[] = turns.flatMap((turn) => turn.blocks.filter((block) => block.type === 'tool_use'));
  const trigger = isRecord(edit['trigger']) ? edit['trigger'] : {};
  const measured = trigger['type'] === 'tool_uses' ? uses.length : inputTokens;
  if (measured <= readNumber(trigger['value'], DEFAULT_TRIGGER_TOKENS)) return undefined;
  const keep = isRecord(edit['keep'])
    ? readNumber(edit['keep']['value'], DEFAULT_KEPT_TOOL_USES)
    : DEFAULT_KEPT_TOOL_USES;
  const clearable = uses
    .slice(0, Math.max(0, uses.length - keep))
    .filter((use) => !excluded.has(use['name']));
  const ids = new Set(clearable.map((use) => use['id']));
  const clearInputs = edit['clear_tool_inputs'] === true;
  let freed = 0;
  const swap = (block: ApiBlock): ApiBlock => {
    const cleared = clearedForm(block, ids, clearInputs);
    if (cleared !== block) freed += blockTokens(block) - blockTokens(cleared);
    return cleared;
  };
  const next = turns.map((turn) => ({ ...turn, blocks: turn.blocks.map(swap) }));
  const atLeast = isRecord(edit['clear_at_least']) ? readNumber(edit['clear_at_least']['value'], 0) : 0;
  if (ids.size === 0 || freed <= 0 || freed < atLeast) return undefined;
  const applied = {
    type: 'clear_tool_uses_20250919',
    cleared_tool_uses: ids.size,
    cleared_input_tokens: freed,
  } as const;
  return { turns: next, applied };
}

function clearedForm(block: ApiBlock, ids: ReadonlySet<unknown>, clearInputs: boolean): ApiBlock {
  if (block.type === 'tool_result' && ids.has(block['tool_use_id'])) return { ...block, content: CLEARED };
  if (clearInputs && block.type === 'tool_use' && ids.has(block['id'])) return { ...block, input: {} };
  return block;
}

function clearThinking(turns: readonly ApiTurn[], edit: Record<string, unknown>): Edited | undefined {
  if (edit['keep'] === 'all') return undefined;
  const keep = isRecord(edit['keep']) ? readNumber(edit['keep']['value'], 1) : 1;
  const thinkingTurns = turns.filter((turn) => turn.blocks.some(isThinking));
  const cleared = new Set(thinkingTurns.slice(0, Math.max(0, thinkingTurns.length - keep)));
  if (cleared.size === 0) return undefined;
  let freed = 0;
  const next = turns.map((turn) => {
    if (!cleared.has(turn)) return turn;
    for (const block of turn.blocks) if (isThinking(block)) freed += blockTokens(block);
    return { ...turn, blocks: turn.blocks.filter((block) => !isThinking(block)) };
  });
  const applied = {
    type: 'clear_thinking_20251015',
    cleared_thinking_turns: cleared.size,
    cleared_input_tokens: freed,
  } as const;
  return { turns: next, applied };
}

function isThinking(block: ApiBlock): boolean {
  return block.type === 'thinking' || block.type === 'redacted_thinking';
}

function readNumber(value: unknown, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}
