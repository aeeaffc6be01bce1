/** Which models a submission may use. */
import { TurnwrightError } from '../../protocol/errors.ts';
import type { EffortLevel } from '../../protocol/wire.ts';
import type { EngineParts } from '../session/session-parts.ts';

/** A budget cannot be kept with a model whose cost is unknown: it is refused, not counted as zero (F65). */
export function refuseUnpriced(model: string, parts: Pick<EngineParts, 'config' | 'model'>): void {
  if (parts.config.maxBudgetUsd === undefined) return;
  const names = [model, ...fallbackModels(model, parts)];
  const unpriced = names.find((name) => parts.model.infoOf(name).price === undefined);
  if (unpriced === undefined) return;
  throw new TurnwrightError(
    'unpriced_model',
    `A budget of $${parts.config.maxBudgetUsd} was set, but the price of ${unpriced} is not known. Give its price in settings, or limit turns or tokens instead.`,
  );
}

/** What a skill wants the rest of the submission to be worked on with. Throws `unpriced_model`. */
export function adopt(
  choice: { readonly model?: string | undefined; readonly effort?: EffortLevel | undefined },
  parts: Pick<EngineParts, 'config' | 'model' | 'memory'>,
): void {
  const model = choice.model === undefined ? undefined : parts.model.resolve(choice.model);
  if (model !== undefined) refuseUnpriced(model, parts);
  const before = parts.memory.adopted;
  parts.memory.adopted = { model: model ?? before?.model, effort: choice.effort ?? before?.effort };
}

/** How hard the model thinks about its next answer; undefined: it knows of no effort. */
export function effortOf(parts: Pick<EngineParts, 'config' | 'model' | 'memory'>): EffortLevel | undefined {
  const { config, model, memory } = parts;
  const asked = memory.adopted?.effort ?? memory.effort ?? config.effort;
  return asked ?? model.infoOf(model.resolve(memory.modelName)).defaultEffort;
}

/** The fallbacks in order, without the model itself. */
export function fallbackModels(
  model: string,
  parts: Pick<EngineParts, 'config' | 'model'>,
): readonly string[] {
  const names = (parts.config.fallbackModel ?? '').split(',').map((name) => name.trim());
  const models = names.filter((name) => name !== '').map((name) => parts.model.resolve(name));
  return [...new Set(models)].filter((name) => name !== model);
}
