import { z } from 'zod';

const flag = z.boolean().optional();
const texts = z.array(z.string().min(1)).optional();
const port = z.number().int().min(1).max(65_535).optional();
const absolute = z.string().startsWith('/', 'expected an absolute path').optional();
const domains = z
  .array(
    z
      .string()
      .regex(
        /^(?:\*|(?:\*\.)?[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*\.?|\[?[0-9a-fA-F:.]+\]?)$/,
        'expected a domain, as in example.com or *.example.com, without a scheme, port or path',
      ),
  )
  .optional();
const hiding = z.enum(['deny', 'mask']);

/**
 * Mirrors `SandboxSettings`: every field is checked, also those that only have an effect on other systems.
 */
export const sandboxSchema = z.looseObject({
  enabled: flag,
  failIfUnavailable: flag,
  autoAllowBashIfSandboxed: flag,
  allowUnsandboxedCommands: flag,
  excludedCommands: texts,
  hooks: flag,
  mcpServers: z.union([z.boolean(), z.array(z.string().min(1))]).optional(),
  network: z
    .looseObject({
      allowedDomains: domains,
      deniedDomains: domains,
      strictAllowlist: flag,
      allowManagedDomainsOnly: flag,
      allowUnixSockets: texts,
      allowAllUnixSockets: flag,
      allowLocalBinding: flag,
      allowMachLookup: texts,
      httpProxyPort: port,
      socksProxyPort: port,
      tlsTerminate: z
        .looseObject({ caCertPath: z.string().optional(), caKeyPath: z.string().optional() })
        .optional(),
    })
    .optional(),
  filesystem: z
    .looseObject({
      allowWrite: texts,
      denyWrite: texts,
      denyRead: texts,
      allowRead: texts,
      allowManagedReadPathsOnly: flag,
      disabled: flag,
    })
    .optional(),
  credentials: z
    .looseObject({
      files: z.array(z.looseObject({ path: z.string().min(1), mode: hiding })).optional(),
      envVars: z.array(z.looseObject({ name: z.string().min(1), mode: hiding })).optional(),
    })
    .optional(),
  ignoreViolations: z.record(z.string(), z.array(z.string())).optional(),
  enableWeakerNestedSandbox: flag,
  allowNestedUserNamespaces: flag,
  enableWeakerNetworkIsolation: flag,
  allowAppleEvents: flag,
  ripgrep: z.looseObject({ command: z.string().min(1), args: z.array(z.string()).optional() }).optional(),
  bwrapPath: absolute,
  socatPath: absolute,
});
