/**
 * The code of docs/models.md: each shell block runs as it is written, with the address of its server replaced by one on
 * loopback, and so do the settings and the program.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BIN, bareEnv, type Ran, temporaryFolder } from '@turnwright/test/cli/bin.ts';
import { commandLine } from '@turnwright/test/cli/command-line.ts';
import { everyNth, inForm, isLong } from '@turnwright/test/long-form.ts';
import { startBedrockServer } from '@turnwright/test/model/wires/bedrock-server.ts';
import { KEYS } from '@turnwright/test/model/wires/cloud-clients.ts';
import { startFoundryServer } from '@turnwright/test/model/wires/foundry-server.ts';
import { googleServer } from '@turnwright/test/model/wires/google-server.ts';
import {
  startLiteLlm,
  startLlamaCpp,
  startLmStudio,
  startOllama,
  startOpenRouter,
  startVllm,
} from '@turnwright/test/model/wires/local-servers.ts';
import { startMessagesServer } from '@turnwright/test/model/wires/messages-server.ts';
import { startChatServer } from '@turnwright/test/model/wires/openai-chat-server.ts';
import { startResponsesServer } from '@turnwright/test/model/wires/openai-responses-server.ts';
import { startVertexServer } from '@turnwright/test/model/wires/vertex-server.ts';
import type { WireServer } from '@turnwright/test/model/wires/wire-server.ts';
import { transform } from 'esbuild';
import { describe, expect, it, onTestFinished } from 'vitest';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const GOOGLE_CERTIFICATE = join(ROOT, 'test/model/fixtures/google-cert.pem');
const page = readFileSync(join(ROOT, 'docs/models.md'), 'utf8');
const blocks = (language: string) =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(
    ([, text = '']) => text,
  );

/** Programs that the blocks call besides ours: installers, logins and servers. */
const OTHERS = ['npm', 'gcloud', 'az', 'ollama', 'lms', 'llama-server', 'vllm'];

interface Stage {
  readonly server: WireServer;
  /** Replaced in the block by the address of the server. */
  readonly host?: string;
  /** How the test leads there what has no address in the block. */
  readonly env?: Readonly<Record<string, string>>;
  readonly settings?: object;
  /** What arrives. */
  readonly model: string;
  readonly credential?: string;
}

const providerAt = (name: string, { url }: WireServer) => ({
  providers: { [name]: { type: 'openai-compatible', baseUrl: `${url}/v1` } },
});

