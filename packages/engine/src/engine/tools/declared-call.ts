/** A call that the user has declared beforehand: see `ToolsRoom.callDeclared`. */

import type { Writable } from '@turnwright/base/collections/writable.ts';
import { toLife } from '../../model/life-of.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { Clock } from '../../protocol/ports.ts';
import type { Recorder } from '../../protocol/session/journal.ts';
import type { GatePorts } from '../../protocol/tools/gate-ports.ts';
import type { AnyTool, ToolContext } from '../../protocol/tools/tool.ts';
import { findCalledTool, type GatedAnswer, gatedCall, refusedAsMissing } from './host-call.ts';
import { intentRecorder } from './record-intent.ts';

export interface DeclaredCall {
  readonly toolUseId: string;
  readonly effectKey: string;
  readonly signal: AbortSignal;
}

interface DeclaredPorts {
  readonly tools: () => readonly AnyTool[];
  readonly judging: Pick<GatePorts, 'permissions' | 'hooks'>;
  readonly permissions: Pick<GatePorts, 'ask'>;
  readonly journal: { readonly recorder: Recorder };
  readonly folder: { readonly root: string };
  readonly clock: Clock;
  makeContext(
    call: { readonly block: { readonly id: string }; readonly effectKey: string },
    life: { readonly signal: AbortSignal },
    tracking: ToolContext['queryTracking'],
  ): ToolContext;
}

export async function declaredCall(
  [called, input, { toolUseId, effectKey, signal }]: readonly [string, JsonObject, DeclaredCall],
  { tools, judging, permissions, journal, folder, clock, makeContext }: DeclaredPorts,
): Promise<GatedAnswer> {
  const tool = findCalledTool(called, tools());
  if (tool === undefined) return refusedAsMissing(called);
  const life = toLife(signal);
  const call = { block: { id: toolUseId }, effectKey };
  const context: Writable<ToolContext> = makeContext(call, life, { chainId: '', depth: 0 });
  // Where the model has gone does not matter, nor may it go on behind the call.
  Object.assign(context, { cwd: folder.root, lostFolder: undefined, tasks: undefined, follow: undefined });
  const record = intentRecorder(journal.recorder);
  const ports: Partial<GatePorts> = {
    // Only a rule that allows it is missing: the user has asked for it.
    ask: async (question, ...more) =>
      question.reasonType === 'other' && question.matched === undefined
        ? { behavior: 'allow' }
        : permissions.ask(question, ...more),
    recordIntent: (made, _, ...rewritten) => record(made, 'idempotent', ...rewritten),
  };
  return gatedCall(tool, input, { context, life }, { ...judging, ...ports }, clock);
}
