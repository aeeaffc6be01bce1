/** What Claude models take inside a conversation, so that a change does not cost the cached prompt. */
import { canonicalModel } from './model-info.ts';

/** The field that a refusal names: deferred tools and references are known together or not at all. */
export const TOOL_REFERENCES = 'defer_loading';

/** The beta of effort messages, which a refusal names, or whose message it does. */
export const EFFORT_MESSAGES = 'mid-conversation-output-config-2026-07-01';

/** Deferred tools, and results that refer to them. */
export function knowsToolReferences(model: string): boolean {
  return /^claude-(?:(?:fable|mythos)-|(?:opus|sonnet)-(?:[4-9]|\d\d)|haiku-(?:[5-9]|\d\d))/.test(
    canonicalModel(model),
  );
}

/** A message of the role `system` that sets the effort from there on. */
export function knowsEffortMessages(model: string): boolean {
  return /^claude-(?:(?:fable|mythos)-(?:5-\d|[6-9])|opus-[5-9])/.test(canonicalModel(model));
}

/** Thinking is bound to all that precedes it: the API drops or refuses it where that has changed. */
export function bindsThinking(model: string): boolean {
  return /^claude-(?:(?:fable|mythos)-(?:5-\d|[6-9])|opus-[5-9]|(?:sonnet|haiku)-(?:5-5|[6-9]))/.test(
    canonicalModel(model),
  );
}