/** By words that only this block has. */
const SHELL: readonly (readonly [words: string, stage: () => Promise<Stage>])[] = [
  [
    'ANTHROPIC_API_KEY=sk-ant',
    async () => {
      const server = await startMessagesServer();
      const env = { ANTHROPIC_BASE_URL: server.url };
      return { server, env, model: 'claude-opus-5-5', credential: 'sk-ant-...' };
    },
  ],
  [
    '--model ollama:qwen3:8b',
    async () => {
      const server = await startOllama({ 'qwen3:8b': { loadedContext: 64_000 } });
      return { server, env: { OLLAMA_HOST: `127.0.0.1:${server.port}` }, model: 'qwen3:8b' };
    },
  ],
  [
    'lms server start',
    async () => {
      const server = await startLmStudio('v1', 64_000);
      return { server, settings: providerAt('lmstudio', server), model: 'qwen/qwen3-8b' };
    },
  ],
  [
    'llama-server',
    async () => {
      const server = await startLlamaCpp({ window: 65_536, vision: false });
      return { server, settings: providerAt('llamacpp', server), model: 'qwen3-8b' };
    },
  ],
  [
    'vllm serve',
    async () => ({ server: await startVllm(), host: 'http://localhost:8000', model: 'Qwen/Qwen3-8B' }),
  ],
  [
    'http://localhost:4000',
    async () => ({
      server: await startLiteLlm(),
      host: 'http://localhost:4000',
      model: 'house',
      credential: 'sk-...',
    }),
  ],
  [
    'https://openrouter.ai/api',
    async () => ({
      server: await startOpenRouter(),
      host: 'https://openrouter.ai',
      model: 'anthropic/claude-sonnet-5.5',
      credential: 'sk-or-...',
    }),
  ],
  [
    'openai:gpt-5.2',
    async () => {
      const server = await startChatServer();
      return { server, env: { OPENAI_BASE_URL: server.url }, model: 'gpt-5.2', credential: 'sk-...' };
    },
  ],
  [
    'http://localhost:11434/v1',
    async () => ({
      server: await startOllama({ 'qwen3:8b': { loadedContext: 64_000 } }),
      host: 'http://localhost:11434',
      model: 'qwen3:8b',
      credential: '...',
    }),
  ],
  [
    'CLAUDE_CODE_USE_BEDROCK',
    async () => {
      const server = await startBedrockServer({ keys: KEYS, region: 'us-east-1' });
      const file = join(temporaryFolder(), 'credentials');
      writeFileSync(
        file,
        `[work]\naws_access_key_id = ${KEYS.accessKeyId}\naws_secret_access_key = ${KEYS.secretAccessKey}\naws_session_token = ${KEYS.sessionToken}\n`,
      );
      const env = { ANTHROPIC_BEDROCK_BASE_URL: server.url, AWS_SHARED_CREDENTIALS_FILE: file };
      return { server, env, model: 'us.anthropic.claude-opus-5-5' };
    },
  ],
  [
    'CLAUDE_CODE_USE_VERTEX',
    async () => {
      const google = await googleServer();
      onTestFinished(() => google.close());
      const isValidToken = (token: string) => google.tokens.includes(token);
      const server = await startVertexServer({ id: 'my-project', isValidToken });
      const env = {
        ANTHROPIC_VERTEX_BASE_URL: `${server.url}/v1`,
        GOOGLE_APPLICATION_CREDENTIALS: google.keyFileIn(temporaryFolder()),
        HTTPS_PROXY: google.proxyUrl,
        NODE_EXTRA_CA_CERTS: GOOGLE_CERTIFICATE,
      };
      return { server, env, model: 'claude-opus-5-5' };
    },
  ],
  [
    'CLAUDE_CODE_USE_FOUNDRY',
    async () => {
      const server = await startFoundryServer({ apiKey: '...', deployments: ['claude-opus-5-5'] });
      const env = { ANTHROPIC_FOUNDRY_BASE_URL: `${server.url}/anthropic` };
      return { server, env, model: 'claude-opus-5-5', credential: '...' };
    },
  ],
];

async function staged(starting: Promise<Stage>): Promise<Stage> {
  const stage = await starting;
  onTestFinished(() => stage.server.close());
  stage.server.answerWith({ kind: 'message', parts: [{ kind: 'text', text: 'Hello.' }] });
  return stage;
}

/** What has our command do what a block says: a shell script, and what it runs under. */
type Shell = (script: string, stage: Pick<Stage, 'env' | 'settings'>) => Promise<Ran>;

/** In a shell that has our command, and commands that do nothing. */
const shell: Shell = (script, stage) =>
  shellWith(`exec '${process.execPath}' '${BIN}' "$@"`, script, stage).ran;

/**
 * In the short form our command of the shell only writes down its words and variables; it runs in this process once the
 * shell has ended.
 */
const shellOfOneCall: Shell = inForm<Shell>(async (script, stage) => {
  const { folder, ran } = shellWith(`printf '%s\\0' "$@" > words; env -0 > variables`, script, stage);
  const { code, stderr } = await ran;
  expect([code, stderr]).toEqual([0, '']);
  const read = (name: string) => readFileSync(join(folder, name), 'utf8').split('\0').slice(0, -1);
  const variables = read('variables').map((line) => /^([^=]*)=(.*)$/s.exec(line)?.slice(1) ?? []);
  return commandLine(read('words'), { cwd: folder, env: Object.fromEntries(variables) });
}, shell);

