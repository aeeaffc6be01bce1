/** The table of options, the schema of settings and docs/settings.md name the same keys. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { OPTIONS, type OptionName, type OptionRow } from '../../src/options/table.ts';
import { settingsSchema } from '../../src/settings/read/settings-schema.ts';
import type { Resolution } from '../../src/settings/resolve/resolution.ts';
import { resolveConfig } from '../../src/settings/resolve/resolve-config.ts';

/** Keys that belong together under one, of which an option may name one. */
const GROUPS: readonly string[] = ['permissions'];

const fieldsOf = (schema: unknown) => Object.entries((schema as z.ZodObject).shape as z.ZodRawShape);
/** Each key of settings with its schema: `model`, `permissions.allow`. */
const KEYS = new Map(
  fieldsOf(settingsSchema).flatMap(([key, schema]): [string, z.ZodType][] =>
    GROUPS.includes(key)
      ? fieldsOf((schema as z.ZodOptional).unwrap()).map(([inner, of]) => [
          `${key}.${inner}`,
          of as z.ZodType,
        ])
      : [[key, schema as z.ZodType]],
  ),
);

/** Values of keys for which `valuesOf` finds none that has an effect. */
const VALUES: Readonly<Record<string, readonly unknown[]>> = {
  'permissions.allow': [['Read']],
  'permissions.deny': [['Read']],
  'permissions.ask': [['Read']],
  'permissions.defaultMode': ['plan'],
  'permissions.additionalDirectories': [['/elsewhere']],
  sandbox: [{ enabled: true }],
  baseUrl: ['https://example.com'],
  provider: ['bedrock'],
  providers: [{ local: { type: 'anthropic', baseUrl: 'http://localhost:11434' } }],
  proxyUrl: ['https://example.com'],
  toolSearch: [true, false, 'auto', 'auto:5'],
  env: [{ ANTHROPIC_MODEL: 'haiku' }],
  headers: [{ 'X-A': 'a' }],
  hooks: [{ Stop: [{ hooks: [{ type: 'command', command: ':' }] }] }],
  models: [{ haiku: { contextWindow: 1_000 } }],
  modelsFile: [fileURLToPath(new URL('models.json', import.meta.url))],
  skillOverrides: [{ pdf: 'off' }],
  verify: [{ commands: ['npm test'] }],
  autoMode: [{ judge: 'haiku' }],
};

function valuesOf(key: string, schema: z.ZodType): readonly unknown[] {
  const given = VALUES[key];
  if (given !== undefined) return given;
  const candidates = [true, false, 7, 0.5, 'x', ['x'], [{ serverName: 'x' }], ...wordsOf(schema)];
  return candidates.filter((value) => schema.safeParse(value).success);
}

function wordsOf(schema: z.ZodType): readonly unknown[] {
  const inner = schema instanceof z.ZodOptional ? schema.unwrap() : schema;
  if (inner instanceof z.ZodEnum) return inner.options;
  return inner instanceof z.ZodLiteral ? [...inner.values] : [];
}

const nested = (key: string, value: unknown) =>
  key.split('.').reduceRight<unknown>((inside, part) => ({ [part]: inside }), value);

/** What the options come to, by the name of the option. */
async function resolved(settings: unknown): Promise<Readonly<Record<string, unknown>>> {
  const found = await resolveConfig({
    options: { settings: settings as Record<string, unknown> },
    env: {},
    cwd: '/',
    files: nodeFiles,
  });
  const ofOptions = Object.entries(found.config).filter(([name]) => name in OPTIONS && name !== 'settings');
  return { ...Object.fromEntries(ofOptions), ...underOtherNames(found), env: undefined };
}

/** Options that the engine takes in another form. */
function underOtherNames({ config, deferToolsAbove, languageServers, sandbox }: Resolution) {
  const { permissionLocks, permissionRules } = config;
  return {
    allowedTools: permissionRules.flagSettings?.allow ?? [],
    disallowedTools: permissionRules.flagSettings?.deny ?? [],
    allowedToolsOnly: permissionLocks.allowedToolsOnly,
    permissionPrompts: permissionLocks.denyInsteadOfPrompting,
    toolSearch: deferToolsAbove,
    languageServers,
    sandbox,
  };
}

const rows = Object.entries<OptionRow>(OPTIONS) as readonly [OptionName, OptionRow][];

describe('the settings key of an option', () => {
  it.each(rows.flatMap(([name, { setting }]) => (setting === undefined ? [] : [[name, setting]])))(
    '%s: %s is a key of settings',
    (_, setting) => {
      expect([...KEYS.keys()]).toContain(setting);
    },
  );

  it.each([...KEYS])('%s is in the row of each option that it sets, and of no other', async (key, schema) => {
    const values = valuesOf(key, schema);
    expect(values, 'a value to try').not.toEqual([]);
    const without = await resolved({});
    const set = new Set<string>();
    for (const value of values)
      for (const [name, now] of Object.entries(await resolved(nested(key, value))))
        if (JSON.stringify(now) !== JSON.stringify(without[name])) set.add(name);
    const named = rows.filter(([, { setting }]) => setting === key).map(([name]) => name);
    // A model in the environment of the settings is the environment's to name.
    expect([...set].sort()).toEqual(key === 'env' ? ['model'] : named.sort());
  });
});

describe('docs/settings.md', () => {
  const page = readFileSync(fileURLToPath(new URL('../../../../docs/settings.md', import.meta.url)), 'utf8');
  const part = page.split(/^## /m).find((section) => section.includes('\n| key |')) ?? '';
  const table = part.split('\n').filter((line) => line.startsWith('| `'));
  const inTable = table.flatMap((line) => [...(line.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)]);
  const listed = inTable.map(([, key]) => key as string);

  it('has a row for each key, once', () => {
    const keys = fieldsOf(settingsSchema).map(([key]) => key);
    expect(listed.toSorted()).toEqual(keys.sort());
  });

  it.each([...KEYS.keys()].filter((key) => key.startsWith('permissions.')))('names %s', (key) => {
    const [, name] = key.split('.');
    expect(part).toMatch(new RegExp(`\`${name}[\`:]`));
  });
});
