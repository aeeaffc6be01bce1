/** What hooks have to say when a call is about to be put to the person (PermissionRequest, Notification). */
import { readAnswer } from '../../permissions/ask/read-answer.ts';
import type { JudgeVerdict } from '../../protocol/tools/auto-mode.ts';
import type { AskedQuestion, AskPort, PermissionPort } from '../../protocol/tools/gate-ports.ts';
import type { HookPort } from '../../protocol/tools/hook.ts';
import { describeCalledTool } from '../../tools/gate/outward-input.ts';
import type { Judging } from '../judging/judging.ts';

interface AskedHooks {
  readonly hooks: HookPort;
  readonly permissions: Pick<PermissionPort, 'apply'>;
  /** Whether a host can answer: only then are `Notification` hooks called. */
  readonly hasHost: boolean;
  /** Whether the answer about this call is known: neither hooks nor the person are asked again. */
  isAnswered(toolUseId: string): boolean;
  /** Goes before the person, behind hooks. */
  readonly judging: Pick<Judging, 'ask' | 'answered'>;
}

/**
 * Hooks first: one that decides answers in the place of the person. One that fails leaves the question to
 * them.
 */
export function askHooksFirst(
  ask: AskPort,
  { hooks, permissions, hasHost, isAnswered, judging }: AskedHooks,
): AskPort {
  return async (asked, signal) => {
    const { tool, input, toolUseId, suggestions, agentId } = asked;
    if (isAnswered(toolUseId)) return ask(asked, signal);
    const agent = agentId === undefined ? {} : { agent_id: agentId };
    if (hooks.has('PermissionRequest')) {
      const hooked = await hooks.run(
        {
          event: 'PermissionRequest',
          ...describeCalledTool(tool),
          tool_input: input,
          ...(suggestions !== undefined && { permission_suggestions: suggestions }),
          ...agent,
        },
        { signal, toolUseId },
      );
      const { permission, reason, updatedInput, updatedPermissions, interrupt } = hooked;
      if (permission === 'allow' || permission === 'deny') {
        const answer = { behavior: permission, updatedInput, updatedPermissions, message: reason, interrupt };
        const read = readAnswer(answer, toolUseId);
        if (!read.ok) throw new Error(`a PermissionRequest hook answered wrongly: ${read.problem}`);
        if (read.answer.behavior === 'allow' && read.answer.updatedPermissions !== undefined)
          permissions.apply(read.answer.updatedPermissions);
        return { ...read.answer, answeredBy: 'hook' };
      }
    }
    const verdict = await judging.ask(asked, signal);
    if (verdict?.verdict === 'allow') return { behavior: 'allow', answeredBy: 'classifier', judge: verdict };
    const question = verdict === undefined ? asked : handedOn(asked, verdict);
    // The notification runs beside the question: a slow hook must not delay it.
    if (hasHost && hooks.has('Notification'))
      void hooks.run(
        {
          event: 'Notification',
          message: question.message,
          title: `Permission to use ${tool.name}`,
          notification_type: 'permission_prompt',
          ...agent,
        },
        { signal, toolUseId },
      );
    const answer = await ask(question, signal);
    if (verdict === undefined) return answer;
    if (answer.behavior !== 'pending' && answer.answeredBy === undefined) await judging.answered();
    return { ...answer, judge: verdict };
  };
}

/** The same question, with what the judge said of it. */
function handedOn(asked: AskedQuestion, judge: JudgeVerdict): AskedQuestion {
  const { why, reason, model } = judge;
  const said = reason.replace(/\.?$/, '.');
  const sentence =
    why === 'bound'
      ? `The mode auto leaves it to a person: ${said}`
      : why === 'limit'
        ? `The judge of the mode auto is not asked: ${said}`
        : `The judge of the mode auto (${model}) hands it on: ${said}`;
  const isOpen = asked.reasonType === 'other' || asked.reasonType === 'workingDir';
  return {
    ...asked,
    judge,
    // Why rules, hooks and tools want a person is reason enough.
    ...(isOpen && { message: `${asked.message} ${sentence}`, reasonType: 'classifier' }),
  };
}
