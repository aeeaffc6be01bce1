import { z } from 'zod';
import { PROVIDER_TYPES } from '../../protocol/model/provider.ts';
import { MOST_RULE_CHARS, MOST_RULES } from '../../protocol/tools/permission.ts';
import { sandboxSchema } from './sandbox-schema.ts';

const RULE = /^\s*[A-Za-z0-9_*.-]+\s*(?:\(.*\))?\s*$/s;
const createRulesSchema = (isLong: (text: string) => boolean) =>
  z
    .array(
      z.string().superRefine((text, { addIssue }) => {
        if (isLong(text))
          addIssue(`expected a rule of at most ${MOST_RULE_CHARS} characters, this one has ${text.length}`);
        else if (!RULE.test(text)) addIssue('expected a rule, as in Bash or Bash(git status)');
      }),
    )
    .max(MOST_RULES, `expected at most ${MOST_RULES} rules`)
    .optional();
const restrictingRules = createRulesSchema((text) => text.length > MOST_RULE_CHARS);
/** What is held against a call sign for sign may have any length. */
const allowRules = createRulesSchema((text) => text.length > MOST_RULE_CHARS && text.includes('*'));
/** Numbers and the like are written as text, as other programs do. */
const variable = z
  .union(
    [z.string(), z.number(), z.boolean(), z.null(), z.array(z.union([z.string(), z.number(), z.boolean()]))],
    {
      error: 'expected a text, a number, true or false',
    },
  )
  .transform(String);
const headerName = z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'expected a header name');
const headerValue = z.string().regex(/^[\t\x20-\x7e\x80-\xff]*$/, 'expected a header value on one line');
const mcpServers = z
  .array(
    z.object({
      serverName: z.string().optional(),
      serverCommand: z.array(z.string()).min(1).optional(),
      serverUrl: z.string().optional(),
    }),
  )
  .optional();
const tokens = z.number().int().positive();
const milliseconds = z.number().int().positive();
const usd = z.number().nonnegative();
const sentences = z.array(z.string().min(1)).optional();

const models = z.record(
  z.string(),
  z.object({
    contextWindow: tokens.optional(),
    maxOutputTokens: tokens.optional(),
    supportsImages: z.boolean().optional(),
    supportsTools: z.boolean().optional(),
    firstByteTimeoutMs: milliseconds.optional(),
    idleTimeoutMs: milliseconds.optional(),
    price: z
      .object({ input: usd, output: usd, cacheRead: usd, cacheWrite5m: usd, cacheWrite1h: usd })
      .optional(),
  }),
);

/** `version` is shown with each price: a date, or what the publisher calls it. */
export const modelsFileSchema = z.object({
  version: z.string().min(1),
  source: z.string().min(1),
  models,
});

