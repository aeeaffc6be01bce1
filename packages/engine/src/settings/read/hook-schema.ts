import { z } from 'zod';

const common = {
  if: z.string().optional(),
  timeout: z.number().positive().optional(),
  onFailure: z.enum(['continue', 'block']).optional(),
  statusMessage: z.string().optional(),
  once: z.boolean().optional(),
};

/**
 * Mirrors `HookConfig`. Unknown keys are ignored, because other programs read these files too.
 */
export const hookSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('command'),
    command: z.string().min(1),
    args: z.array(z.string()).optional(),
    shell: z.enum(['bash', 'powershell']).optional(),
    async: z.boolean().optional(),
    asyncRewake: z.boolean().optional(),
    ...common,
  }),
  z.object({
    type: z.literal('http'),
    url: z.string().min(1),
    headers: z.record(z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/), z.string()).optional(),
    allowedEnvVars: z.array(z.string()).optional(),
    ...common,
  }),
  z.object({
    type: z.literal('mcp_tool'),
    server: z.string().min(1),
    tool: z.string().min(1),
    input: z.record(z.string(), z.unknown()).optional(),
    ...common,
  }),
  z.object({
    type: z.literal('prompt'),
    prompt: z.string().min(1),
    model: z.string().min(1).optional(),
    continueOnBlock: z.boolean().optional(),
    ...common,
  }),
  z.object({
    type: z.literal('agent'),
    prompt: z.string().min(1),
    model: z.string().min(1).optional(),
    ...common,
  }),
]);
