/**
 * What hooks have to say when an MCP server asks something (Elicitation, Notification, ElicitationResult).
 */

import { isRecord } from '@turnwright/base/json-values.ts';
import type { HookPort } from '../../protocol/tools/hook.ts';
import type { ElicitationAnswer, ElicitationRequest } from '../../protocol/tools/mcp.ts';

export type Elicit = (
  request: ElicitationRequest,
  options: { readonly signal: AbortSignal },
) => Promise<ElicitationAnswer>;

/**
 * Hooks first: a hook that answers replaces the person. Every answer to the server, of a hook or a person,
 * passes the `ElicitationResult` hooks. A block declines. Without a person and a hook the question is
 * declined.
 */
export function elicitWithHooks(askPerson: Elicit | undefined, hooks: () => HookPort): Elicit {
  return async (request, options) => {
    const answer = withDefaults(
      request,
      (await answerOfHooks(request, hooks(), options)) ??
        (await answerOfPerson(request, askPerson, hooks(), options)),
    );
    return hooks().has('ElicitationResult')
      ? withDefaults(request, await passed(request, answer, hooks(), options))
      : answer;
  };
}

async function answerOfHooks(
  request: ElicitationRequest,
  hooks: HookPort,
  options: { readonly signal: AbortSignal },
): Promise<ElicitationAnswer | undefined> {
  if (!hooks.has('Elicitation')) return undefined;
  const { message, url, requestedSchema } = request;
  const { elicitation, blockingErrors } = await hooks.run(
    {
      event: 'Elicitation',
      ...toHookFields(request),
      message,
      ...(url !== undefined && { url }),
      ...(requestedSchema !== undefined && { requested_schema: requestedSchema }),
    },
    options,
  );
  if (blockingErrors.length > 0) return { action: 'decline' };
  return elicitation?.action === undefined ? undefined : toAnswer(elicitation.action, elicitation.content);
}

async function answerOfPerson(
  request: ElicitationRequest,
  askPerson: Elicit | undefined,
  hooks: HookPort,
  options: { readonly signal: AbortSignal },
): Promise<ElicitationAnswer> {
  if (askPerson === undefined) return { action: 'decline' };
  // The notification runs beside the question: a slow hook must not delay it.
  if (hooks.has('Notification'))
    void hooks.run(
      {
        event: 'Notification',
        message: request.message,
        title: `A question from ${request.serverName}`,
        notification_type: 'elicitation_dialog',
      },
      options,
    );
  return askPerson(request, options);
}

async function passed(
  request: ElicitationRequest,
  answer: ElicitationAnswer,
  hooks: HookPort,
  options: { readonly signal: AbortSignal },
): Promise<ElicitationAnswer> {
  const { elicitation, blockingErrors } = await hooks.run(
    { event: 'ElicitationResult', ...toHookFields(request), ...answer },
    options,
  );
  if (blockingErrors.length > 0) return { action: 'decline' };
  return toAnswer(elicitation?.action ?? answer.action, elicitation?.content ?? answer.content);
}

/** What an accepted form leaves out has the value that the server named for it. */
function withDefaults(
  { mode, requestedSchema }: ElicitationRequest,
  answer: ElicitationAnswer,
): ElicitationAnswer {
  const { properties } = (requestedSchema ?? {}) as { readonly properties?: unknown };
  if (answer.action !== 'accept' || mode === 'url' || !isRecord(properties)) return answer;
  const { content = {} } = answer;
  const added = Object.entries(properties).flatMap(([name, field]) =>
    isRecord(field) && field['default'] !== undefined && !Object.hasOwn(content, name)
      ? [[name, field['default']] as const]
      : [],
  );
  if (added.length === 0) return answer;
  return { ...answer, content: Object.fromEntries([...Object.entries(content), ...added]) };
}

/** Only what was accepted has a content. */
function toAnswer(
  action: ElicitationAnswer['action'],
  content: ElicitationAnswer['content'],
): ElicitationAnswer {
  return action === 'accept' && content !== undefined ? { action, content } : { action };
}

function toHookFields({ serverName, mode, elicitationId }: ElicitationRequest) {
  return {
    mcp_server_name: serverName,
    ...(mode !== undefined && { mode }),
    ...(elicitationId !== undefined && { elicitation_id: elicitationId }),
  };
}