function shellWith(command: string, script: string, { env, settings }: Pick<Stage, 'env' | 'settings'>) {
  const folder = temporaryFolder();
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  const program = (name: string, text: string) =>
    writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  program('turnwright', command);
  for (const name of OTHERS) program(name, 'exit 0');
  const bare = bareEnv(env);
  if (settings !== undefined) writeSettings(bare, settings);
  const variables = { ...bare, PATH: `${bin}:${bare['PATH']}` };
  return { folder, ran: ran('bash', ['-euc', script], variables, folder) };
}

function writeSettings(env: Readonly<Record<string, string>>, settings: object): void {
  const home = env['TURNWRIGHT_HOME'] ?? '';
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, 'settings.json'), JSON.stringify(settings));
}

function ran(
  command: string,
  args: readonly string[],
  env: Record<string, string>,
  cwd: string,
): Promise<Ran> {
  const child = spawn(command, args, { env, cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
}

const answered = { code: 0, stdout: 'Hello.\n', stderr: '' };

describe('shell blocks', () => {
  const runs = blocks('sh').filter((block) => block.includes('turnwright -p'));

  it('each of them is run by one test, and each test has its block', () => {
    const words = SHELL.map(([name]) => name);
    expect(runs.map((block) => words.filter((word) => block.includes(word)).length)).toEqual(
      runs.map(() => 1),
    );
    expect(runs).toHaveLength(SHELL.length);
  });

  it.each(everyNth(2, SHELL))('%s', async (words, start) => {
    const { server, host, model, credential, ...stage } = await staged(start());
    const block = runs.find((text) => text.includes(words)) ?? '';
    const script = host === undefined ? block : block.replaceAll(host, server.url);
    expect(script).not.toMatch(/https:/);
    expect(await shellOfOneCall(script, stage)).toMatchObject(answered);
    expect(server.received).toMatchObject([{ model }]);
    if (credential !== undefined) expect(server.received[0]?.credential).toBe(credential);
  });

  it.runIf(isLong)('those that ask for no answer run too', async () => {
    const server = await startMessagesServer();
    onTestFinished(() => server.close());
    const rest = blocks('sh').filter((block) => !block.includes('turnwright -p'));
    expect(rest).not.toEqual([]);
    const env = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'sk-ant' };
    for (const block of rest) expect(await shell(block, { env })).toMatchObject({ code: 0, stderr: '' });
  });
});

describe('settings', () => {
  const settings = blocks('json').filter((block) => block.includes('"providers"'));

  it('there are some', () => {
    expect(settings.length).toBeGreaterThan(1);
  });

  it.each(settings.map((block) => [block.trim().split('\n')[2]?.trim() ?? '', block]))(
    '%s',
    async (_, block) => {
      const server = await startOllama({ 'qwen3:8b': { loadedContext: 64_000 } });
      onTestFinished(() => server.close());
      server.answerWith({ kind: 'message', parts: [{ kind: 'text', text: 'Hello.' }] });
      const given = JSON.parse(block.replaceAll(/https?:\/\/[^/"]+/g, server.url));
      const env = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'sk-ant' };
      const ran = await shellOfOneCall("turnwright -p 'Say hello.'", { env, settings: given });
      expect(ran).toMatchObject(answered);
    },
  );
});

it.runIf(isLong)('the program with an instance of the AI SDK', async () => {
  const [block = ''] = blocks('ts').filter((text) => text.includes('ai-sdk'));
  const server = await startResponsesServer();
  onTestFinished(() => server.close());
  server.answerWith({ kind: 'message', parts: [{ kind: 'text', text: 'Hello.' }] });
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(ROOT, join(folder, 'node_modules', 'turnwright'));
  symlinkSync(join(ROOT, 'node_modules/@ai-sdk'), join(folder, 'node_modules', '@ai-sdk'));
  const { code } = await transform(block, { loader: 'ts' });
  writeFileSync(join(folder, 'program.mjs'), code);
  const env = bareEnv({ OPENAI_API_KEY: 'sk-own', OPENAI_BASE_URL: `${server.url}/v1` });
  expect(await ran(process.execPath, [join(folder, 'program.mjs')], env, folder)).toMatchObject(answered);
  expect(server.received).toMatchObject([{ model: 'gpt-5.2', credential: 'sk-own' }]);
});
