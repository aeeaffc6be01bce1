/** A question that outlives its process: one process asks and is killed, another has the answer. */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SDKMessage, SDKResultMessage } from '@turnwright/engine';
import { type RehearsalServer, reply, startRehearsal, toolUse } from '@turnwright/testing/rehearsal';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { isLong } from '../../long-form.ts';
import { writeQueryScript } from '../engine-bundle.ts';
import { untilFile } from '../processes.ts';

/** Says that it was asked, and never answers. */
const HOST = `
import { writeFileSync } from 'node:fs';
import { query } from './engine.mjs';
const { prompt, options } = JSON.parse(process.argv[2]);
const canUseTool = () => (writeFileSync('asked', 'yes'), new Promise(() => {}));
for await (const message of query({ prompt, options: { ...options, canUseTool } }))
  console.log(JSON.stringify(message));
`;

const COPY = { recursive: true, preserveTimestamps: true };

let server: RehearsalServer;
let folder: string;
let cwd: string;
let script: string;
let asking: Awaited<ReturnType<typeof askAndDie>>;
/** One process asks; each test goes on from the files that it left behind. */
beforeAll(async () => {
  server = await startRehearsal({
    scenario: {
      name: 'asks',
      replies: [reply(toolUse('Bash', { command: 'echo as asked >> done' }, 'toolu_ask')), reply('Done.')],
    },
  });
  folder = await mkdtemp(join(tmpdir(), 'turnwright-F161-'));
  cwd = join(folder, 'work');
  await mkdir(cwd);
  script = writeQueryScript(folder);
  writeFileSync(join(folder, 'host.mjs'), HOST);
  asking = await askAndDie();
  for (const name of ['work', 'home']) await cp(join(folder, name), join(folder, `left-${name}`), COPY);
});
beforeEach(async () => {
  server.setScenario({ name: 'goes on', replies: [reply('Done.')] });
  for (const name of ['work', 'home']) {
    await rm(join(folder, name), { recursive: true });
    await cp(join(folder, `left-${name}`), join(folder, name), COPY);
  }
});
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

const env = () => ({
  PATH: process.env['PATH'] ?? '',
  HOME: folder,
  TURNWRIGHT_HOME: join(folder, 'home'),
  ANTHROPIC_BASE_URL: server.url,
  ANTHROPIC_API_KEY: 'k',
});
const messagesIn = (lines: string): SDKMessage[] =>
  lines
    .split('\n')
    .filter((line) => line.endsWith('}'))
    .map((line) => JSON.parse(line) as SDKMessage);

/** The message with the question, and its session. */
async function askAndDie() {
  const options = { cwd, env: env(), tools: ['Bash'] };
  const child = spawn(
    process.execPath,
    [join(folder, 'host.mjs'), JSON.stringify({ prompt: 'Go.', options })],
    {
      cwd,
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => {
    said += String(chunk);
  });
  await untilFile(join(cwd, 'asked'));
  const gone = new Promise((resolve) => child.once('close', resolve));
  child.kill('SIGKILL');
  await gone;
  const asking = messagesIn(said).find((message) => message.type === 'assistant');
  if (asking?.type !== 'assistant') throw new Error(`Nothing was asked: ${said}`);
  return asking;
}

/** Another process carries the submission on, with what came back as answer. */
async function carryOn(
  { uuid, message, session_id: resume }: Awaited<ReturnType<typeof askAndDie>>,
  answer: object,
): Promise<SDKResultMessage | undefined> {
  const orphanedPermission = {
    permissionResult: { toolUseID: 'toolu_ask', ...answer },
    assistantMessage: { type: 'assistant', uuid, message, timestamp: '2026-01-01T00:00:00.000Z' },
  };
  const options = { cwd, env: env(), tools: ['Bash'], resume, engine: { orphanedPermission } };
  const child = spawn(process.execPath, [script, JSON.stringify({ options })], {
    cwd,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => {
    said += String(chunk);
  });
  expect(await new Promise((resolve) => child.once('close', resolve))).toBe(0);
  return messagesIn(said).find((each) => each.type === 'result');
}

const done = () => (existsSync(join(cwd, 'done')) ? readFileSync(join(cwd, 'done'), 'utf8') : '');

describe('F161 an approval that arrives when the process that asked is gone', () => {
  it('F161 exactly the approved call runs, once, with edited arguments, and the submission has its result', async () => {
    const answer = { behavior: 'allow', updatedInput: { command: 'echo as edited >> done' } };
    const result = await carryOn(asking, answer);
    expect(result).toMatchObject({ subtype: 'success', result: 'Done.', permission_denials: [] });
    expect(await carryOn(asking, answer)).toBeUndefined();
    expect(done()).toBe('as edited\n');
    expect(server.report()).toMatchObject({ rejected: [], unusedReplies: [] });
  });

  it.runIf(isLong)('F161 a denial runs nothing, and the model reads why', async () => {
    const result = await carryOn(asking, { behavior: 'deny', message: 'Not on a Friday.' });
    expect(result).toMatchObject({ subtype: 'success', permission_denials: [{ tool_use_id: 'toolu_ask' }] });
    expect(done()).toBe('');
    expect(JSON.stringify(server.requests.at(-1)?.body)).toContain('Not on a Friday.');
  });

  it('F162 an approval of another call than the recorded one runs nothing', async () => {
    const [block] = asking.message.content;
    if (block?.type !== 'tool_use') throw new Error('no call');
    const forged = { ...asking.message, content: [{ ...block, input: { command: 'echo forged >> done' } }] };
    const result = await carryOn({ ...asking, message: forged }, { behavior: 'allow' });
    expect(result).toMatchObject({ subtype: 'success', permission_denials: [{ tool_use_id: 'toolu_ask' }] });
    expect(done()).toBe('');
  });
});
