/** The models that an endpoint offers (`GET /v1/models` of either API), without a model call or cost. */
import { describeAll } from '../catalog/look-up-facts.ts';
import { isTabled, type StatedFacts } from '../catalog/model-info.ts';
import { classifyAnswer } from '../retry/classify-error.ts';
import type { Endpoint } from './probe-endpoint.ts';
import { fieldOf, type JsonAnswer, requestJson } from './request-json.ts';

export interface OfferedModel {
  readonly id: string;
  readonly displayName: string | undefined;
  /** As far as the endpoint says. */
  readonly facts: StatedFacts | undefined;
}

const PAGE = 1000;
/** An endpoint whose pages do not end is not read further. */
const MAX_PAGES = 20;

/** All pages, in the endpoint's order; else a sentence that says why there is no list. Never rejects. */
export async function listEndpointModels(
  endpoint: Endpoint,
): Promise<{ readonly models: readonly OfferedModel[] } | { readonly message: string }> {
  const entries: unknown[] = [];
  let after: string | undefined;
  for (let page = 1; page <= MAX_PAGES; page++) {
    const answer = await onePage(endpoint, after);
    if (answer.head === undefined) return answer;
    const listed = fieldOf(answer.json, 'data');
    if (answer.head.status !== 200 || !Array.isArray(listed)) return { message: whyNot(answer, endpoint) };
    entries.push(...listed);
    const last = fieldOf(answer.json, 'last_id');
    if (fieldOf(answer.json, 'has_more') !== true || typeof last !== 'string' || last === after) break;
    after = last;
  }
  const named = entries.flatMap((entry) => {
    const id = fieldOf(entry, 'id');
    return typeof id === 'string' && id !== '' ? [{ id, entry }] : [];
  });
  const facts = await describeAll(
    named.filter(({ id }) => !isTabled(id)),
    endpoint,
  );
  return { models: named.map(({ id, entry }) => ({ id, ...nameIn(entry), facts: facts.get(id) })) };
}

function onePage({ connections, baseUrl, root, headers, life }: Endpoint, after: string | undefined) {
  const query = new URLSearchParams(baseUrl.search);
  query.set('limit', String(PAGE));
  if (after !== undefined) query.set('after_id', after);
  const path = `${root}/models?${query}`;
  return requestJson({ connections, path, headers, life, keepAlive: true });
}

function whyNot({ head, text }: JsonAnswer, { nowMs }: Endpoint): string {
  if (head.status === 404) return 'The endpoint does not list its models (404).';
  if (head.status === 200) return 'The endpoint answers, but not with a list of models.';
  return classifyAnswer(head, text, nowMs).message;
}

function nameIn(entry: unknown): Pick<OfferedModel, 'displayName'> {
  const name = fieldOf(entry, 'display_name') ?? fieldOf(entry, 'name');
  return { displayName: typeof name === 'string' ? name : undefined };
}
