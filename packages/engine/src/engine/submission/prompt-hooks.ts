/** The hooks that a prompt meets on its way in: the session's start, then the prompt's own. */

import type { Scope } from '@turnwright/base/async/scope.ts';
import { isoTime } from '@turnwright/base/text/figures-and-times.ts';
import { reminder, textOfContent } from '@turnwright/base/text/text-blocks.ts';
import type { JudgePrompt } from '../../attachments/queued-commands.ts';
import type { AttachmentMessage, InformationalBody } from '../../protocol/model/messages.ts';
import type { Clock, Ids, InboxItem } from '../../protocol/ports.ts';
import type { HookCall, HookVerdict } from '../../protocol/tools/hook.ts';
import type { Conversation } from '../session/conversation.ts';
import type { Session } from '../session/session.ts';
import { setSessionTitle } from '../session/session-title.ts';

interface SessionStarted {
  /** What hooks want the model to know. */
  readonly context: readonly AttachmentMessage[];
  /** Goes before the first prompt. */
  readonly firstMessage: string | undefined;
}

export async function startSession(
  resumed: boolean,
  scope: Pick<Scope, 'signal'>,
  session: Session,
): Promise<SessionStarted> {
  const { commands, config, hooks, skills, submissions } = session;
  if (!hooks.has('SessionStart')) return { context: [], firstMessage: undefined };
  const source = !resumed ? submissions.origin : config.forkSession === true ? 'fork' : 'resume';
  const model = session.model.current;
  const verdict = await hooks.run({ event: 'SessionStart', source, model }, { signal: scope.signal });
  await entitle(verdict, session);
  if (verdict.reloadSkills === true) await Promise.all([skills.reload(), commands.load()]);
  return {
    context: hookContext('SessionStart', verdict.additionalContext, session.world),
    firstMessage: verdict.initialUserMessage,
  };
}

export interface PromptVerdict {
  /** The message for the person if the prompt is refused; undefined: the prompt is submitted. */
  readonly refusal: string | undefined;
  /** The refusal with the prompt it is about, unless a hook wants that left out. */
  readonly notice: InformationalBody | undefined;
  readonly context: readonly AttachmentMessage[];
}

type SubmittedPrompt = Extract<HookCall, { readonly event: 'UserPromptSubmit'; readonly prompt: string }>;

export const NOTHING_SAID: PromptVerdict = { refusal: undefined, notice: undefined, context: [] };

export async function judgePrompt(
  call: Extract<HookCall, { readonly event: 'UserPromptSubmit' | 'UserPromptExpansion' }>,
  scope: Pick<Scope, 'signal'>,
  session: Session,
): Promise<PromptVerdict> {
  if (!session.hooks.has(call.event)) return NOTHING_SAID;
  const verdict = await session.hooks.run(call, { signal: scope.signal });
  await entitle(verdict, session);
  const refusal = refusalIn(verdict);
  return {
    refusal,
    notice:
      refusal === undefined
        ? undefined
        : { ...buildNotice(refusal, verdict, String(call.prompt)), prevent_continuation: true },
    context: hookContext(call.event, verdict.additionalContext, session.world),
  };
}

export function submitted(prompt: string, { title }: Pick<Conversation, 'title'>): SubmittedPrompt {
  return { event: 'UserPromptSubmit', prompt, ...(title !== undefined && { session_title: title }) };
}

/** A prompt that would join the running turn. undefined: no hook has a say in it. */
export function judgeJoining(
  { content, byHook }: InboxItem,
  signal: AbortSignal,
  session: Session,
): ReturnType<JudgePrompt> {
  const { conversation, hooks, notices } = session;
  if (byHook === true || !hooks.has('UserPromptSubmit')) return undefined;
  return (async () => {
    const verdict = await hooks.run(submitted(textOfContent(content), conversation), { signal });
    const refusal = refusalIn(verdict);
    await entitle(verdict, session);
    if (refusal !== undefined && !signal.aborted)
      notices.show(buildNotice(refusal, verdict, textOfContent(content)));
    return { refused: refusal !== undefined, context: verdict.additionalContext };
  })();
}

/** Of a prompt that was held back, this much is repeated, in characters. */
const REPEATED = 500;

function buildNotice(reason: string, verdict: HookVerdict, prompt: string): InformationalBody {
  const repeated = prompt.length > REPEATED ? `${prompt.slice(0, REPEATED)}…` : prompt;
  const isRepeated = verdict.suppressOriginalPrompt !== true && prompt !== '';
  return {
    subtype: 'informational',
    level: 'warning',
    content: isRepeated ? `${reason}\nThe prompt was: ${repeated}` : reason,
    prompt_submit_outcome: {
      kind: isBlocked(verdict) ? 'blocked_by_hook' : 'stopped_by_hook',
      prompt_kept: false,
      reason,
    },
  };
}

const isBlocked = ({ blockingErrors, permission }: HookVerdict): boolean =>
  blockingErrors.length > 0 || permission === 'deny';

/** The host's own title stands. */
async function entitle({ sessionTitle }: HookVerdict, session: Session): Promise<void> {
  if (sessionTitle === undefined || sessionTitle.trim() === '' || session.config.title !== undefined) return;
  await setSessionTitle(sessionTitle, session);
}

function refusalIn(verdict: HookVerdict): string | undefined {
  if (verdict.blockingErrors.length > 0) return verdict.blockingErrors.join('\n');
  if (verdict.permission === 'deny') return verdict.reason ?? 'A hook refused this prompt.';
  return verdict.preventContinuation?.stopReason;
}

/** What hooks want the model to know; none where they say nothing. */
export function hookContext(
  event: string,
  content: readonly string[],
  { clock, ids }: { readonly clock: Clock; readonly ids: Ids },
): AttachmentMessage[] {
  if (content.length === 0) return [];
  return [
    {
      type: 'attachment',
      uuid: ids.uuid(),
      timestamp: isoTime(clock.nowMs()),
      attachment: { type: 'hook_context', event, content },
      rendered: [reminder(`${event} hook: ${content.join('\n')}`)],
    },
  ];
}
