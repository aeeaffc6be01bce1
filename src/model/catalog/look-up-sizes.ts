/** The sizes of one model, as its endpoint lists them. Loaded for models that are in no table. */
import type { OutgoingHttpHeaders } from 'node:http';
import type { Connections } from '../http/connections.ts';
import { fieldOf, requestJson } from '../http/request-json.ts';
import { lifeOf } from '../life-of.ts';
import { canonicalModel, type StatedSizes } from './model-info.ts';

interface Place {
  readonly connections: Connections;
  /** Of the list of models; one model is described below it. */
  readonly path: string;
  /** Query of each request, with its `?`; '' if there is none. */
  readonly search: string;
  readonly headers: OutgoingHttpHeaders;
  readonly signal: AbortSignal;
}

/** Asks for the model itself, then for the list. undefined: the endpoint states no sizes of it. */
export async function lookUpSizes(model: string, place: Place): Promise<StatedSizes | undefined> {
  const { path, search, signal } = place;
  const own = sizesIn(await jsonAt(`${path}/${encodeURIComponent(model)}${search}`, place));
  if (own !== undefined || signal.aborted) return own;
  return sizesIn(entryOf(await jsonAt(`${path}${search}`, place), model));
}

/** undefined: there is none. */
async function jsonAt(path: string, { connections, headers, signal }: Place): Promise<unknown> {
  const answer = await requestJson({ connections, path, headers, life: lifeOf(signal), keepAlive: true });
  return answer.head !== undefined && answer.head.status === 200 ? answer.json : undefined;
}

function entryOf(list: unknown, model: string): unknown {
  const entries = fieldOf(list, 'data');
  if (!Array.isArray(entries)) return undefined;
  const named = (same: (id: string) => boolean) =>
    entries.find((entry) => same(String(fieldOf(entry, 'id'))));
  return named((id) => id === model) ?? named((id) => canonicalModel(id) === canonicalModel(model));
}

/**
 * `max_input_tokens` and `max_tokens` are fields of the Messages API; the others those of common local
 * servers and gateways.
 */
export function sizesIn(entry: unknown): StatedSizes | undefined {
  const contextWindow = tokensIn(entry, ['max_input_tokens', 'max_model_len', 'context_length']);
  const maxOutputTokens = tokensIn(entry, ['max_tokens', 'max_output_tokens']);
  if (contextWindow === undefined && maxOutputTokens === undefined) return undefined;
  return {
    ...(contextWindow !== undefined && { contextWindow }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
  };
}

function tokensIn(entry: unknown, names: readonly string[]): number | undefined {
  return names
    .map((name) => fieldOf(entry, name))
    .find((value): value is number => typeof value === 'number' && Number.isFinite(value) && value > 0);
}
