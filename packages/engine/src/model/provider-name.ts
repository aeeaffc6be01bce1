/**
 * Names of models that say whose they are: `local:qwen3:8b` is the model `qwen3:8b` of the provider
 * `local`.
 */
export interface QualifiedModel {
  /** undefined: the session's own provider. */
  readonly provider: string | undefined;
  readonly model: string;
}

/** What precedes the first colon is a provider only if it is the name of one. */
export function qualifiedModel(name: string, isProvider: (name: string) => boolean): QualifiedModel {
  const colon = name.indexOf(':');
  const before = colon < 1 ? '' : name.slice(0, colon).trim();
  if (before === '' || !isProvider(before)) return { provider: undefined, model: name };
  return { provider: before, model: name.slice(colon + 1).trim() };
}
