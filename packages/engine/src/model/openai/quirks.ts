/**
 * What one endpoint refuses or demands, learned from its errors: the request is made again without the field,
 * and every later one too. Each quirk is learned once, so the retries that it causes are bounded.
 */
import type { ModelFailure } from '../../protocol/model/failure.ts';

export type Quirk =
  /** The limit of the answer is named `max_completion_tokens`. */
  | 'max_completion_tokens'
  /** It is named `max_tokens`. */
  | 'max_tokens'
  | 'no_stream_options'
  /** Efforts above `high` are unknown. */
  | 'effort_high_at_most'
  | 'no_effort'
  | 'no_reasoning_summary'
  | 'no_encrypted_reasoning'
  | 'no_store'
  | 'no_cache_key'
  | 'no_images'
  /** Reasoning of earlier answers is refused. */
  | 'no_reasoning_replay'
  /** Each answer with calls must have its reasoning; a placeholder is sent where there is none (F122). */
  | 'reasoning_on_calls'
  /** Calls must have a thought signature; Google's placeholder is sent where there is none (F122). */
  | 'thought_signatures';

const UNKNOWN =
  '(?:unknown|unrecogni[sz]ed|unexpected|unsupported|not supported|not permitted|not allowed|extra|does not support|invalid)';

/** Both, in any order. */
const matchBoth = (a: string, b: string) =>
  new RegExp(`(?:${a})[\\s\\S]{0,200}(?:${b})|(?:${b})[\\s\\S]{0,200}(?:${a})`, 'i');

/** In order: the first that matches and is not known yet is learned. */
const WORDINGS: readonly (readonly [RegExp, readonly Quirk[]])[] = [
  [/max_tokens[\s\S]{0,80}(?:use|instead)[\s\S]{0,20}max_completion_tokens/i, ['max_completion_tokens']],
  [matchBoth('max_completion_tokens', UNKNOWN), ['max_tokens']],
  [/missing an? [`'"]?thought_?signature/i, ['thought_signatures']],
  [
    /reasoning_content[`'"]?[\s\S]{0,60}(?:missing|must be passed back|is required)|missing [`'"]?reasoning_content/i,
    ['reasoning_on_calls'],
  ],
  [
    matchBoth('(?:reasoning_content|reasoning_details|messages[^"]{0,40}\\breasoning\\b)', UNKNOWN),
    ['no_reasoning_replay'],
  ],
  [matchBoth('stream_options', UNKNOWN), ['no_stream_options']],
  [/verified to generate reasoning summar|reasoning\.summary/i, ['no_reasoning_summary']],
  [/encrypted[ _.]content|reasoning\.encrypted_content/i, ['no_encrypted_reasoning']],
  [
    matchBoth('reasoning_effort|reasoning\\.effort', '(?:supported values|must be one of|invalid value)'),
    ['effort_high_at_most', 'no_effort'],
  ],
  [matchBoth('reasoning_effort|reasoning\\.effort', UNKNOWN), ['no_effort']],
  [matchBoth('["\'`]?reasoning["\'`]?', 'unsupported parameter'), ['no_effort']],
  [matchBoth('prompt_cache_key', UNKNOWN), ['no_cache_key']],
  [matchBoth('["\'`]store["\'`]', UNKNOWN), ['no_store']],
  [
    /(?:image(?:_url|s| input| content)?|vision|multimodal)[\s\S]{0,80}(?:not supported|unsupported|not support|only supported)|(?:not support|support for|supports?) (?:image|vision)|mmproj/i,
    ['no_images'],
  ],
];

export interface Quirks {
  has(quirk: Quirk): boolean;
  /** Changes when `has` does. */
  key(): string;
  /** The failure of a request; as retryable, if something was learned that changes the next one. */
  learn(failure: ModelFailure): ModelFailure;
}

export function createQuirks(known: readonly Quirk[] = []): Quirks {
  const quirks = new Set<Quirk>(known);
  return {
    has: (quirk) => quirks.has(quirk),
    key: () => [...quirks].join(' '),
    learn(failure) {
      if (failure.kind !== 'invalid_request' && failure.kind !== 'server_error') return failure;
      const found = WORDINGS.flatMap(([pattern, learned]) => (pattern.test(failure.message) ? learned : []));
      const fresh = found.find((quirk) => !quirks.has(quirk));
      if (fresh === undefined) return failure;
      quirks.add(fresh);
      if (fresh === 'max_tokens') quirks.delete('max_completion_tokens');
      return { ...failure, shouldRetry: true };
    },
  };
}
