/** A real process that parks a session, is killed before it closes anything, and a second one that goes on. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { reply, startRehearsal, toolUse } from '@turnwright/testing/rehearsal';
import { expect, it, onTestFinished } from 'vitest';

const door = new URL('../../../../../dist/index.js', import.meta.url).href;
const SESSION = '5d0b6a52-4a3e-4d56-9b6a-0f8f6f3e7a10';

/** Prints each end of a run, and then stands still with everything open. */
const PROGRAM = `
const { query } = await import(process.argv[1]);
const [, , cwd, env, answer] = process.argv;
const asked = [];
const canUseTool = (tool, updatedInput, { askId }) => {
  asked.push(askId);
  return answer === 'allow' ? Promise.resolve({ behavior: 'allow', updatedInput }) : new Promise(() => {});
};
const begins = answer === 'silent';
const options = { cwd, env: JSON.parse(env), tools: ['Bash'], canUseTool, parkAfterMs: 50 };
const place = begins ? { sessionId: '${SESSION}' } : { resume: '${SESSION}' };
const prompt = begins ? 'Go.' : undefined;
for await (const message of query({ prompt, options: { ...options, ...place } }))
  if (message.type === 'result' || message.subtype === 'session_parked') {
    console.log(JSON.stringify({ asked, ids: message.ask_ids, result: message.result }));
    await new Promise(() => setInterval(() => {}, 1000));
  }
`;

it('the killed process leaves a session that the next one brings to its end', async () => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'turnwright-parked-')));
  const server = await startRehearsal();
  onTestFinished(async () => {
    await server.close();
    await rm(folder, { recursive: true, force: true });
  });
  server.setScenario({
    name: 'test',
    replies: [reply(toolUse('Bash', { command: 'echo once >> log.txt' })), reply('Done.')],
  });
  const env = {
    ANTHROPIC_BASE_URL: server.url,
    ANTHROPIC_API_KEY: 'k',
    PATH: process.env['PATH'],
    HOME: folder,
  };
  const live = async (answer: 'silent' | 'allow') => {
    const child: ChildProcess = spawn(
      process.execPath,
      ['--input-type=module', '-e', PROGRAM, door, folder, JSON.stringify(env), answer],
      { cwd: fileURLToPath(new URL('.', import.meta.url)), stdio: ['ignore', 'pipe', 'inherit'] },
    );
    if (child.stdout === null) throw new Error('There is no output.');
    const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
    child.kill('SIGKILL');
    await once(child, 'exit');
    return JSON.parse(line) as { asked: string[]; ids?: string[]; result?: string };
  };
  const first = await live('silent');
  expect(first.ids).toEqual(first.asked);
  const second = await live('allow');
  expect(second).toMatchObject({ result: 'Done.', asked: first.asked });
  expect(await readFile(join(folder, 'log.txt'), 'utf8')).toBe('once\n');
});
