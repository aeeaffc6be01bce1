/** Model servers of this machine: looked for when the person wants it, and only on loopback. */
import { get } from 'node:http';

export interface LocalServer {
  readonly name: string;
  /** Of its chat completions API. */
  readonly baseUrl: string;
  readonly models: readonly string[];
}

export interface LocalPlace {
  readonly name: string;
  readonly port: number;
  /** Others use this port, too: its list of models has to say who made it. */
  readonly ownedBy?: string;
}

export const LOCAL_PLACES: readonly LocalPlace[] = [
  { name: 'Ollama', port: 11434 },
  { name: 'LM Studio', port: 1234 },
  { name: 'llama.cpp', port: 8080, ownedBy: 'llamacpp' },
];

/** A server of this machine answers at once, or is none. */
const LIMIT_MS = 800;
const MAX_BYTES = 1024 * 1024;

/** All of them at once, within one time limit. */
export async function localServers(
  places: readonly LocalPlace[],
  limitMs: number = LIMIT_MS,
): Promise<readonly LocalServer[]> {
  const signal = AbortSignal.timeout(limitMs);
  const found = await Promise.all(places.map((place) => lookAt(place, signal)));
  return found.filter((server) => server !== undefined);
}

async function lookAt(
  { name, port, ownedBy }: LocalPlace,
  signal: AbortSignal,
): Promise<LocalServer | undefined> {
  const baseUrl = `http://127.0.0.1:${port}/v1`;
  const text = await textAt(`${baseUrl}/models`, signal).catch(() => undefined);
  const listed = text === undefined ? undefined : modelsIn(text);
  if (listed === undefined) return undefined;
  if (ownedBy !== undefined && !listed.every((model) => model.ownedBy === ownedBy)) return undefined;
  const models = listed.map(({ id }) => id).filter((id) => !/embed|rerank/i.test(id));
  return models.length === 0 ? undefined : { name, baseUrl, models };
}

interface ListedModel {
  readonly id: string;
  readonly ownedBy: unknown;
}

/** undefined: not a list of models. */
function modelsIn(text: string): readonly ListedModel[] | undefined {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { data } = (answer ?? {}) as { readonly data?: unknown };
  if (!Array.isArray(data)) return undefined;
  return data.flatMap((model) =>
    typeof model?.id === 'string' ? [{ id: model.id, ownedBy: model.owned_by }] : [],
  );
}

/** By its address alone: no proxy is asked for a server of this machine. */
function textAt(url: string, signal: AbortSignal): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const request = get(url, { signal, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        bytes += chunk.length;
        if (bytes > MAX_BYTES) request.destroy(new Error('The list is too long.'));
      });
      response.on('error', reject);
      response.on('end', () =>
        resolve(response.statusCode === 200 ? Buffer.concat(chunks).toString() : undefined),
      );
    });
    request.on('error', reject);
  });
}
