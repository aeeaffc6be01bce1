/** Prompts that wait: what is told of them, and how they are called off. */

import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { expect, it } from 'vitest';
import {
  gather,
  is,
  type Message,
  openPrompt,
  prompt,
  prompts,
  type Result,
  type Running,
  throughBothDoors,
} from './doors.ts';

const FIRST = '11111111-1111-4111-8111-111111111111';
const SECOND = '22222222-2222-4222-8222-222222222222';
const FREE = { permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true };

type Lifecycle = Message & { readonly type: 'command_lifecycle' };
const lifecycles = (messages: readonly Message[]) =>
  (messages as readonly Lifecycle[])
    .filter(is('command_lifecycle'))
    .map(({ command_uuid, state }) => `${command_uuid.slice(0, 1)} ${state}`);

/** Of the published client, methods that its types leave out. */
interface Hidden {
  request?(request: object): Promise<{ readonly response: unknown }>;
  cancelAsyncMessage(uuid: string): Promise<unknown>;
}

throughBothDoors('prompts that wait', (stage) => {
  const interruptAll = async (running: Running & Hidden) => {
    const sent = await running.request?.({ subtype: 'interrupt', cancel_queued: true });
    return sent === undefined
      ? (running as unknown as { interrupt(how: object): unknown }).interrupt({ cancelQueued: true })
      : sent.response;
  };
  const replaying =
    stage.door.name === 'our own query()'
      ? { replayUserMessages: true }
      : { extraArgs: { 'replay-user-messages': null } };

  it('a prompt with a uuid is followed to the end of its turn', async () => {
    stage.play(reply('Hi.'), reply('Hi again.'));
    const input = openPrompt('Hello, without a uuid.');
    let count = 0;
    const { messages, results } = await gather(stage.start(input), (message) => {
      if (message.type !== 'result') return;
      count += 1;
      if (count === 1) input.push(prompt('Hello.', { uuid: FIRST }));
      else input.end();
    });
    expect(lifecycles(messages)).toEqual(['1 queued', '1 started', '1 completed']);
    expect(results.map(({ result_index }) => result_index)).toEqual([0, 1]);
    expect(results[1]).toMatchObject({ user_message_uuids: [FIRST], queued_turn_count: 0 });
    expect(results[0]).not.toHaveProperty('user_message_uuids');
    const [model] = Object.keys(results[1]?.modelUsage ?? {});
    expect(results[0]).toMatchObject({
      time_to_request_ms: expect.any(Number),
      ttft_stream_ms: expect.any(Number),
      api_error_status: null,
      safety_stops: 0,
      subagent_stats: { spawned: 0 },
    });
    expect(results[0]).not.toHaveProperty('request_sent_wall_ms');
    expect(results[1]).toMatchObject({
      request_sent_wall_ms: expect.any(Number),
      first_request_input_tokens: expect.any(Number),
      first_request_cache_read_input_tokens: expect.any(Number),
    });
    const since = (results[1] as Result | undefined)?.model_usage_since_last_result?.[model ?? ''];
    expect(since?.outputTokens).toBeLessThan(results[1]?.modelUsage[model ?? '']?.outputTokens ?? 0);
    expect(since).toMatchObject({ canonicalModel: model, provider: 'firstParty' });
  });

  it('one that is only added has a lifecycle and a result of its own', async () => {
    stage.play(reply('Hi.'));
    const input = openPrompt('Go.');
    let count = 0;
    const { messages, results } = await gather(stage.start(input, replaying), (message) => {
      if (message.type !== 'result') return;
      count += 1;
      if (count === 1) input.push(prompt('A larch.', { uuid: FIRST, shouldQuery: false }));
      else input.end();
    });
    expect(lifecycles(messages)).toEqual(['1 queued', '1 started', '1 completed']);
    expect(results[1]).toMatchObject({ subtype: 'success', num_turns: 0, user_message_uuids: [FIRST] });
    expect(results[1]).not.toHaveProperty('terminal_reason');
    expect(messages.filter(is('system', 'init'))).toHaveLength(2);
    expect(messages).toContainEqual(expect.objectContaining({ uuid: FIRST, isReplay: true }));
    expect(stage.asked()).toHaveLength(1);
  });

  it('a uuid that came before is repeated, and not run again', async () => {
    stage.play(reply('Hi.'), reply('Bye.'));
    const input = openPrompt('Go.');
    let count = 0;
    const { messages, results } = await gather(stage.start(input, replaying), (message) => {
      if (message.type !== 'result') return;
      count += 1;
      if (count === 1) input.push(prompt('A larch.', { uuid: FIRST, origin: { kind: 'human' } }));
      if (count !== 2) return;
      input.push(prompt('A larch.', { uuid: FIRST }));
      input.end();
    });
    expect(results).toHaveLength(2);
    expect(lifecycles(messages)).toEqual(['1 queued', '1 started', '1 completed']);
    const repeated = messages.filter((message) => message.type === 'user' && message.uuid === FIRST);
    expect(repeated).toMatchObject([{ isReplay: true, origin: { kind: 'human' } }, { isReplay: true }]);
  });

  it('a uuid that an earlier process answered is repeated after a resume, and not run again', async () => {
    stage.play(reply('Hi.'));
    const first = prompts();
    first.push(prompt('A larch.', { uuid: FIRST }));
    const { result } = await gather(stage.start(first, replaying), (message) => {
      if (message.type === 'result') first.end();
    });
    stage.play(reply('Bye.'));
    const input = prompts();
    input.push(prompt('A larch.', { uuid: FIRST }));
    input.push(prompt('An oak.', { uuid: SECOND }));
    const options = { ...replaying, resume: result?.session_id };
    const { messages, results } = await gather(stage.start(input, options), (message) => {
      if (message.type === 'result') input.end();
    });
    expect(results).toMatchObject([{ result: 'Bye.', user_message_uuids: [SECOND] }]);
    expect(lifecycles(messages)).toEqual(['1 completed', '2 queued', '2 started', '2 completed']);
    const repeated = messages.filter((message) => message.type === 'user' && message.uuid === FIRST);
    expect(repeated).toMatchObject([{ isReplay: true }]);
  });

  it('one that the forked session answered is not run again in the fork', async () => {
    const answer = async (uuids: readonly string[], options: Readonly<Record<string, unknown>>) => {
      const input = prompts();
      for (const uuid of uuids) input.push(prompt(`Prompt ${uuid}.`, { uuid }));
      return gather(stage.start(input, options), (message) => {
        if (message.type === 'result') input.end();
      });
    };
    stage.play(reply('Hi.'), reply('Bye.'));
    const { result } = await answer([FIRST], {});
    const forked = { resume: result?.session_id, forkSession: true };
    const { messages } = await answer([FIRST, SECOND], forked);
    expect(lifecycles(messages)).toEqual(['1 completed', '2 queued', '2 started', '2 completed']);
    expect(stage.asked()).toHaveLength(2);
  });

  it('one whose turn was cut off by the end of its process is run after a resume', async () => {
    stage.play(reply('x'.repeat(2_000), { timing: { gapMs: 500 } }));
    const cut = prompts();
    cut.push(prompt('A larch.', { uuid: FIRST }));
    const running = stage.start(cut, { includePartialMessages: true });
    let session: string | undefined;
    for await (const message of running) {
      session = message.session_id ?? session;
      if (is('stream_event')(message)) break;
    }
    stage.play(reply('Here it is.'));
    const input = prompts();
    input.push(prompt('A larch.', { uuid: FIRST }));
    const { messages, results } = await gather(stage.start(input, { resume: session }), (message) => {
      if (message.type === 'result') input.end();
    });
    expect(results).toMatchObject([{ result: 'Here it is.', user_message_uuids: [FIRST] }]);
    expect(lifecycles(messages)).toEqual(['1 queued', '1 started', '1 completed']);
  });

  it('one that joins the turn is named by its result, and repeated once', async () => {
    stage.play(reply(toolUse('Bash', { command: 'sleep 0.5; echo hi' })), reply('Both.'));
    const input = openPrompt('Go.');
    const { messages, results } = await gather(stage.start(input, { ...FREE, ...replaying }), (message) => {
      if (message.type === 'assistant' && message.message.content[0]?.type === 'tool_use')
        input.push(prompt('Mind the larch.', { uuid: SECOND, origin: { kind: 'human' } }));
      if (message.type === 'result') input.end();
    });
    const order = messages.flatMap((message) => {
      if (message.type === 'user' && message.uuid === SECOND) return ['repeated'];
      return is('command_lifecycle')(message)
        ? [(message as Lifecycle).state]
        : is('result')(message)
          ? ['result']
          : [];
    });
    expect(order).toEqual(['queued', 'repeated', 'started', 'completed', 'result']);
    expect(results).toMatchObject([{ user_message_uuid: SECOND, user_message_uuids: [SECOND] }]);
    const named = messages.filter(is('assistant')).map((message) => 'user_message_uuid' in message);
    expect(named).toEqual([false, true]);
    expect(lifecycles(messages)).toEqual(['2 queued', '2 started', '2 completed']);
    const repeated = messages.filter((message) => message.type === 'user' && message.uuid === SECOND);
    expect(repeated).toMatchObject([{ isReplay: true, origin: { kind: 'human' } }]);
  });

  it('one that the turn gave back is repeated only when its own turn begins', async () => {
    stage.play(reply(toolUse('Bash', { command: 'sleep 0.5; echo hi' })), reply('Larch.'));
    const input = openPrompt('Go.');
    let count = 0;
    const options = { ...FREE, ...replaying, maxTurns: 1 };
    const { messages, results } = await gather(stage.start(input, options), (message) => {
      if (message.type === 'assistant' && message.message.content[0]?.type === 'tool_use')
        input.push(prompt('Mind the larch.', { uuid: SECOND }));
      if (message.type === 'result') count += 1;
      if (count === 2) input.end();
    });
    expect(results).toMatchObject([
      { terminal_reason: 'max_turns', queued_turn_count: 1 },
      { result: 'Larch.', user_message_uuids: [SECOND], queued_turn_count: 0 },
    ]);
    const repeated = messages.filter((message) => message.type === 'user' && message.uuid === SECOND);
    expect(repeated).toHaveLength(1);
    expect(lifecycles(messages)).toEqual(['2 queued', '2 started', '2 completed']);
  });

  it('interrupt with cancel_queued calls off what waits', async () => {
    stage.play(reply(toolUse('Bash', { command: 'sleep 20' })));
    const input = openPrompt('Go.');
    const running = stage.start(input, FREE) as Running & Hidden;
    let receipt: unknown;
    const { messages, results } = await gather(running, (message) => {
      if (message.type === 'assistant') input.push(prompt('Later.', { uuid: SECOND, priority: 'later' }));
      if (lifecycles([message])[0] === '2 queued')
        void interruptAll(running).then((answer) => {
          receipt = answer;
          input.end();
        });
    });
    expect(receipt).toEqual({ still_queued: [], cancelled: [SECOND] });
    expect(results).toMatchObject([{ terminal_reason: 'aborted_tools' }]);
    expect(lifecycles(messages)).toEqual(['2 queued', '2 cancelled']);
  });

  it('cancelAsyncMessage takes one prompt out of the line, once', async () => {
    stage.play(reply(toolUse('Bash', { command: 'sleep 0.5' })), reply('Done.'));
    const input = openPrompt('Go.');
    const running = stage.start(input, FREE) as Running & Hidden;
    const answers: unknown[] = [];
    const { results } = await gather(running, (message) => {
      if (message.type === 'assistant' && message.message.content[0]?.type === 'tool_use')
        input.push(prompt('Later.', { uuid: SECOND, priority: 'later' }));
      if (lifecycles([message])[0] === '2 queued')
        void (async () => {
          answers.push(await running.cancelAsyncMessage(SECOND), await running.cancelAsyncMessage(SECOND));
        })();
      if (message.type === 'result') input.end();
    });
    expect(answers).toEqual([true, false]);
    expect(results).toMatchObject([{ result: 'Done.' }]);
  });

  it('what the session cost so far', async () => {
    stage.play(reply(toolUse('Write', { file_path: 'a.txt', content: 'one\ntwo\n' })), reply('Hi.'));
    const input = openPrompt('Go.');
    const running = stage.start(input, FREE);
    let usage: unknown;
    const { result } = await gather(running, (message) => {
      if (message.type === 'result')
        void running.usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET().then((answer) => {
          usage = answer;
          input.end();
        });
    });
    expect(usage).toMatchObject({
      session: {
        total_cost_usd: result?.total_cost_usd,
        total_lines_added: 2,
        total_lines_removed: 0,
        model_usage: result?.modelUsage,
      },
      subscription_type: null,
      rate_limits_available: false,
    });
  });

  it('the display of thinking can be changed alone', async () => {
    stage.play(reply('1'), reply('2'));
    const input = openPrompt('Go.');
    const running = stage.start(input, { model: 'opus', thinking: { type: 'adaptive' } });
    let count = 0;
    await gather(running, (message) => {
      if (message.type !== 'result') return;
      count += 1;
      if (count === 2) return input.end();
      void running.setMaxThinkingTokens(null, 'summarized').then(() => input.push(prompt('Again.')));
    });
    expect(stage.asked().map(({ thinking }) => thinking)).toEqual([
      { type: 'adaptive' },
      { type: 'adaptive', display: 'summarized' },
    ]);
  });
});
