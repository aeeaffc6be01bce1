/** A call that the user has declared beforehand: see `ToolsRoom.callDeclared`. */

import type { Writable } from '@turnwright/base/collections/writable.ts';
import { toLife } from '../../model/life-of.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { Clock } from '../../protocol/ports.ts';
import type { GatePorts } from '../../protocol/tools/gate-ports.ts';
import type { AnyTool, ToolContext } from '../../protocol/tools/tool.ts';
import { type GatedAnswer, gatedCall, refusedAsMissing } from './host-call.ts';

export interface DeclaredCall {
  readonly toolUseId: string;
  readonly effectKey: string;
  readonly signal: AbortSignal;
}

interface DeclaredPorts extends Pick<GatePorts, 'ask'> {
  makeContext(
    call: { readonly block: { readonly id: string }; readonly effectKey: string },
    life: { readonly signal: AbortSignal },
    tracking: ToolContext['queryTracking'],
  ): ToolContext;
  readonly judging: Pick<GatePorts, 'permissions' | 'hooks'>;
  readonly recorders: Pick<GatePorts, 'recordIntent' | 'recordPolicy'>;
  readonly clock: Clock;
  readonly cwd: string;
}

export async function declaredCall(
  tool: AnyTool | string,
  input: JsonObject,
  { toolUseId, effectKey, signal }: DeclaredCall,
  { makeContext, judging, recorders, ask, clock, cwd }: DeclaredPorts,
): Promise<GatedAnswer> {
  if (typeof tool === 'string') return refusedAsMissing(tool);
  const life = toLife(signal);
  const call = { block: { id: toolUseId }, effectKey };
  const context: Writable<ToolContext> = makeContext(call, life, { chainId: '', depth: 0 });
  // Where the model has gone does not matter, nor may it go on behind the call.
  Object.assign(context, { cwd, lostFolder: undefined, tasks: undefined, follow: undefined });
  const ports: Partial<GatePorts> = {
    ...recorders,
    // Only a rule that allows it is missing: the user has asked for it.
    ask: async (question, ...more) =>
      question.reasonType === 'other' && question.matched === undefined
        ? { behavior: 'allow' }
        : ask(question, ...more),
    recordIntent: (called, _, ...rewritten) => recorders.recordIntent(called, 'idempotent', ...rewritten),
  };
  return gatedCall(tool, input, { context, life }, { ...judging, ...ports }, clock);
}
