/** Phase 3 of a submission: what the prompt adds to the conversation, and whether the model is asked. */
import type { CommandResult } from '../protocol/command.ts';
import type { AttachmentMessage, UserMessage } from '../protocol/messages.ts';
import { TASK_NOTICE } from '../protocol/task.ts';
import type { UserBlock } from '../protocol/wire.ts';
import { commandsOf } from './command-list.ts';
import { findCommand } from './commands.ts';
import type { EngineParts } from './parts.ts';
import type { Prompt } from './prepare-submission.ts';
import { judgePrompt, NOTHING_SAID, startSession } from './prompt-hooks.ts';

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
  const { signal } = when;
  const started = when.first ? await startSession(when.resumed, signal, parts) : undefined;
  const first =
    started?.firstMessage === undefined ? [] : [userMessage(started.firstMessage, 'prompt', {}, parts)];
  const base = {
    before: started?.context ?? [],
    after: [],
    shouldQuery: prompt.options.shouldQuery !== false,
    byCommand: false,
    allowedTools: [],
    model: undefined,
    compact: undefined,
    resultText: '',
    notices: [],
  };
  const refused = (refusal: string) => ({
    ...base,
    messages: [],
    shouldQuery: false,
    resultText: refusal,
    notices: [refusal],
  });
  const text = typeof prompt.content === 'string' ? prompt.content : textOf(prompt.content);
  const call = findCommand(prompt.content, commandsOf(parts.config, parts.mcp.commands));
  if (call !== undefined) {
    const { sessionId, journal, config } = parts;
    parts.memory.promptId = prompt.options.uuid;
    const { refusal, context: after } = await judgePrompt(
      {
        event: 'UserPromptExpansion',
        expansion_type: parts.mcp.commands.includes(call.command) ? 'mcp_prompt' : 'slash_command',
        command_name: call.command.name,
        command_args: call.args,
        prompt: text,
      },
      signal,
      parts,
    );
    if (refusal !== undefined) return refused(refusal);
    const context = {
      sessionId,
      cwd: config.cwd,
      messages: journal.view.messages.slice(),
      signal,
    };
    const result = await call.command.run(call.args, context);
    return {
      ...base,
      messages: [...first, ...result.messages.map((content) => userMessage(content, 'command', {}, parts))],
      after,
      shouldQuery: base.shouldQuery && result.shouldQuery,
      byCommand: true,
      allowedTools: result.allowedTools ?? [],
      model: result.model,
      compact: result.compact,
      resultText: result.resultText ?? '',
    };
  }
  const uuid = prompt.options.uuid ?? parts.ids.uuid();
  parts.memory.promptId = uuid;
  // What the engine itself has to say is no prompt of the user's, and nothing to keep back.
  const byUser = prompt.options.origin?.kind !== TASK_NOTICE;
  const { refusal, context: after } = byUser
    ? await judgePrompt({ event: 'UserPromptSubmit', prompt: text }, signal, parts)
    : NOTHING_SAID;
  if (refusal !== undefined) return refused(refusal);
  const message = userMessage(prompt.content, 'prompt', { ...prompt.options, uuid }, parts);
  return { ...base, messages: [...first, message], after };
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

function textOf(blocks: readonly UserBlock[]): string {
  return blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
}
