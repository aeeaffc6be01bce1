/**
 * What each wire can and cannot do, as the checks of a `ModelClient` verify it. `npm run docs` makes the table of
 * docs/models.md from this.
 */
import type { WireTraits } from '../../../src/testing/index.ts';

const MESSAGES: WireTraits = {
  caching: 'marks',
  thinking: 'signed',
  usage: 'details',
  usageComes: 'early',
  credential: 'renewable',
  overload: 'status',
  tooLong: 'counted',
  body: 'exact',
};

// The official client writes the body anew: the model stands in the path.
const CLOUD: WireTraits = { ...MESSAGES, credential: 'own', body: 'estimated' };

const OPENAI: WireTraits = {
  ...MESSAGES,
  caching: 'none',
  thinking: 'none',
  usage: 'totals',
  usageComes: 'end',
};

const AI_SDK: WireTraits = { ...OPENAI, credential: 'own', body: 'estimated', http: 'pooled' };

/** By the name of the wire in the documentation. */
export const TRAITS = {
  'Anthropic Messages API': MESSAGES,
  'bare `/v1/messages` server': { ...MESSAGES, usage: 'totals' },
  'Amazon Bedrock': { ...CLOUD, tooLong: 'plain' },
  'Google Vertex AI': CLOUD,
  'Microsoft Foundry': { ...CLOUD, body: 'exact' },
  'OpenAI chat completions': OPENAI,
  'OpenAI responses': OPENAI,
  'AI SDK instance (chat completions)': AI_SDK,
  'AI SDK instance (responses)': AI_SDK,
} as const satisfies Readonly<Record<string, WireTraits>>;
