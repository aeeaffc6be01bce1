/**
 * Sessions whose model streams deltas and calls two tools per round, without any other work: what a step costs.
 * `SESSIONS` empty: a worker. Else: so many sessions in this process, over session files; prints its figures. `WARM`:
 * those of a second time.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Options, query } from '@turnwright/engine';
import { callTool, fakeTool, pause, reply, type ScriptStep, say } from '@turnwright/testing';
import { alwaysAnswering, callsIn, roundOf, type Scenario, scriptedWorker } from './scripted.ts';

const { rounds, modelMs, toolMs } = JSON.parse(process.env['SCENARIO'] ?? '') as Scenario;

/** 20 deltas per answer. */
const DELTA_CHARS = 20;
const TEXT = 'x'.repeat(20 * DELTA_CHARS);

const answer: ScriptStep = (request) => {
  const round = roundOf(callsIn(request).called);
  if (round > rounds) return say('Done.');
  const call = (name: string) => callTool(name, { round }, { id: `${request.sessionId}.${round}.${name}` });
  const parts = [say(TEXT), call('Look'), call('Effect')];
  return reply(modelMs > 0 ? [...parts, pause(sleep(modelMs))] : parts, { chunkChars: DELTA_CHARS });
};

const tools = (['Look', 'Effect'] as const).map((name) =>
  fakeTool({
    name,
    effectClass: name === 'Look' ? 'pure' : 'unsafe',
    concurrencySafe: false,
    readOnly: name === 'Look',
    async answer() {
      if (toolMs > 0) await sleep(toolMs);
      return 'y'.repeat(400);
    },
  }),
);

const shared: Partial<Options> = { allowedTools: ['Look', 'Effect'], includePartialMessages: true };

async function inFiles(sessions: number): Promise<object> {
  const model = alwaysAnswering(answer);
  const folder = process.env['HOME_FOLDER'] ?? '';
  const cpu = process.cpuUsage();
  const startMs = performance.now();
  await Promise.all(
    Array.from({ length: sessions }, async () => {
      const engine = {
        callModel: model.callModel,
        tools,
        home: folder,
        sessionsDirectory: join(folder, 'sessions'),
      };
      for await (const message of query({
        prompt: 'Go.',
        options: { ...shared, settingSources: [], cwd: folder, engine },
      }))
        if (message.type === 'result' && message.is_error) throw new Error(JSON.stringify(message));
    }),
  );
  const wallMs = performance.now() - startMs;
  const { user, system } = process.cpuUsage(cpu);
  return { wallMs, cpuMs: (user + system) / 1000 };
}

if (process.env['SESSIONS']) {
  const sessions = Number(process.env['SESSIONS']);
  if (process.env['WARM']) await inFiles(sessions);
  process.stdout.write(`ready ${JSON.stringify(await inFiles(sessions))}\n`);
} else {
  await scriptedWorker(answer, { engine: { tools } }, shared);
}
