/** The hooks that a prompt meets on its way in: the session's start, then the prompt's own. */
import type { HookCall, HookVerdict } from '../protocol/hook.ts';
import type { AttachmentMessage } from '../protocol/messages.ts';
import type { EngineParts } from './parts.ts';

export interface SessionStarted {
  /** What hooks want the model to know. */
  readonly context: readonly AttachmentMessage[];
  /** Goes before the first prompt. */
  readonly firstMessage: string | undefined;
}

export async function startSession(
  resumed: boolean,
  signal: AbortSignal,
  parts: EngineParts,
): Promise<SessionStarted> {
  if (!parts.hooks.has('SessionStart')) return { context: [], firstMessage: undefined };
  const source = !resumed ? parts.memory.begun : parts.config.forkSession === true ? 'fork' : 'resume';
  const model = parts.model.resolve(parts.memory.modelName);
  const verdict = await parts.hooks.run({ event: 'SessionStart', source, model }, { signal });
  return {
    context: hookContext('SessionStart', verdict.additionalContext, parts),
    firstMessage: verdict.initialUserMessage,
  };
}

export interface PromptVerdict {
  /** What the person is told instead; undefined: the prompt goes on. */
  readonly refusal: string | undefined;
  readonly context: readonly AttachmentMessage[];
}

export const NOTHING_SAID: PromptVerdict = { refusal: undefined, context: [] };

export async function judgePrompt(
  call: Extract<HookCall, { readonly event: 'UserPromptSubmit' | 'UserPromptExpansion' }>,
  signal: AbortSignal,
  parts: EngineParts,
): Promise<PromptVerdict> {
  const verdict = await parts.hooks.run(call, { signal });
  return {
    refusal: refusalIn(verdict),
    context: hookContext(call.event, verdict.additionalContext, parts),
  };
}

function refusalIn(verdict: HookVerdict): string | undefined {
  if (verdict.blockingErrors.length > 0) return verdict.blockingErrors.join('\n');
  if (verdict.permission === 'deny') return verdict.reason ?? 'A hook refused this prompt.';
  return verdict.preventContinuation?.stopReason;
}

function hookContext(event: string, content: readonly string[], parts: EngineParts): AttachmentMessage[] {
  if (content.length === 0) return [];
  const text = `<system-reminder>\n${event} hook: ${content.join('\n')}\n</system-reminder>`;
  return [
    {
      type: 'attachment',
      uuid: parts.ids.uuid(),
      timestamp: new Date(parts.clock.nowMs()).toISOString(),
      attachment: { type: 'hook_context', event, content },
      rendered: [{ type: 'text', text }],
    },
  ];
}
