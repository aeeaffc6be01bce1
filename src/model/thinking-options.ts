/** `max_tokens`, thinking and effort as the model at hand takes them (L3). */
import type { ModelInfo, ModelRequest } from '../protocol/model.ts';
import type { ThinkingConfig } from '../protocol/wire.ts';
import { thinkingSupport } from './model-info.ts';

/** The API's least budget for thinking, tokens. */
const MIN_THINKING_BUDGET = 1024;
/** Where a model takes a budget and none was given: at most this many tokens, and half the output. */
const DEFAULT_THINKING_BUDGET = 31_999;

export type WireThinking =
  | { readonly type: 'adaptive'; readonly display?: string }
  | { readonly type: 'enabled'; readonly budget_tokens: number; readonly display?: string }
  | { readonly type: 'disabled' };

/** Never above the model's own maximum. */
export function wireMaxTokens(asked: number, info: ModelInfo): number {
  return Math.max(1, Math.min(asked, info.maxOutputTokens));
}

export function wireThinking(
  request: ModelRequest,
  info: ModelInfo,
  maxTokens: number,
  /** The open run of tool calls began without thinking, or its thinking was dropped. */
  runWithoutThinking: boolean,
): WireThinking | undefined {
  const asked = request.thinking;
  if (asked === undefined) return undefined;
  const support = thinkingSupport(request.model, info);
  const takesAdaptive = support === 'adaptive' || support === 'enabled+adaptive';
  if (asked.type === 'disabled') return takesAdaptive ? { type: 'disabled' } : undefined;
  if (support === 'none') return explicitBudget(asked, maxTokens);
  if (support === 'adaptive' || (asked.type === 'adaptive' && takesAdaptive)) {
    return { type: 'adaptive', ...display(asked) };
  }
  if (runWithoutThinking) return undefined;
  const budget = asked.type === 'enabled' ? asked.budgetTokens : undefined;
  return enabled(budget ?? Math.min(DEFAULT_THINKING_BUDGET, Math.floor(maxTokens / 2)), maxTokens, asked);
}

/** Of a model nothing is known about, only an explicit budget is passed on. */
function explicitBudget(asked: ThinkingConfig, maxTokens: number): WireThinking | undefined {
  if (asked.type !== 'enabled' || asked.budgetTokens === undefined) return undefined;
  return enabled(asked.budgetTokens, maxTokens, asked);
}

function enabled(budget: number, maxTokens: number, asked: ThinkingConfig): WireThinking | undefined {
  const fitting = Math.min(budget, maxTokens - 1);
  if (fitting < MIN_THINKING_BUDGET) return undefined;
  return { type: 'enabled', budget_tokens: fitting, ...display(asked) };
}

function display(asked: ThinkingConfig): { display?: string } {
  return asked.type !== 'disabled' && asked.display !== undefined ? { display: asked.display } : {};
}
