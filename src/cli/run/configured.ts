/** Whether a model can be reached at all. Names are looked at, never values. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { configurationHome } from '../../index.ts';
import type { RunFlags } from '../flags/run-flags.ts';
import type { Env, World } from '../world.ts';

const MODEL_VARIABLES = [
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_AUTH_TOKEN',
  'ANTHROPIC_BASE_URL',
  // They point at a model, too, if one that the engine refuses.
  'CLAUDE_CODE_USE_BEDROCK',
  'CLAUDE_CODE_USE_VERTEX',
  'CLAUDE_CODE_USE_FOUNDRY',
] as const;

/** The variables of the environment that point at a model, in order of precedence. */
export function modelVariables(env: Env): readonly string[] {
  return MODEL_VARIABLES.filter((name) => (env[name] ?? '') !== '');
}

/**
 * Where the model is named: a variable of the environment, else `settings`. Undefined: nowhere, so that nothing can
 * be asked.
 */
export async function modelSource(
  world: Pick<World, 'env' | 'cwd'>,
  { options }: RunFlags,
): Promise<string | undefined> {
  const [variable] = modelVariables(world.env);
  if (variable !== undefined) return variable;
  const home = configurationHome(world.env, world.cwd);
  const readsUserSettings = options.settingSources?.includes('user') ?? true;
  const files = readsUserSettings && home !== undefined ? [join(home, 'settings.json')] : [];
  const given = typeof options.settings === 'string' ? [options.settings] : [];
  const settings = await Promise.all([...files, ...given].map(textOf));
  return settings.some((text) => MODEL_SETTING.test(text)) ? 'settings' : undefined;
}

/** Settings that point at a model. Whether they do so rightly, the engine finds out. */
const MODEL_SETTING = /"(?:apiKeyHelper|baseUrl|ANTHROPIC_(?:API_KEY|AUTH_TOKEN|BASE_URL))"\s*:/;

async function textOf(jsonOrFile: string): Promise<string> {
  return jsonOrFile.trimStart().startsWith('{') ? jsonOrFile : readFile(jsonOrFile, 'utf8').catch(() => '');
}
