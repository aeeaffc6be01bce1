/** Waits for a time, and what a run with open work does instead of parking (L4.1). */

import { allowing, lives, parkedIn, resultIn, silentHost } from '@turnwright/test/engine/parking/lives.ts';
import { callTool, deferred, fakeTool, reply, say } from '@turnwright/testing';
import { describe, expect, it } from 'vitest';
import type { Options, SDKUserMessage } from '../../../src/index.ts';

const SLEEPING: Options = { tools: ['Sleep'], engine: { promptsWhileWorking: true } };
const sleepFor = (seconds: number, id = 'nap') => callTool('Sleep', { seconds }, { id });

describe('the Sleep tool', () => {
  it('parks the run at once when it is to sleep longer than parkAfterMs; the next run sleeps the rest', async () => {
    const session = lives();
    const first = await session.run({
      prompt: 'Wait.',
      script: [sleepFor(600)],
      options: SLEEPING,
      builtIn: true,
    });
    const wakeAt = session.clock.nowMs() + 600_000;
    expect(parkedIn(first)).toMatchObject({ on: 'time', ask_ids: [], wake_at: wakeAt });
    expect(session.clock.monotonicMs(), 'no time has passed').toBe(0);

    await session.clock.advance(100_000);
    const early = await session.run({ options: SLEEPING, builtIn: true });
    expect(parkedIn(early)).toMatchObject({ on: 'time', wake_at: wakeAt });

    await session.clock.advance(480_000);
    const last = await session.run({ script: [say('Awake.')], options: SLEEPING, builtIn: true });
    expect(resultIn(last)).toMatchObject({ result: 'Awake.' });
    expect(session.clock.nowMs()).toBe(wakeAt);
    expect(JSON.stringify(last.messages)).toContain('Slept for 600 s.');
  });

  it('sleeps as before when it is short', async () => {
    const session = lives();
    const script = [sleepFor(20), say('Awake.')];
    const only = await session.run({ prompt: 'Wait.', script, options: SLEEPING, builtIn: true });
    expect(resultIn(only)).toMatchObject({ result: 'Awake.' });
    expect(session.clock.monotonicMs()).toBe(20_000);
  });

  it('beside a question: the run waits for both, and goes on with whichever comes first', async () => {
    const session = lives();
    const touch = fakeTool({ name: 'Touch', concurrencySafe: true });
    const options: Options = { ...SLEEPING, canUseTool: silentHost().canUseTool };
    const withTouch = (more: Options): Options => ({
      ...more,
      engine: { ...more.engine, tools: [touch], sessionTools: ['Sleep'] },
    });
    const first = await session.run({
      prompt: 'Wait.',
      script: [reply([sleepFor(600), callTool('Touch')])],
      options: withTouch(options),
      builtIn: true,
    });
    const parked = parkedIn(first);
    expect(parked).toMatchObject({ on: 'ask', wake_at: session.clock.nowMs() - 30_000 + 600_000 });
    expect(parked.ask_ids).toHaveLength(1);
    const second = await session.run({
      options: withTouch({ ...options, canUseTool: allowing }),
      builtIn: true,
    });
    expect(touch.calls).toHaveLength(1);
    expect(parkedIn(second)).toMatchObject({ on: 'time', wake_at: parked.wake_at });
  });
});

