/** Servers of one's own machine whose names are known, so that their models need no settings. */
import type { ProviderConfig } from '../../protocol/model/provider.ts';

/**
 * Ollama, LM Studio and llama.cpp where they listen by default. They are asked for chat completions, which
 * every version of them has. A key is sent if its variable is set.
 * @param ollamaHost Where Ollama listens, as its own variable says: `host`, `host:port` or a URL.
 */
export function localServers(ollamaHost: string | undefined): Readonly<Record<string, ProviderConfig>> {
  return {
    ollama: local(ollamaAddress(ollamaHost), 'OLLAMA_API_KEY'),
    lmstudio: local('http://localhost:1234', 'LM_API_TOKEN'),
    llamacpp: local('http://localhost:8080', 'LLAMA_API_KEY'),
  };
}

const local = (address: string, apiKeyEnv: string): ProviderConfig => ({
  type: 'openai-compatible',
  baseUrl: `${address}/v1`,
  apiKeyEnv,
});

/** A server that listens on every address is reached on this machine. */
function ollamaAddress(host = ''): string {
  const [, scheme, rest = ''] = /^(?:(https?):\/\/)?(.*?)\/*$/i.exec(host.trim()) ?? [];
  const named = rest.replace(/^(?:0\.0\.0\.0|\[?::\]?)?(?=:\d|\/|$)/, 'localhost');
  const hasPort = scheme !== undefined || /:\d+(?=\/|$)/.test(named);
  const address = `${scheme ?? 'http'}://${hasPort ? named : named.replace(/(?=\/|$)/, ':11434')}`;
  return URL.canParse(address) ? address : 'http://localhost:11434';
}
