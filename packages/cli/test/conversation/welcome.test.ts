/** The first start without a model: each way on, each way out, and nothing is asked but this machine before one is chosen. */
import { once } from 'node:events';
import { mkdtempSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, onTestFinished, test } from 'vitest';
import { welcome } from '../../src/conversation/start/index.ts';
import { localModels } from '../../src/conversation/start/local-models.ts';
import type { RunFlags } from '../../src/flags/run-flags.ts';
import type { World } from '../../src/world.ts';

const flags: RunFlags = { options: { maxTurns: 3 }, outputFormat: 'text', inputFormat: 'text' };

/** A server on loopback that answers everything with this. */
async function answering(body: unknown, status = 200): Promise<{ readonly port: number; asked(): number }> {
  let asked = 0;
  const server = createServer((_, response) => {
    asked += 1;
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port, asked: () => asked };
}

const listing = (...ids: readonly string[]) => ({
  object: 'list',
  data: ids.map((id) => ({ id, object: 'model', owned_by: 'library' })),
});

interface Greeting {
  readonly lineMode?: boolean;
  readonly env?: Record<string, string>;
  /** Of the window; default: stdout is no terminal. */
  readonly columns?: number;
}

/** Each answer is typed once its text is on the screen. */
async function greeted(
  answers: readonly (readonly [sees: string, types: string])[],
  { lineMode = false, env = {}, columns }: Greeting = {},
) {
  const keyboard = new PassThrough() as unknown as NodeJS.ReadStream & PassThrough;
  const home = mkdtempSync(join(tmpdir(), 'turnwright-welcome-'));
  let seen = '';
  let from = 0;
  const todo = [...answers];
  const world = {
    cwd: home,
    env: { HOME: home, TURNWRIGHT_HOME: join(home, 'config'), ...env },
    out: {
      async write(text: string) {
        seen += text;
        const [next] = todo;
        const at = next === undefined ? -1 : seen.indexOf(next[0], from);
        if (next === undefined || at < 0) return;
        todo.shift();
        from = at + next[0].length;
        setTimeout(() => keyboard.write(next[1]), lineMode ? 450 : 0);
      },
    },
    stdout: { isTTY: columns !== undefined, columns },
    signals: { raiseInterrupt: () => {} },
  } as unknown as World;
  const done = await welcome(world, flags, { keyboard, lineMode });
  return { done, seen, home };
}

test('Esc leaves; a rehearsed run is one key away', async () => {
  expect((await greeted([['Esc leaves', '\x1b']])).done).toEqual({ kind: 'leave' });
  const { done, seen } = await greeted([['Esc leaves', 'x1']]);
  expect(done).toEqual({ kind: 'rehearse' });
  expect(seen).toContain('No model is set up yet.\n\n  1  see it work now');
});

test('a key is asked for, checked and stored; a refused one leads back', async () => {
  const api = await answering({ type: 'model', id: 'claude-opus-5-5' });
  const env = { ANTHROPIC_BASE_URL: `http://127.0.0.1:${api.port}` };
  const { done, seen, home } = await greeted(
    [
      ['Esc leaves', '2'],
      ['Esc leaves): ', '\x1b'],
      ['Esc leaves', '2'],
      ['Esc leaves): ', 'two words\r'],
      ['Esc leaves', '2'],
      ['Esc leaves): ', 'key-123\r'],
    ],
    { env },
  );
  expect(done).toEqual({ kind: 'goOn', flags });
  expect(seen).not.toContain('key-123');
  expect(seen).toContain('A key is one word');
  expect(readFileSync(join(home, 'config', 'logins.json'), 'utf8')).toContain('key-123');
});

describe('servers of this machine', () => {
  const ollamaAt = (port: number) => ({ OLLAMA_HOST: `127.0.0.1:${port}` });

  test('that answer are offered, and the model that is taken is kept for the next time', async () => {
    const ollama = await answering(listing('qwen3:8b', 'nomic-embed-text', 'gemma3'));
    const env = ollamaAt(ollama.port);
    const { done, seen, home } = await greeted(
      [
        ['1  use Ollama on this machine: 2 models', '1'],
        ['  2  ollama:gemma3', '2'],
      ],
      { env },
    );
    expect(done).toEqual({
      kind: 'goOn',
      flags: { ...flags, options: { maxTurns: 3, model: 'ollama:gemma3' } },
    });
    expect(seen).toContain('Kept for the next time in');
    expect(JSON.parse(readFileSync(join(home, 'config', 'settings.json'), 'utf8'))).toEqual({
      model: 'ollama:gemma3',
    });
    expect(seen).not.toContain('nomic');
  });

  test('that are missing, answer something else or refuse have no models', async () => {
    const [page, closed] = await Promise.all([answering('<html>'), answering(listing('x'), 404)]);
    const modelsAt = (port: number) => localModels({ cwd: tmpdir(), env: ollamaAt(port) });
    const found = await Promise.all([modelsAt(page.port), modelsAt(closed.port), modelsAt(9)]);
    expect(found.flat().filter((name) => name.startsWith('ollama:'))).toEqual([]);
  });

  test('that accept and stay silent are given up', async () => {
    const server = createServer(() => undefined).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const found = await localModels({ cwd: tmpdir(), env: ollamaAt(port) }, 30);
    expect(found.filter((name) => name.startsWith('ollama:'))).toEqual([]);
    server.closeAllConnections();
  });

  test('elsewhere are not asked before they are chosen', async () => {
    const ollama = await answering(listing('qwen3:8b'));
    const env = { OLLAMA_HOST: `http://box.example.invalid:${ollama.port}` };
    const { done, seen } = await greeted([['Esc leaves', '\x1b']], { env });
    expect([done.kind, ollama.asked()]).toEqual(['leave', 0]);
    expect(seen).not.toContain('use Ollama');
  });
});

test('clouds and companies whose account is in the environment are offered', async () => {
  const env = { AWS_PROFILE: 'work', AWS_REGION: 'us-east-1', GEMINI_API_KEY: 'g', OPENROUTER_API_KEY: 'o' };
  const { done, seen, home } = await greeted([['Esc leaves', '3']], { env });
  expect(seen).toContain(
    '  1  use OpenRouter: OPENROUTER_API_KEY is set\n  2  use Gemini: GEMINI_API_KEY is set',
  );
  expect(seen).toContain('  3  use Amazon Bedrock: AWS_PROFILE is set');
  expect(done).toEqual({ kind: 'goOn', flags: { ...flags, options: { maxTurns: 3, provider: 'bedrock' } } });
  expect(readFileSync(join(home, 'config', 'settings.json'), 'utf8')).toContain('"provider": "bedrock"');
});

test('for a screen reader it is answered by a number and Enter', async () => {
  const { done, seen } = await greeted([['Enter to leave: ', '1\n']], { lineMode: true });
  expect(done).toEqual({ kind: 'rehearse' });
  expect(seen).toContain('1. see it work now');
});

test('sentences and choices are wrapped between words', async () => {
  const { seen } = await greeted([['Esc leaves', '\x1b']], { columns: 40 });
  const rows = seen.split('\n');
  expect(rows.every((row) => row.length <= 40)).toBe(true);
  expect(rows.slice(0, 3)).toEqual([
    'Turnwright drives a model through tools',
    'until the work is done. No model is set',
    'up yet.',
  ]);
  expect(rows.filter((row) => row.startsWith('     '))).not.toEqual([]);
});
