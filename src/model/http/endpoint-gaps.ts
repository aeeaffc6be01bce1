/**
 * What an endpoint does not know of the Messages API, learned from its refusals and remembered for the
 * process: it is left out from then on (F60).
 */
import type { ModelFailure } from '../../protocol/model/failure.ts';

/** Fields of the body, and headers, that a request can do without. */
const FIELDS = [
  'context_management',
  'output_config',
  'cache_control',
  'metadata',
  'thinking',
  'speed',
] as const;
const HEADERS = ['x-turnwright-session-id', 'x-turnwright-agent-id'] as const;

type OptionalField = (typeof FIELDS)[number];

export interface EndpointGaps {
  lacksField(field: OptionalField): boolean;
  lacksHeader(name: string): boolean;
  lacksBeta(beta: string): boolean;
  /** What this refusal says is unknown, if it is news; a sentence for the log. */
  learn(failure: ModelFailure): string | undefined;
}

const UNKNOWN =
  /unknown|unexpected|unrecogni[sz]ed|unsupported|not (?:yet )?(?:supported|permitted|allowed|recogni[sz]ed)|extra (?:inputs?|fields?|parameters?)|invalid (?:beta|header|value)/i;
const BETA_NAME = /[a-z][a-z0-9-]*-20\d\d-\d\d-\d\d/g;
const ALL_BETAS = 'anthropic-beta';

const shared = new Map<string, EndpointGaps>();

/** `endpoint`: its address. The same object for all clients of the process. */
export function gapsOf(endpoint: string): EndpointGaps {
  const known = shared.get(endpoint) ?? new Gaps();
  shared.set(endpoint, known);
  return known;
}

class Gaps implements EndpointGaps {
  /** Undefined until something is refused: most endpoints know everything. */
  #names: Set<string> | undefined;

  lacksField(field: OptionalField): boolean {
    return this.#names?.has(field) === true;
  }

  lacksHeader(name: string): boolean {
    return this.#names?.has(name) === true;
  }

  lacksBeta(beta: string): boolean {
    return this.#names !== undefined && (this.#names.has(ALL_BETAS) || this.#names.has(beta));
  }

  learn({ kind, status, message, outputSchema }: ModelFailure): string | undefined {
    const isRefusal = kind === 'invalid_request' && (status === 400 || status === 422);
    // What was asked for would be missing: the caller has other means.
    if (outputSchema === true) return undefined;
    if (!isRefusal || !UNKNOWN.test(message)) return undefined;
    const news = namesIn(message).filter((name) => this.#names?.has(name) !== true);
    if (news.length === 0) return undefined;
    this.#names ??= new Set();
    for (const name of news) this.#names.add(name);
    return `The endpoint does not know ${news.join(', ')}, so requests to it are made without: ${message}`;
  }
}

function namesIn(message: string): readonly string[] {
  const betas = message.match(BETA_NAME) ?? [];
  if (betas.length > 0) return betas;
  if (/anthropic-beta|\bbetas?\b/i.test(message)) return [ALL_BETAS];
  const lower = message.toLowerCase();
  return [...FIELDS, ...HEADERS].filter((name) => new RegExp(`(?<![\\w-])${name}(?![\\w-])`).test(lower));
}
