/** B8: of 100 planted secrets none is in what is written or shown without contents, and none in spans. */
import { openInspection, query } from '@turnwright/engine';
import { commandLine } from '@turnwright/test/cli/command-line.ts';
import { callTool, say, scriptedModel } from '@turnwright/testing';
import { expect, it } from 'vitest';
import { type MadeIteration, writeSession } from './made-session.ts';
import { AGENT, AGENT_ID, SAMPLE, SAMPLE_ID } from './sample-sessions.ts';
import { newHome, serveSession } from './served.ts';

const planted: string[] = [];
/** Letters and digits alone, so that no way of writing a text changes it. */
function plant(): string {
  const secret = `Zq${(planted.length * 7919 + 1234567).toString(36)}Wk${planted.length}x`;
  planted.push(secret);
  return secret;
}

/** Everywhere that a person, a model, a tool, a server or a repository can put a text. */
function plantSession(home: string): void {
  const iteration = (): MadeIteration => ({
    text: `I use ${plant()} and https://${plant()}.example/x.`,
    calls: [
      {
        name: 'Bash',
        input: { command: `curl -H ${plant()}`, description: plant(), [plant()]: plant() },
        output: `ok ${plant()}`,
        outcome: 'error',
      },
      { name: 'Read', input: { file_path: `/home/${plant()}/a.ts` }, output: plant() },
      {
        name: 'Write',
        input: { file_path: `/${plant()}`, content: plant() },
        output: `PreToolUse:Write hook error: ${plant()}`,
        outcome: 'denied',
        permission: {
          verdict: 'deny',
          source: 'rule',
          rule: `Write(${plant()})`,
          ruleSource: 'projectSettings',
        },
      },
    ],
    cacheBreak: { kind: 'system', tokens: 5000, usd: 0.01, why: `It says ${plant()} now.` },
  });
  const agent = { ...AGENT, prompt: plant(), cwd: SAMPLE.cwd, iterations: [iteration()] };
  writeSession(
    home,
    { ...SAMPLE, prompt: plant(), iterations: Array.from({ length: 6 }, iteration) },
    [{ id: AGENT_ID, description: plant(), session: agent }],
    (body) => {
      if (body.type === 'submission')
        return [body, { type: 'custom-title', id: 'title', customTitle: plant() } as never];
      if (body.type === 'context-snapshot') return [{ ...body, system: [plant()], userContext: [plant()] }];
      if (body.type === 'result')
        return [{ ...body, result: { ...(body.result as object), errors: [plant()] } }];
      if (body.type !== 'decision' || body.record.iteration !== 6) return [body];
      const failure = { kind: 'invalid_request', status: 400, message: plant() };
      const told = {
        calls: [{ n: 0, attempts: 1, kind: 'failed', failure }],
        hooks: [{ event: 'Stop', verdict: { additionalContext: [plant()], reason: plant() } }],
      };
      return [{ ...body, told } as never];
    },
  );
}

it('in no export, page, answer of the server or explanation that is redacted', async () => {
  const home = newHome();
  planted.length = 0;
  plantSession(home);
  expect(planted.length).toBeGreaterThanOrEqual(100);
  const held = (text: string) => planted.filter((secret) => text.includes(secret));
  const env = { TURNWRIGHT_HOME: home };
  const whole = await openInspection(SAMPLE_ID, { cwd: home, env });
  expect(whole.data().damage).toEqual([]);
  const keys = whole.data().iterations.map(({ key }) => key);
  // They are there to be found.
  expect(held(JSON.stringify([whole.data(), await whole.details(keys)])).length).toBeGreaterThan(95);

  // The page with its data in it is asked of the server below.
  for (const kind of ['json', 'perfetto']) {
    const { stdout } = await commandLine(['inspect', SAMPLE_ID, '--redact', '--export', kind], {
      env,
      cwd: home,
    });
    expect([kind, stdout.length > 1000, held(stdout)]).toEqual([kind, true, []]);
  }
  const served = await serveSession(home, SAMPLE_ID, { redact: true });
  const ask = async (path: string) => {
    const headers = { authorization: `Bearer ${served.token}` };
    return (await fetch(`${served.origin}/api/${path}`, { headers })).text();
  };
  const answers = [
    await ask(`index?session=${SAMPLE_ID}`),
    ...(await Promise.all(
      keys.map((key) => ask(`iteration?session=${SAMPLE_ID}&key=${encodeURIComponent(key)}`)),
    )),
    ...(await Promise.all(planted.map((secret) => ask(`search?session=${SAMPLE_ID}&q=${secret}`)))),
    await ask(`export?session=${SAMPLE_ID}&kind=html`),
  ];
  expect(held(answers.join('\n'))).toEqual([]);
});

it('in no span, metric or event, unless contents are asked for', async () => {
  planted.length = 0;
  const signals: unknown[] = [];
  const keep = (...told: unknown[]) => void signals.push(told);
  const span = { setAttributes: keep, addEvent: keep, setStatus: keep, end: () => undefined };
  const instrument = { add: keep, record: keep };
  const play = async (contents: boolean) => {
    const { callModel } = scriptedModel([
      ...Array.from({ length: 8 }, () =>
        callTool('Bash', {
          command: `echo ${plant()} ${plant()} ${plant()} ${plant()} ${plant()}; exit 3`,
          description: plant(),
        }),
      ),
      say(`Done: ${plant()}.`),
    ]);
    const running = query({
      prompt: plant(),
      options: {
        cwd: newHome(),
        persistSession: false,
        settingSources: [],
        systemPrompt: plant(),
        allowedTools: ['Bash'],
        env: { PATH: process.env['PATH'], SECRET: plant() },
        tracing: {
          tracer: {
            startSpan(name: string, options: unknown) {
              keep(name, options);
              return span;
            },
          },
          meter: { createCounter: () => instrument, createHistogram: () => instrument },
          logger: { emit: keep },
          claudeCodeNames: true,
          ...(contents && { contents: { messages: true, tools: true } }),
        },
        engine: { callModel },
      },
    });
    for await (const _ of running);
  };
  await play(false);
  await play(false);
  const text = JSON.stringify(signals);
  expect(signals.length).toBeGreaterThan(100);
  expect(planted.length).toBeGreaterThanOrEqual(100);
  expect(planted.filter((secret) => text.includes(secret))).toEqual([]);
  await play(true);
  const said = JSON.stringify(signals);
  expect(planted.filter((secret) => said.includes(secret)).length).toBeGreaterThan(40);
});
