import { askOnce, type Question } from '../../context/compact/helper-call.ts';
import { isClaudeModel } from '../../model/catalog/model-info.ts';
import type { Clock, Ids } from '../../protocol/ports.ts';
import type { UsageLedger } from '../budget/usage-ledger.ts';
import type { ModelPort, SessionMemory } from '../session/session-parts.ts';

/** For work beside the conversation. Of the same provider as `model`, so that the same credentials serve it. */
export function smallModel(
  model: string,
  configured: string | undefined,
  { resolve }: Pick<ModelPort, 'resolve'>,
): string {
  if (configured !== undefined) return resolve(configured);
  return isClaudeModel(model) ? resolve('haiku') : model;
}

export interface SmallModelParts {
  readonly sessionId: string;
  readonly model: ModelPort;
  readonly ledger: UsageLedger;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly memory: Pick<SessionMemory, 'modelName' | 'request'>;
}

/** One question beside the conversation, to `model` or a small one. undefined: no usable answer, or no money for one. */
export function askSmallModel(
  {
    model: configured,
    ...question
  }: Omit<Question, 'model' | 'sessionId'> & { readonly model?: string | undefined },
  { sessionId, model, ledger, clock, ids, memory }: SmallModelParts,
): Promise<string | undefined> {
  const inUse = memory.request?.model ?? model.resolve(memory.modelName);
  return askOnce(
    { ...question, sessionId, model: smallModel(inUse, configured, model) },
    { callModel: model.call, ledger, clock, ids },
  );
}

/** As `askSmallModel`, for an answer of one line. undefined also when it holds nothing. */
export async function askForLine(
  question: Parameters<typeof askSmallModel>[0],
  parts: SmallModelParts,
): Promise<string | undefined> {
  const text = await askSmallModel(question, parts);
  return text?.split('\n')[0]?.trim() || undefined;
}
