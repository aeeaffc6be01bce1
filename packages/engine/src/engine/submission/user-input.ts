/** Phase 3 of a submission: what the prompt adds to the conversation, and whether the model is asked. */

import type { Scope } from '@turnwright/base/async/scope.ts';
import { extended } from '@turnwright/base/collections/extended.ts';
import { isoTime } from '@turnwright/base/text/figures-and-times.ts';
import { textOfContent } from '@turnwright/base/text/text-blocks.ts';
import type { AttachmentMessage, InformationalBody, UserMessage } from '../../protocol/model/messages.ts';
import type { UserBlock } from '../../protocol/model/wire.ts';
import type { VerifyConditions } from '../../protocol/session/verification.ts';
import {
  COMMAND_SOURCES,
  type Command,
  type CommandOrigin,
  type CommandResult,
} from '../../protocol/tools/command.ts';
import { TASK_NOTICE } from '../../protocol/tools/task.ts';
import { type CommandCall, checkedResult, commandContext, findCommand } from '../host/called-command.ts';
import type { Session } from '../session/session.ts';
import type { Prompt, SubmitOptions } from './prompt.ts';
import { judgePrompt, NOTHING_SAID, type PromptVerdict, startSession, submitted } from './prompt-hooks.ts';

export interface UserInput {
  /** What hooks say before the prompt. */
  readonly before: readonly AttachmentMessage[];
  readonly messages: readonly UserMessage[];
  /** What hooks say about the prompt. */
  readonly after: readonly AttachmentMessage[];
  readonly shouldQuery: boolean;
  readonly byCommand: boolean;
  /** The command that was run. */
  readonly command: string | undefined;
  readonly allowedTools: readonly string[];
  /** Completion conditions of its command. */
  readonly verify: VerifyConditions | undefined;
  readonly model: string | undefined;
  readonly effort: CommandResult['effort'];
  readonly compact: CommandResult['compact'];
  /** Another conversation begins. */
  readonly clear: boolean;
  readonly resultText: string;
  /** Shown to the host. */
  readonly notices: readonly InformationalBody[];
}

export async function processUserInput(
  prompt: Prompt,
  when: { readonly first: boolean; readonly resumed: boolean; readonly scope: Pick<Scope, 'signal'> },
  session: Session,
): Promise<UserInput> {
  const { scope } = when;
  const { config, conversation, submissions, world } = session;
  const started = when.first ? await startSession(when.resumed, scope, session) : undefined;
  const first =
    started?.firstMessage === undefined ? [] : [userMessage(started.firstMessage, 'prompt', {}, session)];
  const base = {
    before: started?.context ?? [],
    after: [],
    shouldQuery: prompt.shouldQuery !== false,
    byCommand: false,
    command: undefined,
    clear: false,
    allowedTools: [],
    verify: undefined,
    model: undefined,
    effort: undefined,
    compact: undefined,
    resultText: '',
    notices: [],
  };
  const refused = ({ refusal, notice }: PromptVerdict) => ({
    ...base,
    messages: [],
    shouldQuery: false,
    resultText: refusal ?? '',
    notices: notice === undefined ? [] : [notice],
  });
  const text = textOfContent(prompt.content);
  const isVerbatim = prompt.verbatim === true || config.verbatimPrompts === true;
  const call = isVerbatim ? undefined : calledBy(prompt, session);
  if (call !== undefined) {
    const { command, args } = call;
    submissions.promptId = prompt.uuid ?? world.ids.uuid();
    const verdict = await judgeCommand(command, args, text, scope, session);
    if (verdict.refusal !== undefined) return refused(verdict);
    const { context: after } = verdict;
    const returned = await command.run(args, commandContext(session, scope.signal));
    const result = checkedResult(command.name, returned);
    const isCleared = result.clear === true;
    const { noClear } = config;
    const worded = withHead(result.messages, command, args);
    return {
      ...base,
      messages: [...first, ...worded.map((content) => userMessage(content, 'command', {}, session))],
      after: result.shouldQuery ? after : [],
      shouldQuery: base.shouldQuery && result.shouldQuery,
      byCommand: true,
      command: command.name,
      allowedTools: result.allowedTools ?? [],
      verify: result.verify,
      model: result.model,
      effort: result.effort,
      compact: result.compact,
      clear: isCleared && noClear === undefined,
      resultText: (isCleared ? noClear : undefined) ?? result.resultText ?? '',
      notices: (result.notices ?? []).map((content) => ({
        subtype: 'informational',
        level: 'notice',
        content,
      })),
    };
  }
  const takesCommands = !isVerbatim && config.disableSlashCommands !== true;
  const advice = takesCommands && text.startsWith('/') ? await adviceFor(text) : undefined;
  if (advice !== undefined) return { ...base, messages: [], shouldQuery: false, resultText: advice };
  const uuid = prompt.uuid ?? world.ids.uuid();
  submissions.promptId = uuid;
  // What the engine itself has to say is no prompt of the user's, and nothing to keep back.
  const byUser = prompt.origin?.kind !== TASK_NOTICE;
  const verdict = byUser ? await judgePrompt(submitted(text, conversation), scope, session) : NOTHING_SAID;
  if (verdict.refusal !== undefined) return refused(verdict);
  const message = userMessage(prompt.content, 'prompt', extended(prompt, { uuid }), session);
  const files = isVerbatim || !byUser ? [] : await mentions(text, scope, session);
  return extended(base, { messages: [...first, message], after: [...files, ...verdict.context] });
}

