import { canonicalModel } from '../model/model-info.ts';
import type { ModelPort } from './parts.ts';

/** For work beside the conversation. Of the same provider as `model`, so that the same credentials serve it. */
export function smallModel(
  model: string,
  configured: string | undefined,
  { resolve }: Pick<ModelPort, 'resolve'>,
): string {
  if (configured !== undefined) return resolve(configured);
  return isClaude(model) ? resolve('haiku') : model;
}

/** Whoever serves these models serves the API's context edits too; other servers may refuse a field they do not know. */
export function isClaude(model: string): boolean {
  return canonicalModel(model).startsWith('claude-');
}
