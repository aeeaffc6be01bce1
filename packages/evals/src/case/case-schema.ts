/** The shape of a case file. Loaded with zod, only by the reader of cases. */

import { PERMISSION_MODES } from '@turnwright/engine';
import { z } from 'zod';

const text = z.string().min(1, { error: 'expected a text' });
const path = text.refine((value) => !/^(?:[/\\]|[A-Za-z]:)|(?:^|[/\\])\.\.(?:[/\\]|$)/.test(value), {
  error: 'expected a path inside the working copy',
});
const regex = text.refine(isRegex, { error: 'expected a regular expression' });
const seconds = z.number().positive();

/** Exactly these keys say what a check is. */
const KINDS = ['command', 'file', 'answer', 'schema', 'judge'] as const;

const check = z
  .strictObject({
    command: text.optional(),
    exit: z.number().int().min(0).max(255).optional(),
    // What the tool for commands takes at most.
    timeoutSeconds: seconds.max(600).optional(),
    file: path.optional(),
    exists: z.boolean().optional(),
    unchanged: z.literal(true).optional(),
    answer: z.literal(true).optional(),
    contains: text.optional(),
    matches: regex.optional(),
    schema: z.record(z.string(), z.unknown()).optional(),
    judge: text.optional(),
    model: text.optional(),
  })
  .superRefine((value, context) => {
    const kinds = KINDS.filter((key) => value[key] !== undefined);
    const [kind] = kinds;
    if (kind === undefined || kinds.length > 1)
      return context.addIssue({ code: 'custom', message: `expected exactly one of ${KINDS.join(', ')}` });
    const known: readonly string[] = FIELDS[kind];
    for (const key of Object.keys(value))
      if (key !== kind && !known.includes(key))
        context.addIssue({
          code: 'custom',
          path: [key],
          message: `means nothing for a check of kind ${kind}`,
        });
    const demands = ['exists', 'unchanged', 'contains', 'matches'] as const;
    if ((kind === 'file' || kind === 'answer') && demands.every((key) => value[key] === undefined))
      context.addIssue({ code: 'custom', message: `expected one of ${FIELDS[kind].join(', ')}` });
    if (kind === 'judge' && value.model === undefined)
      context.addIssue({ code: 'custom', message: 'expected the model that judges' });
  });

const FIELDS = {
  command: ['exit', 'timeoutSeconds'],
  file: ['exists', 'unchanged', 'contains', 'matches'],
  answer: ['contains', 'matches'],
  schema: [],
  judge: ['model'],
} as const;

export const caseSchema = z
  .strictObject({
    prompt: z.union([text, z.array(text).min(1)], { error: 'expected a text, or a list of texts' }),
    /** A repository, by its path from the case file, and what its working copy is made of. */
    repository: text.optional(),
    commit: z.string({ error: 'expected a commit; put it in quotes' }).min(4).optional(),
    checks: z.array(check).min(1, { error: 'expected at least one check' }),
    options: z
      .strictObject({
        tools: z.array(text).optional(),
        allowedTools: z.array(text).optional(),
        disallowedTools: z.array(text).optional(),
        permissionMode: z.enum(PERMISSION_MODES).optional(),
        maxTurns: z.number().int().positive().optional(),
        maxBudgetUsd: z.number().positive().optional(),
        systemPrompt: text.optional(),
        appendSystemPrompt: text.optional(),
        timeoutSeconds: seconds.optional(),
      })
      .optional(),
    /** For people: where the case is from. */
    notes: z.string().optional(),
  })
  .superRefine((value, context) => {
    if ((value.repository === undefined) !== (value.commit === undefined))
      context.addIssue({ code: 'custom', message: 'expected repository and commit together' });
  });

export type CaseFile = z.infer<typeof caseSchema>;

function isRegex(source: string): boolean {
  try {
    new RegExp(source, 'm');
    return true;
  } catch {
    return false;
  }
}
