/** Whether a model is configured. Names are read, never values. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  configurationHome,
  modelAccess,
  NAMED_PROVIDERS,
  NOT_CONFIGURED,
  PROVIDER_TYPES,
  providerFacts,
} from '@turnwright/engine';
import { OPTIONS } from '@turnwright/engine/options/table.ts';
import type { RunFlags } from '../flags/run-flags.ts';
import { UsageError } from '../usage-error.ts';
import type { Env, World } from '../world.ts';

const MODEL_VARIABLES = [
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_AUTH_TOKEN',
  'ANTHROPIC_BASE_URL',
  'CLAUDE_CODE_OAUTH_TOKEN',
  OPTIONS.provider.variable,
  // They configure a model, too, although the engine refuses it.
  'CLAUDE_CODE_USE_BEDROCK',
  'CLAUDE_CODE_USE_VERTEX',
  'CLAUDE_CODE_USE_FOUNDRY',
] as const;

/** Environment variables that configure a model, in order of precedence. */
export function modelVariables(env: Env): readonly string[] {
  return MODEL_VARIABLES.filter((name) => (env[name] ?? '') !== '');
}

/**
 * Where the model is configured: a variable of the environment, else `flags`, `settings` or `login`.
 * undefined: nowhere, so no run is possible.
 */
export async function modelSource(
  world: Pick<World, 'env' | 'cwd'>,
  { options }: RunFlags,
): Promise<string | undefined> {
  const [variable] = modelVariables(world.env);
  if (variable !== undefined) return variable;
  if (options.provider !== undefined || options.baseUrl !== undefined) return 'flags';
  const home = configurationHome(world.env, world.cwd);
  const readsUserSettings = options.settingSources?.includes('user') ?? true;
  const files = readsUserSettings && home !== undefined ? [join(home, 'settings.json')] : [];
  const given = typeof options.settings === 'string' ? [options.settings] : [];
  const settings = await Promise.all([...files, ...given].map(textOf));
  if (settings.some((text) => MODEL_SETTING.test(text))) return 'settings';
  // A model may be named with its provider, which then needs nothing else.
  const { variable: modelVariable } = OPTIONS.model;
  const { model } = options;
  const { apiKeySource, unreachable } = await modelAccess({
    cwd: world.cwd,
    env: { ...world.env, ...(model !== undefined && { [modelVariable]: model }) },
    ...(options.settings !== undefined && { settings: options.settings }),
    settingSources: readsUserSettings ? ['user'] : [],
    projectTrusted: false,
  });
  if (unreachable !== undefined) {
    // A model was named, and lacks something.
    if (unreachable !== NOT_CONFIGURED) throw new UsageError(unreachable);
    return undefined;
  }
  if (apiKeySource === 'login') return 'login';
  if (model !== undefined) return 'flags';
  return world.env[modelVariable] === undefined ? 'settings' : modelVariable;
}

/** What to do when no model is configured, with what the environment and this machine already have. */
export async function notConfigured(world: Pick<World, 'env' | 'cwd'>): Promise<string> {
  const { env } = world;
  const { localServers } = await import('../conversation/start/local-models.ts');
  const local = await localServers(world);
  const hints = [
    ...local.map(
      ({ name, models }) => `${name} answers on this machine: --model ${models[0] ?? ''} asks it.`,
    ),
    ...foundClouds(env).map(
      ({ provider, variable }) => `${variable} is set: --provider ${provider} asks there.`,
    ),
    ...(env['OLLAMA_HOST'] ? ['OLLAMA_HOST is set: --model ollama:<name> asks that server.'] : []),
    ...(env['OPENAI_BASE_URL']
      ? ['OPENAI_BASE_URL is set: --model openai-compatible:<name> asks that server.']
      : []),
    ...(await vendorKeys(world)).map(
      ({ prefix, name, variable }) => `${variable} is set: --model ${prefix}:<name> asks ${name}.`,
    ),
  ];
  return [NOT_CONFIGURED, ...hints].join(' ');
}

/** A cloud whose account the environment names. */
export interface FoundCloud {
  readonly provider: string;
  /** What sentences call it. */
  readonly name: string;
  readonly variable: string;
}

export function foundClouds(env: Env): readonly FoundCloud[] {
  return PROVIDER_TYPES.flatMap((provider) => {
    const { foundBy = [], title: name = provider } = providerFacts(provider);
    const variable = foundBy.find((each) => (env[each] ?? '') !== '');
    return variable === undefined ? [] : [{ provider, name, variable }];
  });
}

export interface VendorKey {
  /** What the names of its models begin with. */
  readonly prefix: string;
  readonly name: string;
  /** The variable that holds its key. */
  readonly variable: string;
}

/** The companies whose keys are in the environment. */
export async function vendorKeys({ cwd, env }: Pick<World, 'env' | 'cwd'>): Promise<readonly VendorKey[]> {
  const found = await Promise.all(
    Object.entries(NAMED_PROVIDERS).map(async ([prefix, { isLocal, title: name }]) => {
      if (isLocal === true) return [];
      const asked = { ...env, [OPTIONS.model.variable]: `${prefix}:any` };
      const { apiKeyEnv: variable = '' } = await modelAccess({ cwd, env: asked, settingSources: [] });
      return env[variable] ? [{ prefix, name, variable }] : [];
    }),
  );
  return found.flat();
}

/** Settings that configure a model. The engine validates them. */
const MODEL_SETTING = /"(?:apiKeyHelper|baseUrl|provider|ANTHROPIC_(?:API_KEY|AUTH_TOKEN|BASE_URL))"\s*:/;

async function textOf(jsonOrFile: string): Promise<string> {
  return jsonOrFile.trimStart().startsWith('{') ? jsonOrFile : readFile(jsonOrFile, 'utf8').catch(() => '');
}
