/** The shape of a scenario file. Loaded with zod, only by the loader. */
import { z } from 'zod';
import { FAULT_NAMES } from '../faults/fault.ts';

const ms = z.number().nonnegative();
const count = z.number().int().positive();
const regex = z.string().refine(isRegex, { error: 'expected a regular expression' });

const faultName = z.enum(FAULT_NAMES, {
  error: (issue) => `there is no fault "${String(issue.input)}"; expected one of ${FAULT_NAMES.join(', ')}`,
});

const fault = z.strictObject({
  name: faultName,
  times: count.optional(),
  after: z.number().int().nonnegative().optional(),
  status: z.number().int().min(400).max(599).optional(),
  retryAfter: z
    .union([z.string(), z.number()], { error: 'expected text or a number' })
    .transform(String)
    .optional(),
  shouldRetry: z.boolean().optional(),
  headers: z.record(z.string(), z.string()).optional(),
  type: z.string().optional(),
  message: z.string().optional(),
  pingMs: ms.positive().optional(),
  size: count.optional(),
  everyMs: ms.optional(),
  contentType: z.string().optional(),
});

const toolUse = z.strictObject({
  id: z.string().optional(),
  name: z.string(),
  input: z.record(z.string(), z.unknown()).default({}),
});

const BLOCK_KEYS = ['text', 'thinking', 'redacted_thinking', 'tool_use'] as const;

const block = z
  .strictObject({
    text: z.string().optional(),
    thinking: z.string().optional(),
    redacted_thinking: z.string().optional(),
    tool_use: toolUse.optional(),
  })
  .refine((value) => BLOCK_KEYS.filter((key) => value[key] !== undefined).length === 1, {
    error: `expected exactly one of ${BLOCK_KEYS.join(', ')}`,
  });

const usage = z.strictObject({
  input_tokens: z.number().int().nonnegative().optional(),
  output_tokens: z.number().int().nonnegative().optional(),
  cache_creation_input_tokens: z.number().int().nonnegative().optional(),
  cache_read_input_tokens: z.number().int().nonnegative().optional(),
});

const timing = z.strictObject({
  headersMs: ms.optional(),
  ttftMs: ms.optional(),
  gapMs: ms.optional(),
  blockPauseMs: ms.optional(),
  deltaChars: count.optional(),
  pings: z.union([z.boolean(), ms.positive()], { error: 'expected true, false or milliseconds' }).optional(),
});

const when = z.strictObject({
  call: count.optional(),
  lastMessage: regex.optional(),
  toolsOffered: z.array(z.string()).optional(),
  kind: z.enum(['main', 'compaction', 'helper', 'any']).optional(),
  model: z.string().optional(),
});

const reply = z.strictObject({
  when: when.optional(),
  times: z.union([count, z.literal('any')], { error: 'expected a positive number or "any"' }).optional(),
  blocks: z.array(block).default([]),
  stop_reason: z.string().nullable().optional(),
  stop_sequence: z.string().optional(),
  stop_details: z
    .object({
      category: z.string().nullish(),
      explanation: z.string().nullish(),
      fallback_credit_token: z.string().nullish(),
    })
    .optional(),
  usage: usage.optional(),
  timing: timing.optional(),
  faults: z
    .array(z.preprocess((value) => (typeof value === 'string' ? { name: value } : value), fault))
    .optional(),
});

export const scenarioSchema = z.strictObject({
  name: z.string().optional(),
  task: z.string().optional(),
  vars: z.record(z.string(), z.string()).optional(),
  /** Default for replies without `timing`. */
  timing: timing.optional(),
  replies: z.array(reply).min(1, { error: 'expected at least one reply' }),
});

export type ScenarioFile = z.infer<typeof scenarioSchema>;

function isRegex(source: string): boolean {
  try {
    new RegExp(source);
    return true;
  } catch {
    return false;
  }
}