describe('hooks', () => {
  it('Stop hooks do not run at parking, and what hooks of finished calls said reaches the next request', async () => {
    const session = lives();
    let stops = 0;
    const hooks: Options['hooks'] = {
      Stop: [
        {
          hooks: [
            async () => {
              stops += 1;
              return {};
            },
          ],
        },
      ],
      PostToolUse: [
        {
          matcher: 'Free',
          hooks: [
            async () => ({
              hookSpecificOutput: { hookEventName: 'PostToolUse', additionalContext: 'The gate is wet.' },
            }),
          ],
        },
      ],
    };
    const tools = ['Free', 'Touch'].map((name) => fakeTool({ name }));
    const first = await session.run({
      prompt: 'Go.',
      script: [reply([callTool('Free'), callTool('Touch')])],
      tools,
      options: { hooks, allowedTools: ['Free'], canUseTool: silentHost().canUseTool },
    });
    expect(parkedIn(first).on).toBe('ask');
    expect(stops).toBe(0);
    const last = await session.run({
      script: [say('Done.')],
      tools,
      options: { hooks, allowedTools: ['Free'], canUseTool: allowing },
    });
    expect(resultIn(last)).toMatchObject({ result: 'Done.' });
    expect(stops).toBe(1);
    expect(JSON.stringify([...(last.model.requests[0]?.view ?? [])])).toContain('The gate is wet.');
  });
});

describe('is waited for in memory', () => {
  const agents: Options['agents'] = { worker: { description: 'Works.', prompt: 'You work.' } };
  const dig = (more = {}) =>
    callTool('Agent', { description: 'dig', prompt: 'Dig.', subagent_type: 'worker', ...more });

  it('a question of a subagent', async () => {
    const session = lives();
    const touch = fakeTool({ name: 'Touch' });
    const asked = deferred<() => void>();
    const running = session.start({
      prompt: 'Go.',
      script: [dig(), callTool('Touch'), say('Dug.'), say('Done.')],
      tools: [touch],
      options: {
        agents,
        tools: ['Agent'],
        allowedTools: ['Agent'],
        canUseTool: (_, updatedInput, { agentID }) =>
          new Promise((resolve) => {
            expect(agentID).toBeDefined();
            asked.resolve(() => resolve({ behavior: 'allow', updatedInput }));
          }),
      },
    });
    const answer = await asked.promise;
    await session.clock.advance(3_600_000);
    answer();
    const messages = await session.clock.runUntil(running.ended);
    expect(resultIn({ messages })).toMatchObject({ result: 'Done.' });
    expect(touch.calls).toHaveLength(1);
  });

  it('a question of a run with work in the background, until that has ended', async () => {
    const session = lives();
    const touch = fakeTool({ name: 'Touch' });
    const busy = fakeTool({ name: 'Busy', hold: true });
    const asked = deferred<void>();
    const running = session.start({
      prompt: 'Go.',
      script: [
        (request) =>
          request.querySource !== 'main'
            ? callTool('Busy')
            : [...request.view].length < 3
              ? dig({ run_in_background: true })
              : callTool('Touch'),
        (request) => (request.querySource !== 'main' ? callTool('Busy') : callTool('Touch')),
        (request) => (request.querySource !== 'main' ? callTool('Busy') : callTool('Touch')),
        say('Dug.'),
      ],
      tools: [touch, busy],
      options: {
        agents,
        tools: ['Agent'],
        allowedTools: ['Agent', 'Busy'],
        canUseTool: () => {
          asked.resolve();
          return new Promise(() => {});
        },
      },
    });
    const [digging] = await Promise.all([busy.started(), asked.promise]);
    await session.clock.advance(600_000);
    let isOver = false;
    void running.ended.then(() => {
      isOver = true;
    });
    await session.clock.settle();
    expect(isOver, 'while the agent works').toBe(false);
    digging.finish();
    const messages = await session.clock.runUntil(running.ended);
    expect(parkedIn({ messages }).on).toBe('ask');
  });
});

it('a stream of prompts ends with the run: prompts that wait are not answered', async () => {
  const session = lives();
  const touch = fakeTool({ name: 'Touch' });
  const prompts = (async function* (): AsyncGenerator<SDKUserMessage> {
    yield { type: 'user', message: { role: 'user', content: 'Go.' }, parent_tool_use_id: null };
    await new Promise(() => {});
  })();
  const first = await session.run({
    prompt: prompts,
    script: [callTool('Touch')],
    tools: [touch],
    options: { canUseTool: silentHost().canUseTool },
  });
  expect(parkedIn(first).on).toBe('ask');
});
