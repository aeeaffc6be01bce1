import { askOnce, type HelperQuestion } from '../../context/compact/helper-call.ts';
import { isClaudeModel } from '../../model/catalog/model-info.ts';
import type { Clock, Ids } from '../../protocol/ports.ts';
import type { SessionBudget } from '../budget/session-budget.ts';
import type { SessionModel } from '../models/session-model.ts';

/**
 * For work beside the conversation. Of the same provider as `model`, so that the same credentials serve it.
 */
export function smallModel(
  model: string,
  configured: string | undefined,
  models: Pick<SessionModel, 'resolve'>,
): string {
  if (configured !== undefined) return models.resolve(configured);
  const [, provider, name = ''] = /^([^:]+):(.*claude-.*)$/.exec(model) ?? [];
  if (provider !== undefined) return name.startsWith('claude-') ? models.resolve(`${provider}:haiku`) : model;
  return isClaudeModel(model) ? models.resolve('haiku') : model;
}

/** Of a session, whose model and budget serve the work beside its conversation too. */
export interface SideCallPorts {
  readonly conversation: { readonly sessionId: string };
  readonly model: Pick<SessionModel, 'client' | 'inUse' | 'resolve'>;
  readonly budget: Pick<SessionBudget, 'account'>;
  readonly world: { readonly clock: Clock; readonly ids: Ids };
}

/**
 * One question beside the conversation, to `model` or a small one. undefined: no usable answer, or no money
 * for one.
 */
export function askSmallModel(
  {
    model: configured,
    ...question
  }: Omit<HelperQuestion, 'model' | 'sessionId'> & { readonly model?: string | undefined },
  { conversation, model, budget, world }: SideCallPorts,
): Promise<string | undefined> {
  const { sessionId } = conversation;
  const { clock, ids } = world;
  return askOnce(
    { ...question, sessionId, model: smallModel(model.inUse, configured, model) },
    { callModel: model.client.call, ledger: budget.account, clock, ids },
  );
}

/** As `askSmallModel`, for an answer of one line. undefined also when it holds nothing. */
export async function askForLine(
  question: Parameters<typeof askSmallModel>[0],
  ports: SideCallPorts,
): Promise<string | undefined> {
  const text = await askSmallModel(question, ports);
  return text?.split('\n')[0]?.trim() || undefined;
}
