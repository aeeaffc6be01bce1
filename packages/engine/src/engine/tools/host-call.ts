/**
 * A tool call that the engine makes for a host, command or skill: through the same gate, without a question.
 */

import type { JsonObject } from '../../protocol/json.ts';
import type { Life } from '../../protocol/life.ts';
import type { Clock } from '../../protocol/ports.ts';
import type { GatePorts } from '../../protocol/tools/gate-ports.ts';
import type { AnyTool, ToolContext, ToolOutput } from '../../protocol/tools/tool.ts';
import { passGate } from '../../tools/gate/gate.ts';
import { isConcurrencySafe, parseInput } from '../../tools/gate/prepared-call.ts';

export type GatedAnswer =
  | ({ readonly ok: true; readonly isError: boolean; readonly output: ToolOutput } & Pick<
      ToolOutput,
      'content' | 'serverError'
    >)
  /** It did not run: a sentence. */
  | { readonly ok: false; readonly why: string };

/** A tool of the engine's own only where the session has one of its name. */
export function findCalledTool(called: string | AnyTool, all: readonly AnyTool[]): AnyTool | undefined {
  const found = all.find(({ name }) => name === nameOf(called));
  return found === undefined || typeof called === 'string' ? found : called;
}

export function refusedAsMissing(called: string | AnyTool): GatedAnswer {
  return { ok: false, why: `There is no tool ${nameOf(called)} in this session.` };
}

const nameOf = (called: string | AnyTool): string => (typeof called === 'string' ? called : called.name);

/** Never rejects. Validation, hooks and permission rules are those of the model's own calls. */
export async function gatedCall(
  tool: AnyTool,
  raw: JsonObject,
  { context, life }: { readonly context: ToolContext; readonly life: Life },
  ports: Pick<GatePorts, 'permissions' | 'hooks'> & Partial<GatePorts>,
  clock: Clock,
): Promise<GatedAnswer> {
  const parsed = await parseInput(tool, raw);
  if (!parsed.ok) return { ok: false, why: parsed.text };
  const outcome = await passGate(
    {
      call: {
        block: { type: 'tool_use', id: context.toolUseId, name: tool.name, input: raw },
        assistantUuid: '',
        effectKey: context.effectKey,
      },
      prepared: {
        kind: 'ready',
        tool,
        input: parsed.input,
        concurrencySafe: isConcurrencySafe(tool, parsed.input),
      },
      context,
      life,
      notes: { hookContext: [] },
      delivered: async () => {},
      mayRun: async () => {},
      onProgress() {},
      abortedBy: () => 'interrupted',
    },
    {
      ask: async () => ({ behavior: 'deny', message: 'No rule allows it.' }),
      // It is no call of the conversation, so there is nothing to resume.
      recordIntent: () => undefined,
      ...ports,
    },
    clock,
  );
  switch (outcome.kind) {
    case 'returned':
      return {
        ok: true,
        content: outcome.output.content,
        isError: outcome.output.isError === true,
        output: outcome.output,
        ...(outcome.output.serverError !== undefined && { serverError: outcome.output.serverError }),
      };
    case 'threw':
    case 'refused':
    case 'denied':
      return { ok: false, why: outcome.text };
    case 'aborted':
      return { ok: false, why: 'It was interrupted.' };
    case 'parked':
      return { ok: false, why: 'It would have to wait for longer than the run may.' };
  }
}
