/**
 * What each wire can and cannot do, as the checks of a `ModelClient` verify it. `npm run docs` makes the table of
 * docs/models.md from this.
 */
import type { WireTraits } from '@turnwright/testing';

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

/** The package reports an end without usage as one for unknown reasons, as it does a cut. */
export const AI_SDK_V2_RESPONSES: WireTraits = { ...AI_SDK, withoutUsage: 'broken' };

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

const OWN = 'the tool; `output_config.format` if chosen';

/** How `outputFormat` is obtained by each wire, by default and otherwise (packages/engine/test/engine/native-structured-output.test.ts). */
export const STRUCTURED_OUTPUT: Readonly<Record<keyof typeof TRAITS, string>> = {
  'Anthropic Messages API': OWN,
  'bare `/v1/messages` server': OWN,
  'Amazon Bedrock': OWN,
  'Google Vertex AI': OWN,
  'Microsoft Foundry': OWN,
  'OpenAI chat completions': '`response_format` (other servers: without other tools)',
  'OpenAI responses': '`text.format` (other servers: without other tools)',
  'AI SDK instance (chat completions)': '`responseFormat`',
  'AI SDK instance (responses)': '`responseFormat`',
};
