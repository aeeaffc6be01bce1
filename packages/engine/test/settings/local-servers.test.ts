/** Servers of one's own machine, by names that need no settings. */
import { expect, it } from 'vitest';
import { knownProviders } from '../../src/settings/resolve/known-providers.ts';

it.each([
  [undefined, 'http://localhost:11434/v1'],
  ['', 'http://localhost:11434/v1'],
  ['0.0.0.0', 'http://localhost:11434/v1'],
  ['0.0.0.0:11500', 'http://localhost:11500/v1'],
  [':11500', 'http://localhost:11500/v1'],
  ['[::]:11500', 'http://localhost:11500/v1'],
  ['gpu-box', 'http://gpu-box:11434/v1'],
  ['gpu-box:80', 'http://gpu-box:80/v1'],
  ['192.168.1.7:11434', 'http://192.168.1.7:11434/v1'],
  ['https://ollama.example.com', 'https://ollama.example.com/v1'],
  ['https://example.com/ollama/', 'https://example.com/ollama/v1'],
  ['example.com/ollama', 'http://example.com:11434/ollama/v1'],
  ['not a host', 'http://localhost:11434/v1'],
])('OLLAMA_HOST=%s is %s', (host, baseUrl) => {
  expect(knownProviders(host === undefined ? {} : { OLLAMA_HOST: host })['ollama']?.baseUrl).toBe(baseUrl);
});