function calledBy(
  prompt: Prompt,
  { commands, config }: Pick<Session, 'commands' | 'config'>,
): CommandCall | undefined {
  if (config.disableSlashCommands === true) return undefined;
  return findCommand(prompt.content, commands.list());
}

/** Whose prompts say first which command they come from: our own, and those that people keep in files. */
const NAMED: ReadonlySet<CommandOrigin> = new Set(['builtin', 'user', 'project', 'plugin', 'skill']);

/**
 * The first message begins with the call as it was typed, in the form in which readers of transcripts know
 * it.
 */
function withHead(
  messages: CommandResult['messages'],
  { name, origin = 'host' }: Command,
  args: string,
): CommandResult['messages'] {
  const [first, ...more] = messages;
  if (first === undefined || !NAMED.has(origin)) return messages;
  const given = args.trim() === '' ? '' : `<command-args>${args.trim()}</command-args>\n`;
  const head = `<command-message>${name}</command-message>\n<command-name>/${name}</command-name>\n${given}`;
  const blocks = typeof first === 'string' ? [{ type: 'text' as const, text: first }] : first;
  return [[{ type: 'text', text: head }, ...blocks], ...more];
}

/** The prompt as it was typed, then what it is to become. The engine's own commands word none. */
async function judgeCommand(
  { name, origin = 'host' }: Command,
  args: string,
  prompt: string,
  scope: Pick<Scope, 'signal'>,
  session: Session,
): Promise<PromptVerdict> {
  if (origin === 'builtin') return NOTHING_SAID;
  const typed = await judgePrompt(submitted(prompt, session.conversation), scope, session);
  if (typed.refusal !== undefined) return typed;
  const expanded = await judgePrompt(
    {
      event: 'UserPromptExpansion',
      expansion_type: origin === 'mcp' ? 'mcp_prompt' : 'slash_command',
      command_name: name,
      command_args: args,
      command_source: COMMAND_SOURCES[origin] ?? origin,
      prompt,
    },
    scope,
    session,
  );
  return { ...expanded, context: [...typed.context, ...expanded.context] };
}

/** Loaded by the first prompt that begins like a command and is none. */
async function adviceFor(text: string): Promise<string | undefined> {
  const { adviceForPrompt } = await import('../host/foreign-commands.ts');
  return adviceForPrompt(text);
}

/** What a prompt names, behind it: files, folders, agents, resources of servers. */
async function mentions(
  text: string,
  scope: Pick<Scope, 'signal'>,
  session: Pick<Session, 'config' | 'host' | 'mcp' | 'tools' | 'world'>,
): Promise<AttachmentMessage[]> {
  if (!text.includes('@')) return [];
  const { readMentions } = await import('./mentioned-files.ts');
  const found = await readMentions(text, scope, session);
  if (found.length > 0) session.config.onAttached?.(found.map(({ attachment }) => attachment));
  return found.map(({ attachment, rendered }) => ({
    type: 'attachment',
    ...session.host.timedStamp(),
    attachment,
    rendered: session.tools.admit(rendered) as readonly UserBlock[],
  }));
}

function userMessage(
  content: string | readonly UserBlock[],
  kind: 'prompt' | 'command',
  options: SubmitOptions,
  { tools, world }: Pick<Session, 'tools' | 'world'>,
): UserMessage {
  return Object.freeze({
    type: 'user' as const,
    kind,
    uuid: options.uuid ?? world.ids.uuid(),
    timestamp: isoTime(world.clock.nowMs()),
    message: { role: 'user' as const, content: tools.admit(content) },
    ...(options.origin !== undefined && { origin: options.origin }),
  });
}