/** Mirrors `Settings`. Keys of other programs are not part of it. */
export const settingsSchema = z.object({
  model: z.string().optional(),
  fallbackModel: z.union([z.string(), z.array(z.string())]).optional(),
  effortLevel: z.enum(['low', 'medium', 'high', 'xhigh', 'max']).optional(),
  alwaysThinkingEnabled: z.boolean().optional(),
  fastMode: z.boolean().optional(),
  persistentRetry: z.boolean().optional(),
  verify: z
    .strictObject({
      commands: z
        .array(
          z.union([
            z.string().min(1),
            z.strictObject({ run: z.string().min(1), timeoutMs: milliseconds.optional() }),
          ]),
        )
        .optional(),
      exist: z.array(z.string().min(1)).optional(),
      unchanged: z.array(z.string().min(1)).optional(),
      schemas: z
        .array(z.strictObject({ file: z.string().min(1), schema: z.record(z.string(), z.unknown()) }))
        .optional(),
      judge: z
        .union([
          z.string().min(1),
          z.strictObject({ condition: z.string().min(1), model: z.string().min(1).optional() }),
        ])
        .optional(),
      attempts: z.number().int().nonnegative().optional(),
    })
    .optional(),
  autoMode: z
    .object({
      judge: z.string().min(1).optional(),
      allow: sentences,
      soft_deny: sentences,
      hard_deny: sentences,
      environment: sentences,
      hosts: z.array(z.string().min(1)).optional(),
      timeoutMs: milliseconds.optional(),
      maxCalls: z.number().int().positive().optional(),
      maxUsd: z.number().positive().optional(),
      maxAllowed: z.number().int().positive().optional(),
      maxHandedOn: z.number().int().positive().optional(),
      suggestAfter: z.number().int().positive().optional(),
    })
    .optional(),
  languageServers: z
    .union([
      z.boolean(),
      z.strictObject({
        servers: z
          .record(
            z.string().min(1),
            z.looseObject({
              command: z.string().min(1),
              args: z.array(z.string()).optional(),
              extensionToLanguage: z.record(z.string().min(1), z.string().min(1)),
              env: z.record(z.string(), z.string()).optional(),
              initializationOptions: z.unknown().optional(),
              settings: z.record(z.string(), z.unknown()).optional(),
              workspaceFolder: z.string().min(1).optional(),
              startupTimeout: milliseconds.optional(),
              restartOnCrash: z.boolean().optional(),
              maxRestarts: z.number().int().nonnegative().optional(),
              transport: z.literal('stdio').optional(),
            }),
          )
          .optional(),
        known: z.boolean().optional(),
        waitMs: z.number().nonnegative().optional(),
      }),
    ])
    .optional(),
  sandbox: sandboxSchema.optional(),
  toolSearch: z
    .union([z.boolean(), z.literal('auto'), z.templateLiteral(['auto:', z.number().min(0).max(100)])])
    .optional(),
  promptCacheTtl: z.enum(['5m', '1h']).optional(),
  models: models.optional(),
  modelsFile: z.string().min(1).optional(),
  permissions: z
    .object({
      allow: allowRules,
      deny: restrictingRules,
      ask: restrictingRules,
      defaultMode: z.string().optional(),
      additionalDirectories: z.array(z.string()).optional(),
      disableBypassPermissionsMode: z.literal('disable').optional(),
      disableAutoMode: z.literal('disable').optional(),
      blockReadsOutsideWorkingDirectories: z.boolean().optional(),
      blockWritesOutsideWorkingDirectories: z.boolean().optional(),
      denyInsteadOfPrompting: z.boolean().optional(),
      allowedToolsOnly: z.boolean().optional(),
    })
    .optional(),
  env: z.record(z.string(), variable).optional(),
  childEnvAllow: z.array(z.string()).optional(),
  apiKeyHelper: z.string().optional(),
  awsAuthRefresh: z.string().min(1).optional(),
  awsCredentialExport: z.string().min(1).optional(),
  gcpAuthRefresh: z.string().min(1).optional(),
  baseUrl: z.string().optional(),
  provider: z.string().min(1).optional(),
  providers: z
    .record(
      z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/),
      z.object({
        type: z.enum(PROVIDER_TYPES),
        baseUrl: z.string().optional(),
        api: z.enum(['chat', 'responses']).optional(),
        apiKeyEnv: z.string().min(1).optional(),
        structuredOutput: z.enum(['native', 'tool']).optional(),
        headers: z.record(headerName, headerValue).optional(),
      }),
    )
    .optional(),
  headers: z.record(headerName, headerValue).optional(),
  proxyUrl: z.string().optional(),
  noProxy: z.string().optional(),
  caFile: z.string().optional(),
  autoCompactEnabled: z.boolean().optional(),
  autoCompactWindow: tokens.optional(),
  bashOutputMaxChars: z.number().int().positive().optional(),
  webFetchPrivateHosts: z.array(z.string()).optional(),
  plansDirectory: z.string().min(1).optional(),
  durability: z.enum(['process', 'power']).optional(),
  fileCheckpointingEnabled: z.boolean().optional(),
  allowedMcpServers: mcpServers,
  deniedMcpServers: mcpServers,
  enabledMcpjsonServers: z.array(z.string()).optional(),
  disabledMcpjsonServers: z.array(z.string()).optional(),
  enableAllProjectMcpServers: z.boolean().optional(),
  mcpToolChanges: z.enum(['ask', 'accept']).optional(),
  allowManagedPermissionRulesOnly: z.boolean().optional(),
  allowManagedHooksOnly: z.boolean().optional(),
  allowManagedMcpServersOnly: z.boolean().optional(),
  disableAllHooks: z.boolean().optional(),
  claudeMdExcludes: z.array(z.string()).optional(),
  memoryImports: z.enum(['project', 'anywhere']).optional(),
  relevantMemory: z
    .union([
      z.boolean(),
      z.object({
        model: z.string().optional(),
        maxFiles: z.number().int().positive().optional(),
        maxChars: z.number().int().positive().optional(),
      }),
    ])
    .optional(),
  toolUseSummaries: z.boolean().optional(),
  theme: z.unknown().optional(),
  reducedMotion: z.unknown().optional(),
  screenReader: z.unknown().optional(),
  terminalTitle: z.unknown().optional(),
  terminalBell: z.unknown().optional(),
  terminalNotifications: z.unknown().optional(),
  statusLine: z.unknown().optional(),
  statusLineParts: z.unknown().optional(),
  keybindings: z.unknown().optional(),
  agent: z.string().min(1).optional(),
  outputStyle: z.string().optional(),
  skillListingMaxDescChars: z.number().int().positive().optional(),
  skillListingBudgetFraction: z.number().positive().max(1).optional(),
  skillOverrides: z.record(z.string(), z.enum(['on', 'name-only', 'user-invocable-only', 'off'])).optional(),
  hooks: z
    .record(
      z.string(),
      z.array(z.object({ matcher: z.string().nullish(), hooks: z.array(z.looseObject({})) })),
    )
    .optional(),
  allowedHttpHookUrls: z.array(z.string()).optional(),
  httpHookAllowedEnvVars: z.array(z.string()).optional(),
});
