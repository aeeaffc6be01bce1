import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { expect, it } from 'vitest';
import { getSessionMessages, query, sessionCost } from '../../src/index.ts';
import { projectUnderTest } from '../memory/project-under-test.ts';

const ASIDE = { kind: 'any', lastMessage: 'Which file is it' } as const;

it('a question beside the conversation is answered from it while a call runs, and leaves only its cost', async () => {
  const project = await projectUnderTest({ 'a.txt': 'one' });
  const { server, cwd, home, folder } = project;
  server.setScenario({
    name: 'aside',
    replies: [
      { ...reply('It is a.txt.'), when: ASIDE },
      reply([toolUse('Bash', { command: 'until [ -e go ]; do sleep 0.05; done' })]),
      reply('Done.'),
    ],
  });
  const env = { PATH: process.env['PATH'], HOME: folder, TURNWRIGHT_HOME: home };
  const running = query({
    prompt: 'Look at a.txt.',
    options: {
      cwd,
      env: { ...env, ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'sk-test' },
      allowedTools: ['Bash'],
    },
  });
  const parts: string[] = [];
  let answer: string | undefined;
  let sessionId = '';
  let before = 0;
  for await (const message of running) {
    sessionId = message.session_id ?? sessionId;
    if (message.type === 'assistant' && answer === undefined) {
      before = (await running.usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET()).session
        .total_cost_usd;
      answer = await running.askAside({
        question: 'Which file is it?',
        onText: (text) => void parts.push(text),
      });
      project.write({ go: '' });
    }
  }
  expect(answer).toBe('It is a.txt.');
  expect(parts.at(-1)).toBe('It is a.txt.');
  const asked = server.requests.find(({ body }) => JSON.stringify(body).includes('Which file is it?'));
  expect(JSON.stringify(asked?.body)).toContain('Look at a.txt.');
  expect(JSON.stringify(asked?.body)).not.toContain('"tool_use"');
  // The requests of the conversation do not know of it.
  expect(JSON.stringify(server.requests.at(-1)?.body)).not.toContain('Which file is it');
  const kept = await getSessionMessages(sessionId, { dir: cwd, env });
  expect(JSON.stringify(kept)).not.toContain('Which file is it');
  const cost = JSON.stringify(await sessionCost(sessionId, { cwd, env }));
  expect(cost).toContain('side_question');
  expect(before).toBeGreaterThan(0);
});

it('says why there is no answer', async () => {
  const { server, cwd, home, folder } = await projectUnderTest();
  server.setScenario({ name: 'none', replies: [{ ...reply('x'), when: ASIDE }] });
  async function* never() {
    await new Promise(() => {});
    yield* [];
  }
  const env = { PATH: process.env['PATH'], HOME: folder, TURNWRIGHT_HOME: home };
  const running = query({
    prompt: never(),
    options: { cwd, env: { ...env, ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'sk-test' } },
  });
  const abort = new AbortController();
  abort.abort();
  await expect(running.askAside({ question: 'Which file is it?', signal: abort.signal })).rejects.toThrow(
    'abort',
  );
  await running.close();
});

it('bills a question that was given up as what it was', async () => {
  const { server, cwd, home, folder } = await projectUnderTest();
  const stalled = { ...reply('Half of an answer.', { faults: [{ name: 'stall', after: 3 }] }), when: ASIDE };
  server.setScenario({ name: 'given-up', replies: [stalled, reply('Hello.')] });
  const env = { PATH: process.env['PATH'], HOME: folder, TURNWRIGHT_HOME: home };
  const running = query({
    prompt: 'Say hello.',
    options: { cwd, env: { ...env, ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'sk-test' } },
  });
  let sessionId = '';
  for await (const message of running) {
    sessionId = message.session_id ?? sessionId;
    if (message.type !== 'assistant') continue;
    const abort = new AbortController();
    const asking = running.askAside({
      question: 'Which file is it?',
      signal: abort.signal,
      onText: () => abort.abort(),
    });
    await expect(asking).rejects.toThrow('abort');
  }
  const { rows } = await sessionCost(sessionId, { cwd, env });
  const asides = rows.filter(({ purpose }) => purpose !== 'loop');
  expect(asides).toMatchObject([{ purpose: 'side_question', calls: 1 }]);
  expect(asides[0]?.costUSD).toBeGreaterThan(0);
});
