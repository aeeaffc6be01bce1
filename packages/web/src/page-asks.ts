/** Questions about tool calls that a page answers. */
import type { JsonObject } from '@turnwright/engine/protocol/json.ts';
import type { CanUseTool, CanUseToolContext } from '@turnwright/engine/protocol/tools/can-use-tool.ts';
import type { PermissionResult } from '@turnwright/engine/protocol/tools/permission.ts';
import type { PageAnswer, PageAsk } from './page-events.ts';

type AskEvent =
  | { readonly event: 'ask'; readonly data: PageAsk }
  | { readonly event: 'answered'; readonly data: { readonly ask: string } };

interface Asks {
  readonly canUseTool: CanUseTool;
  /** False: there is no such question. */
  answer(ask: string, answer: PageAnswer): boolean;
  /** Denies what is open. */
  withdraw(): void;
}

export function createAsks(emit: (event: AskEvent) => void): Asks {
  const open = new Map<string, (answer: PageAnswer) => void>();
  const settle = (ask: string, answer: PageAnswer): boolean => {
    const resolve = open.get(ask);
    if (resolve === undefined) return false;
    open.delete(ask);
    emit({ event: 'answered', data: { ask } });
    resolve(answer);
    return true;
  };
  const withdraw = () => {
    for (const ask of [...open.keys()])
      settle(ask, { behavior: 'deny', message: 'The page that could have answered is gone.' });
  };
  return {
    async canUseTool(tool, input, context) {
      const { askId, signal } = context;
      const answer = await new Promise<PageAnswer>((resolve) => {
        open.set(askId, resolve);
        emit({ event: 'ask', data: toPageAsk(tool, input, context) });
        const withdrawn = () => settle(askId, { behavior: 'deny', message: 'The question was withdrawn.' });
        if (signal.aborted) withdrawn();
        else signal.addEventListener('abort', withdrawn, { once: true });
      });
      return toPermissionResult(answer, input, context);
    },
    answer: settle,
    withdraw,
  };
}

function toPageAsk(tool: string, input: Record<string, unknown>, context: CanUseToolContext): PageAsk {
  const { askId, title, description, decisionReason, suggestions = [] } = context;
  return {
    ask: askId,
    tool,
    input: input as JsonObject,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(decisionReason !== undefined && { reason: decisionReason }),
    ...(suggestions.length > 0 && { canRemember: true as const }),
  };
}

/** What a page asks to remember holds for the session, not for a settings file of the server. */
function toPermissionResult(
  { behavior, message, input: changed, always }: PageAnswer,
  input: Record<string, unknown>,
  { suggestions = [] }: CanUseToolContext,
): PermissionResult {
  if (behavior === 'deny') return { behavior, message: message ?? 'The user denied the call.' };
  const updatedInput = changed ?? input;
  if (always !== true || suggestions.length === 0) return { behavior, updatedInput };
  const updatedPermissions = suggestions.map((update) => ({ ...update, destination: 'session' as const }));
  return { behavior, updatedInput, updatedPermissions, decisionClassification: 'user_permanent' };
}
