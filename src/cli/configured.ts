/** Whether a model can be reached at all. Names are looked at, never values. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { configurationHome } from '../index.ts';
import type { RunFlags } from './args.ts';
import { UsageError } from './usage-error.ts';
import type { Env, World } from './world.ts';

const MODEL_VARIABLES = ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'ANTHROPIC_BASE_URL'] as const;

/** The variables of the environment that point at a model, in order of precedence. */
export function modelVariables(env: Env): readonly string[] {
  return MODEL_VARIABLES.filter((name) => (env[name] ?? '') !== '');
}

export const NOT_CONFIGURED =
  'No model is configured. Set ANTHROPIC_API_KEY (or ANTHROPIC_AUTH_TOKEN), or ANTHROPIC_BASE_URL for a local or compatible server. `turnwright start` works without: it plays a rehearsed run.';

/** Throws `UsageError` when nothing names a model: exit code 2, nothing was sent. */
export async function requireModel(world: Pick<World, 'env' | 'cwd'>, flags: RunFlags): Promise<void> {
  if (modelVariables(world.env).length > 0) return;
  const home = configurationHome(world.env, world.cwd);
  const readsUserSettings = flags.settingSources?.includes('user') ?? true;
  const files = readsUserSettings && home !== undefined ? [join(home, 'settings.json')] : [];
  const settings = await Promise.all(
    [...files, ...(flags.settings === undefined ? [] : [flags.settings])].map(textOf),
  );
  if (!settings.some((text) => MODEL_SETTING.test(text))) throw new UsageError(NOT_CONFIGURED);
}

/** Settings that point at a model. Whether they do so rightly, the engine finds out. */
const MODEL_SETTING = /"(?:apiKeyHelper|baseUrl|ANTHROPIC_(?:API_KEY|AUTH_TOKEN|BASE_URL))"\s*:/;

async function textOf(jsonOrFile: string): Promise<string> {
  return jsonOrFile.trimStart().startsWith('{') ? jsonOrFile : readFile(jsonOrFile, 'utf8').catch(() => '');
}
