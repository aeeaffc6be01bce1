/**
 * What an endpoint says of its models: in the list that both APIs have (`GET /v1/models`), else in the API of
 * the server itself. Loaded for models that are in no table.
 */

import { grouped } from '@turnwright/base/text/figures-and-times.ts';
import { type Asked, type AskedPlace, createAsked } from '../http/ask-once.ts';
import { fieldOf } from '../http/request-json.ts';
import { type Described, factsIn } from './described-models.ts';
import { canonicalModel, isClaudeModel, type StatedFacts, UNKNOWN_WINDOW_TOKENS } from './model-info.ts';
import { guessServerApis } from './server-apis.ts';

export interface LookedUp {
  /** undefined: the endpoint says nothing of the model. */
  readonly facts: StatedFacts | undefined;
  /** false: the server may say more when it has loaded the model, or when it answers at all. */
  readonly isFinal: boolean;
  /** What was found, in one line. */
  readonly said: string;
  /** What to do when the server gives the model little of its window. */
  readonly advice?: string | undefined;
  /** What to do when the server does not know the model. */
  readonly unknown?: string | undefined;
}

/** Asks for the model itself, then for the list, then the server that these tell of. */
export async function lookUpFacts(model: string, place: AskedPlace): Promise<LookedUp> {
  const asked = createAsked(place);
  const listed = await listedAs(model, asked);
  if (listed === undefined)
    return {
      facts: undefined,
      isFinal: asked.reached(),
      said: describeLookup(model, undefined, place),
      unknown: asked.reached() ? unknownAdvice(model, place) : undefined,
    };
  const described = await describe(model, listed, asked);
  return {
    facts: described?.facts,
    isFinal: described?.isFinal !== false,
    said: describeLookup(model, described, place),
    advice: described && adviseOnWindow(model, described),
  };
}

/** The same for many models of one endpoint, as its list has them. Never rejects. */
export async function describeAll(
  entries: readonly { readonly id: string; readonly entry: unknown }[],
  place: AskedPlace,
): Promise<ReadonlyMap<string, StatedFacts>> {
  const asked = createAsked(place);
  const found = new Map<string, StatedFacts>();
  const rest = [...entries];
  const work = async () => {
    for (let next = rest.shift(); next !== undefined && !place.life.aborted; next = rest.shift()) {
      const described = await describe(next.id, next.entry, asked);
      if (described?.facts !== undefined) found.set(next.id, described.facts);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return found;
}

const AT_ONCE = 8;

/** The model's entry; undefined: the endpoint does not list it. */
async function listedAs(model: string, asked: Asked): Promise<unknown> {
  const own = await asked.listJson(`/models/${encodeURIComponent(model)}`);
  if (typeof fieldOf(own, 'id') === 'string' || factsIn(own) !== undefined) return own;
  return findEntry(await asked.listJson('/models'), model);
}

function findEntry(list: unknown, model: string): unknown {
  const entries = fieldOf(list, 'data');
  if (!Array.isArray(entries)) return undefined;
  const named = (same: (id: string) => boolean) =>
    entries.find((entry) => same(String(fieldOf(entry, 'id'))));
  const found = named((id) => id === model) ?? named((id) => canonicalModel(id) === canonicalModel(model));
  if (found !== undefined) return found;
  // llama.cpp answers for its one model under any name.
  return entries.length === 1 && fieldOf(entries[0], 'owned_by') === 'llamacpp' ? entries[0] : undefined;
}

/** What the entry says, and what it leaves out as the server's own API says it. */
async function describe(model: string, entry: unknown, asked: Asked): Promise<Described | undefined> {
  const listed = factsIn(entry);
  if (listed?.contextWindow !== undefined) return { facts: listed, isFinal: true, by: 'its list of models' };
  const answers = guessServerApis(entry, asked.baseUrl).map((server) => server(model, asked));
  const own = (await Promise.all(answers)).find((answer) => answer !== undefined);
  if (own !== undefined) return { ...own, facts: { ...listed, ...own.facts } };
  return listed && { facts: listed, isFinal: true, by: 'its list of models' };
}

function describeLookup(model: string, described: Described | undefined, { baseUrl }: AskedPlace): string {
  const facts = described && factWords(described.facts);
  const known = facts === undefined ? 'says nothing of it' : `says by ${described?.by}: ${facts}`;
  return `${model} was looked up: ${baseUrl.origin} ${known}`;
}

function factWords(facts: StatedFacts): string {
  const words = Object.entries(facts).map(([name, value]) =>
    typeof value === 'object' ? name : `${name} ${value}`,
  );
  return words.length === 0 ? 'nothing of use' : words.join(', ');
}

/** An unknown model: its name may be a mistake, or another provider's. */
function unknownAdvice(model: string, { baseUrl }: AskedPlace): string | undefined {
  if (isClaudeModel(model)) return undefined;
  return `The model "${model}" is not known here, and ${baseUrl.host} says nothing of it: a window of ${grouped(UNKNOWN_WINDOW_TOKENS)} tokens is assumed. One of another provider is named with it (openai:<name>, ollama:<name>); its sizes can be given under "models" in the settings.`;
}

/** With less than this, an agent has little room for files and results. */
const LITTLE_WINDOW = 32_000;

function adviseOnWindow(model: string, { facts, largest, enlarge }: Described): string | undefined {
  const { contextWindow: window } = facts;
  if (window === undefined || largest === undefined || enlarge === undefined) return undefined;
  if (window >= LITTLE_WINDOW || window >= largest) return undefined;
  return `The server runs ${model} with a window of ${window} tokens of the ${largest} that it has, which is little for an agent. ${enlarge}`;
}
