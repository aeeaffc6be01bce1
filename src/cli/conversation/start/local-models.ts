/** Models of the servers on this machine, by the names with which they are asked for: `ollama:qwen3:8b`. */
import { listModels } from '../../../index.ts';
import { OPTIONS } from '../../../options/table.ts';
import type { World } from '../../world.ts';

/** Their addresses are the engine's, which has them by these names. */
const SERVERS = ['ollama', 'lmstudio', 'llamacpp'] as const;

/** A server of this machine answers at once, or is none. */
const LIMIT_MS = 1_500;
/** Models that do not converse. */
const OTHERS = /embed|rerank/i;

/** All servers at once, within one time limit. A server that does not answer has none. */
export async function localModels(
  { cwd, env }: Pick<World, 'cwd' | 'env'>,
  limitMs: number = LIMIT_MS,
): Promise<readonly string[]> {
  const signal = AbortSignal.timeout(limitMs);
  const lists = await Promise.all(
    SERVERS.map(async (name) => {
      const asked = { ...env, [OPTIONS.model.variable]: `${name}:any` };
      const listed = await listModels({ cwd, env: asked, settingSources: ['user'], signal }).catch(
        () => undefined,
      );
      if (listed === undefined || listed.unlisted !== undefined) return [];
      return listed.models.map(({ id }) => id).filter((id) => !OTHERS.test(id));
    }),
  );
  return lists.flat();
}
