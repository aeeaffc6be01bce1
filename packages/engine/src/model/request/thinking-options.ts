/** `max_tokens`, thinking and effort in the form that the model supports (L3). */
import type { ModelInfo, ModelRequest } from '../../protocol/model/model.ts';
import type { EffortLevel, ThinkingConfig } from '../../protocol/model/wire.ts';
import { thinkingSupport } from '../catalog/model-info.ts';

/** Minimum thinking budget of the API, in tokens. */
const MIN_THINKING_BUDGET = 1024;
/** Default budget in tokens, for models with budgets. A request with little room uses half of it. */
const DEFAULT_THINKING_BUDGET = 31_999;

/**
 * Thinking of a conversation with this model: the requested one in the form that the model supports, or its
 * default. undefined: none is requested.
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

/** Why what was asked for is not what the model is sent; undefined: it is, or nothing was asked for. */
export function unsentThinking(
  asked: ThinkingConfig | undefined,
  model: string,
  info: ModelInfo,
): string | undefined {
  if (asked === undefined) return undefined;
  if (isOff(asked))
    return info.alwaysThinks === true ? `${model} always thinks: thinking is not switched off.` : undefined;
  const support = thinkingSupport(model, info);
  if (support === 'none' && info.supportsThinking === false)
    return `${model} does not think: what was set for thinking is not sent.`;
  const budget = asked.type === 'enabled' ? asked.budgetTokens : undefined;
  return support === 'adaptive' && budget !== undefined
    ? `${model} decides itself how much it thinks: the thinking budget of ${budget} tokens is not sent.`
    : undefined;
}

/** Where the model decides how much of a thinking budget it uses, the answer needs additional tokens. */
export const OUTPUT_CAP_WITH_THINKING = DEFAULT_THINKING_BUDGET + 1;

/** A budget of 0 switches thinking off. */
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
    return support === 'none' && info.supportsThinking !== true ? undefined : { type: 'disabled' };
  }
  if (support === 'none' && info.supportsThinking !== true)
    return info.supportsThinking === false ? undefined : explicitBudget(asked, maxTokens);
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

/** For an unknown model, only an explicit budget is passed on. */
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

/** The chosen effort, else the model's default; undefined: the model has no effort levels. */
export function wireEffort({ effort }: ModelRequest, info: ModelInfo): EffortLevel | undefined {
  return info.supportsEffort ? (effort ?? info.defaultEffort) : undefined;
}
