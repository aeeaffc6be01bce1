/** What hooks have to say when a call is about to be put to the person (PermissionRequest, Notification). */
import { readAnswer } from '../../permissions/ask/read-answer.ts';
import type { AskPort, PermissionPort } from '../../protocol/tools/gate-ports.ts';
import type { HookPort } from '../../protocol/tools/hook.ts';
import { describeCalledTool } from '../../tools/gate/outward-input.ts';

interface AskedHooks {
  readonly hooks: HookPort;
  readonly permissions: Pick<PermissionPort, 'apply'>;
  /** Whether a host can answer: only then are `Notification` hooks called. */
  readonly hasHost: boolean;
  /** Whether the answer about this call is known: neither hooks nor the person are asked again. */
  isAnswered(toolUseId: string): boolean;
}

/**
 * Hooks first: one that decides answers in the place of the person. One that fails leaves the question to
 * them.
 */
export function askHooksFirst(
  ask: AskPort,
  { hooks, permissions, hasHost, isAnswered }: AskedHooks,
): AskPort {
  return async (question, signal) => {
    const { tool, input, toolUseId, suggestions, agentId } = question;
    if (isAnswered(toolUseId)) return ask(question, signal);
    const agent = agentId === undefined ? {} : { agent_id: agentId };
    if (hooks.has('PermissionRequest')) {
      const verdict = await hooks.run(
        {
          event: 'PermissionRequest',
          ...describeCalledTool(tool),
          tool_input: input,
          ...(suggestions !== undefined && { permission_suggestions: suggestions }),
          ...agent,
        },
        { signal, toolUseId },
      );
      const { permission, reason, updatedInput, updatedPermissions, interrupt } = verdict;
      if (permission === 'allow' || permission === 'deny') {
        const answer = { behavior: permission, updatedInput, updatedPermissions, message: reason, interrupt };
        const read = readAnswer(answer, toolUseId);
        if (!read.ok) throw new Error(`a PermissionRequest hook answered wrongly: ${read.problem}`);
        if (read.answer.behavior === 'allow' && read.answer.updatedPermissions !== undefined)
          permissions.apply(read.answer.updatedPermissions);
        return { ...read.answer, answeredBy: 'hook' };
      }
    }
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
    return ask(question, signal);
  };
}
