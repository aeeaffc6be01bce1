/** Models of the servers on this machine, by the names with which they are asked for: `ollama:qwen3:8b`. */
import { listModels, NAMED_PROVIDERS } from '@turnwright/engine';
import { OPTIONS } from '@turnwright/engine/options/table.ts';
import type { World } from '../../world.ts';

const SERVERS = Object.keys(NAMED_PROVIDERS).filter((name) => NAMED_PROVIDERS[name]?.isLocal === true);

/** A server of this machine answers at once, or is none. */
const LIMIT_MS = 1_500;
/** Models that do not converse. */
const OTHERS = /embed|rerank|whisper|tts|dall-e|moderation|image|transcribe|realtime/i;

/** A server of this machine that answers. */
export interface LocalServer {
  /** What sentences call it. */
  readonly name: string;
  /** With its own name before theirs. */
  readonly models: readonly string[];
}

/** Where nothing but this machine is asked, unasked: one that is slower is found by asking for it. */
const UNASKED_LIMIT_MS = 300;

/** Those that answer on this machine's own address; an address elsewhere is not asked. */
export async function localServers(world: Pick<World, 'cwd' | 'env'>): Promise<readonly LocalServer[]> {
  const signal = AbortSignal.timeout(UNASKED_LIMIT_MS);
  const asked = SERVERS.filter((name) => isHere(world.env[NAMED_PROVIDERS[name]?.addressVariable ?? '']));
  const found = await Promise.all(
    asked.map(async (name) => ({
      name: NAMED_PROVIDERS[name]?.title ?? name,
      models: await listProviderModels(name, world, signal),
    })),
  );
  return found.filter(({ models }) => models.length > 0);
}

/** A URL, a host, or a host with its port; none: the usual one, which is here. */
function isHere(address: string | undefined): boolean {
  if (address === undefined || address === '') return true;
  const host = address.replace(/^\w+:\/\//, '').replace(/(?::\d*)?(?:\/.*)?$/, '');
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\]|0\.0\.0\.0|)$/.test(host);
}

/** All servers at once, within one time limit. A server that does not answer has none. */
export async function localModels(
  world: Pick<World, 'cwd' | 'env'>,
  limitMs: number = LIMIT_MS,
): Promise<readonly string[]> {
  const signal = AbortSignal.timeout(limitMs);
  return (await Promise.all(SERVERS.map((name) => listProviderModels(name, world, signal)))).flat();
}

/** The models of one provider, with its name before theirs. Empty: it does not list them, or not in time. */
export async function listProviderModels(
  provider: string,
  { cwd, env }: Pick<World, 'cwd' | 'env'>,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const asked = { ...env, [OPTIONS.model.variable]: `${provider}:any` };
  const listed = await listModels({ cwd, env: asked, settingSources: ['user'], signal }).catch(
    () => undefined,
  );
  if (listed === undefined || listed.unlisted !== undefined) return [];
  return listed.models.map(({ id }) => id).filter((id) => !OTHERS.test(id));
}
