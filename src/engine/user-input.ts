/** Phase 3 of a submission: what the prompt adds to the conversation, and whether the model is asked. */
import type { CommandResult } from '../protocol/command.ts';
import { type HookVerdict, NO_HOOK_VERDICT } from '../protocol/hook.ts';
import type { AttachmentMessage, UserMessage } from '../protocol/messages.ts';
import { TASK_NOTICE } from '../protocol/task.ts';
import type { UserBlock } from '../protocol/wire.ts';
import { commandsOf } from './command-list.ts';
import { findCommand } from './commands.ts';
import type { EngineParts } from './parts.ts';
import type { Prompt } from './prepare-submission.ts';

export interface UserInput {
  /** What hooks say before the prompt. */
  readonly before: readonly AttachmentMessage[];
  readonly messages: readonly UserMessage[];
  /** What hooks say about the prompt. */
  readonly after: readonly AttachmentMessage[];
  readonly shouldQuery: boolean;
  readonly byCommand: boolean;
  readonly allowedTools: readonly string[];
  readonly model: string | undefined;
  readonly compact: CommandResult['compact'];
  readonly resultText: string;
  /** Shown to the host as informational messages. */
  readonly notices: readonly string[];
}

export async function processUserInput(
  prompt: Prompt,
  when: { readonly first: boolean; readonly resumed: boolean; readonly signal: AbortSignal },
  parts: EngineParts,
): Promise<UserInput> {
  const before = when.first ? await sessionStart(when.resumed, when.signal, parts) : [];
  const base = {
    before,
    after: [],
    shouldQuery: prompt.options.shouldQuery !== false,
    byCommand: false,
    allowedTools: [],
    model: undefined,
    compact: undefined,
    resultText: '',
    notices: [],
  };
  const call = findCommand(prompt.content, commandsOf(parts.config, parts.mcp.commands));
  if (call !== undefined) {
    const { sessionId, journal, config } = parts;
    const context = {
      sessionId,
      cwd: config.cwd,
      messages: journal.view.messages.slice(),
      signal: when.signal,
    };
    const result = await call.command.run(call.args, context);
    return {
      ...base,
      messages: result.messages.map((content) => userMessage(content, 'command', {}, parts)),
      shouldQuery: base.shouldQuery && result.shouldQuery,
      byCommand: true,
      allowedTools: result.allowedTools ?? [],
      model: result.model,
      compact: result.compact,
      resultText: result.resultText ?? '',
    };
  }
  const text = typeof prompt.content === 'string' ? prompt.content : textOf(prompt.content);
  // What the engine itself has to say is no prompt of the user's, and nothing to keep back.
  const byUser = prompt.options.origin?.kind !== TASK_NOTICE;
  const verdict = byUser
    ? await parts.hooks.run({ event: 'UserPromptSubmit', prompt: text }, { signal: when.signal })
    : NO_HOOK_VERDICT;
  const refusal = refusalIn(verdict);
  if (refusal !== undefined) {
    return {
      ...base,
      messages: [],
      shouldQuery: false,
      resultText: refusal,
      notices: [refusal, ...verdict.systemMessages],
    };
  }
  return {
    ...base,
    messages: [userMessage(prompt.content, 'prompt', prompt.options, parts)],
    after: hookContext('UserPromptSubmit', verdict.additionalContext, parts),
    notices: verdict.systemMessages,
  };
}

async function sessionStart(
  resumed: boolean,
  signal: AbortSignal,
  parts: EngineParts,
): Promise<AttachmentMessage[]> {
  if (!parts.hooks.has('SessionStart')) return [];
  const source = resumed ? 'resume' : 'startup';
  const verdict = await parts.hooks.run({ event: 'SessionStart', source }, { signal });
  return hookContext('SessionStart', verdict.additionalContext, parts);
}

/** What a hook says to the person when it keeps a prompt back. */
function refusalIn(verdict: HookVerdict): string | undefined {
  if (verdict.blockingErrors.length > 0) return verdict.blockingErrors.join('\n');
  if (verdict.permission === 'deny') return verdict.reason ?? 'A hook refused this prompt.';
  return verdict.preventContinuation?.stopReason;
}

function userMessage(
  content: string | readonly UserBlock[],
  kind: 'prompt' | 'command',
  options: Prompt['options'],
  parts: EngineParts,
): UserMessage {
  return Object.freeze({
    type: 'user' as const,
    kind,
    uuid: options.uuid ?? parts.ids.uuid(),
    timestamp: new Date(parts.clock.nowMs()).toISOString(),
    message: { role: 'user' as const, content: parts.admit(content) },
    ...(options.origin !== undefined && { origin: options.origin }),
  });
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

function textOf(blocks: readonly UserBlock[]): string {
  return blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
}
