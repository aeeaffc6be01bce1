/** `max_tokens`, thinking and effort as the model at hand takes them (L3). */
import type { ModelInfo, ModelRequest } from '../../protocol/model.ts';
import type { EffortLevel, ThinkingConfig } from '../../protocol/wire.ts';
import { thinkingSupport } from '../catalog/model-info.ts';

/** The API's least budget for thinking, tokens. */
const MIN_THINKING_BUDGET = 1024;
/** Where a model takes a budget and none was given, tokens. A request with little room spends half of it. */
const DEFAULT_THINKING_BUDGET = 31_999;

/**
 * The thinking of a conversation with this model: what was asked for in the form that the model takes, or its default.
 * undefined: nothing is asked for.
 */
export function thinkingFor(
  asked: ThinkingConfig | undefined,
  model: string,
  info: ModelInfo,
): ThinkingConfig | undefined {
  const support = thinkingSupport(model, info);
  if (asked === undefined) {
    if (support === 'none') return undefined;
    return support === 'enabled' ? { type: 'enabled' } : { type: 'adaptive' };
  }
  if (isOff(asked)) return info.alwaysThinks === true ? { type: 'adaptive' } : { type: 'disabled' };
  if (support === 'adaptive') return { type: 'adaptive', ...display(asked) };
  return asked.type === 'adaptive' && support === 'enabled' ? { type: 'enabled', ...display(asked) } : asked;
}

/** Where the model chooses how far a budget of thinking goes, the answer needs room beside it, tokens. */
export const OUTPUT_CAP_WITH_THINKING = DEFAULT_THINKING_BUDGET + 1;

/** A budget of 0 is no thinking. */
function isOff(asked: ThinkingConfig): boolean {
  return asked.type === 'disabled' || (asked.type === 'enabled' && asked.budgetTokens === 0);
}

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
  if (isOff(asked)) {
    if (info.alwaysThinks === true) return { type: 'adaptive' };
    return support === 'none' ? undefined : { type: 'disabled' };
  }
  if (support === 'none') return explicitBudget(asked, maxTokens);
  if (support === 'adaptive' || (asked.type === 'adaptive' && takesAdaptive)) {
    return { type: 'adaptive', ...display(asked) };
  }
  if (runWithoutThinking) return undefined;
  const budget = asked.type === 'enabled' ? asked.budgetTokens : undefined;
  return enabled(budget ?? defaultBudget(maxTokens), maxTokens, asked);
}

function defaultBudget(maxTokens: number): number {
  return maxTokens > DEFAULT_THINKING_BUDGET ? DEFAULT_THINKING_BUDGET : Math.floor(maxTokens / 2);
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

function display(asked: ThinkingConfig): Pick<Exclude<ThinkingConfig, { type: 'disabled' }>, 'display'> {
  return asked.type !== 'disabled' && asked.display !== undefined ? { display: asked.display } : {};
}

/** What was chosen, else the model's default; undefined: the model takes none. */
export function wireEffort({ effort }: ModelRequest, info: ModelInfo): EffortLevel | undefined {
  return info.supportsEffort ? (effort ?? info.defaultEffort) : undefined;
}
