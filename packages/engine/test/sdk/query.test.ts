import { telling } from '@turnwright/test/engine/engine-under-test.ts';
import { gather, prompt, pushable, queryUnderTest } from '@turnwright/test/sdk/query-under-test.ts';
import { callTool, deferred, fail, fakeTool, hang, say } from '@turnwright/testing';
import { describe, expect, it } from 'vitest';
import { AbortError, TurnwrightError } from '../../src/protocol/errors.ts';
import { query } from '../../src/sdk/query/query.ts';
import type { Options } from '../../src/sdk/query-options.ts';

describe('query() with one prompt', () => {
  it('yields init, the answer, the result, and ends', async () => {
    const { query: running, model } = queryUnderTest([say('Hello.')], 'Hi.');
    const { messages, results, error } = await gather(running);
    expect(messages.map(({ type }) => type)).toEqual(['system', 'assistant', 'result']);
    expect(results[0]).toMatchObject({ result: 'Hello.' });
    expect(error).toBeUndefined();
    expect(model.requests[0]?.system).toEqual([]);
  });

  it('F44: after an error result it yields it, then throws', async () => {
    const { results, error } = await gather(
      queryUnderTest([fail({ kind: 'permission', status: 403, message: 'Go away.' })], 'Hi.').query,
    );
    expect(results).toMatchObject([{ subtype: 'success', is_error: true, terminal_reason: 'api_error' }]);
    expect(error).toBeInstanceOf(TurnwrightError);
    expect(error).toMatchObject({
      code: 'error_result',
      message: expect.stringMatching(/^Claude Code returned an error result: .*Go away\./),
    });
  });

  it('throws AbortError when the caller’s abortController fired, without a result', async () => {
    const abortController = new AbortController();
    const asked = deferred<void>();
    const { query: running } = queryUnderTest([telling(asked, hang())], 'Hi.', { abortController });
    void asked.promise.then(() => abortController.abort());
    const { results, error } = await gather(running);
    expect(results).toEqual([]);
    expect(error).toBeInstanceOf(AbortError);
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('boom');
      },
    ],
    [
      'rejects',
      async () => {
        throw new Error('boom');
      },
    ],
  ] as const)('a "stderr" callback that %s ends nothing, and is named once', async (_, stderr) => {
    const warnings: Error[] = [];
    const hear = (warning: Error) => warnings.push(warning);
    process.on('warning', hear);
    let lines = 0;
    const count = () => {
      lines++;
      return stderr();
    };
    const { query: running } = queryUnderTest([say('Hello.')], 'Hi.', { debug: true, stderr: count });
    const { results, error } = await gather(running);
    await new Promise(setImmediate);
    process.off('warning', hear);
    expect(error).toBeUndefined();
    expect(results[0]).toMatchObject({ result: 'Hello.' });
    expect(lines).toBeGreaterThan(1);
    expect(warnings.map(({ message }) => message)).toEqual([
      'The callback "stderr" failed, and the session goes on: boom',
    ]);
  });

  it('throws AbortError when it had fired before', async () => {
    const { error, messages } = await gather(queryUnderTest([], 'Hi.', { abortController: aborted() }).query);
    expect(messages).toEqual([]);
    expect(error).toBeInstanceOf(AbortError);
  });

  it('ends silently on close()', async () => {
    const asked = deferred<void>();
    const { query: running } = queryUnderTest([telling(asked, hang())], 'Hi.');
    void asked.promise.then(() => running.close());
    const { results, error } = await gather(running);
    expect(results).toEqual([]);
    expect(error).toBeUndefined();
  });

  it('yields the result after interrupt()', async () => {
    const asked = deferred<void>();
    const { query: running } = queryUnderTest([telling(asked, hang())], 'Hi.');
    void asked.promise.then(() => running.interrupt());
    const { results } = await gather(running);
    expect(results).toMatchObject([
      { terminal_reason: 'aborted_streaming', subtype: 'error_during_execution' },
    ]);
  });

  it('F47: a consumer that leaves early leaves nothing open', async () => {
    const asked = deferred<void>();
    const { query: running } = queryUnderTest([telling(asked, hang())], 'Hi.');
    await running.next();
    const pending = running.next();
    await asked.promise;
    await running.return(undefined);
    expect(await pending).toEqual({ done: true, value: undefined });
    expect(await running.next()).toEqual({ done: true, value: undefined });
  });
});

describe('query() with a stream of prompts', () => {
  it('each is a submission with its own init and result, in order', async () => {
    const { push, end, input } = pushable();
    const { query: running } = queryUnderTest([say('1'), say('2')], input);
    push(prompt('a', { uuid: 'u-a', origin: { kind: 'human' } }));
    let count = 0;
    const { messages, results, error } = await gather(running, (message) => {
      if (message.type !== 'result') return;
      count += 1;
      if (count === 1) push(prompt('b'));
      else end();
    });
    expect(results.map((r) => (r.subtype === 'success' ? r.result : ''))).toEqual(['1', '2']);
    expect(results[0]).toMatchObject({ user_message_uuid: 'u-a', origin: { kind: 'human' } });
    expect(results[1]).not.toHaveProperty('user_message_uuid');
    expect(messages.filter((m) => m.type === 'system' && m.subtype === 'init')).toHaveLength(2);
    expect(error).toBeUndefined();
  });

  it('what arrives while an answer streams waits its turn; `now` goes first and `later` last', async () => {
    const { push, end, input } = pushable();
    const first = deferred<void>();
    const { query: running } = queryUnderTest([telling(first, say('1')), say('2'), say('3')], input);
    push(prompt('a'));
    push(prompt('b', { priority: 'later' }));
    push(prompt('c', { priority: 'next' }));
    end();
    const { results } = await gather(running);
    expect(results).toHaveLength(3);
  });

  it('a prompt that arrives while tools run joins the turn: one result', async () => {
    const { push, end, input } = pushable();
    const tool = fakeTool({ name: 'Wait', hold: true });
    const { query: running, model } = queryUnderTest([callTool('Wait'), say('Both.')], input, {
      permissionMode: 'bypassPermissions',
      allowDangerouslySkipPermissions: true,
      engine: { tools: [tool], replayUserMessages: true },
    });
    push(prompt('a'));
    void tool.started().then(async (call) => {
      push(prompt('And this.', { uuid: 'u-b' }));
      await new Promise((resolve) => setImmediate(resolve));
      await new Promise((resolve) => setImmediate(resolve));
      end();
      call.finish('done');
    });
    const { messages, results } = await gather(running);
    expect(results).toHaveLength(1);
    expect(JSON.stringify(model.requests[1]?.view)).toContain('And this.');
    expect(messages.find((m) => m.type === 'user' && 'isReplay' in m && m.uuid === 'u-b')).toBeDefined();
  });

  it('F46: the input ends while a turn is running: its tools and approvals are still answered', async () => {
    const tool = fakeTool({ name: 'Look' });
    const asked: string[] = [];
    const { query: running } = queryUnderTest(
      [callTool('Look'), callTool('Look'), say('Done.')],
      one(prompt('a')),
      {
        canUseTool: async (name, updatedInput) => {
          asked.push(name);
          return { behavior: 'allow', updatedInput };
        },
        engine: { tools: [tool] },
      },
    );
    const { results } = await gather(running);
    expect(results).toMatchObject([{ result: 'Done.', permission_denials: [] }]);
    expect(asked).toEqual(['Look', 'Look']);
    expect(tool.calls).toHaveLength(2);
  });

  it('a title is emitted before the session begins', async () => {
    const { query: running } = queryUnderTest([say('Hi.')], 'Hello.', { title: 'Larches' });
    const { messages } = await gather(running);
    expect(messages.slice(0, 2)).toMatchObject([
      { subtype: 'session_title_changed', title: 'Larches' },
      { subtype: 'init' },
    ]);
  });

  it('renameSession() emits the new title', async () => {
    const { query: running } = queryUnderTest([say('Hi.')], 'Hello.', {});
    await running.renameSession('Oaks');
    const { messages } = await gather(running);
    expect(messages.filter((message) => message.type === 'system')).toContainEqual(
      expect.objectContaining({ subtype: 'session_title_changed', title: 'Oaks' }),
    );
  });

  it('shouldQuery: false adds to the conversation: its result comes without a turn', async () => {
    const { query: running, model } = queryUnderTest(
      [say('Noted.')],
      two(prompt('Fact: x.', { shouldQuery: false }), prompt('Well?')),
    );
    const { results } = await gather(running);
    expect(results).toMatchObject([
      { subtype: 'success', num_turns: 0, result: '' },
      { num_turns: 1, result: 'Noted.' },
    ]);
    expect(results[0]).not.toHaveProperty('terminal_reason');
    expect(model.requests).toHaveLength(1);
    expect(JSON.stringify(model.requests[0]?.view)).toContain('Fact: x.');
  });

  it('waits for more input, and an abort ends the waiting', async () => {
    const { push, input } = pushable();
    const abortController = new AbortController();
    const { query: running } = queryUnderTest([say('1')], input, { abortController });
    push(prompt('a'));
    const { results, error } = await gather(running, (message) => {
      if (message.type === 'result') setImmediate(() => abortController.abort());
    });
    expect(results).toHaveLength(1);
    expect(error).toBeInstanceOf(AbortError);
  });

  it('streamInput brings more prompts', async () => {
    const { query: running } = queryUnderTest([say('1'), say('2')], 'a');
    const streamed = running.streamInput(one(prompt('b')));
    const { results } = await gather(running);
    await streamed;
    expect(results).toHaveLength(2);
  });

  it('an error of the input comes out of the iterator', async () => {
    const { query: running } = queryUnderTest([say('1')], failing());
    const { error } = await gather(running);
    expect(error).toMatchObject({ message: 'The wire was cut.' });
  });

  it('setModel and setPermissionMode hold from the next turn on', async () => {
    const { push, end, input } = pushable();
    const { query: running, model } = queryUnderTest([say('1'), say('2')], input);
    push(prompt('a'));
    let count = 0;
    const { messages } = await gather(running, (message) => {
      if (message.type !== 'result') return;
      count += 1;
      if (count === 2) end();
      else
        void running
          .setModel('haiku')
          .then(() => running.setPermissionMode('plan'))
          .then(() => push(prompt('b')));
    });
    expect(model.requests.map((request) => request.model)).toEqual(['claude-opus-5-5', 'claude-haiku-5-5']);
    expect(messages.filter((m) => m.type === 'system' && m.subtype === 'init')).toMatchObject([
      { permissionMode: 'default' },
      { permissionMode: 'plan' },
    ]);
  });
});

describe('options', () => {
  it('an unknown one is refused by name, at once', () => {
    expect(() => query({ prompt: 'Hi.', options: { maxTruns: 3 } as Options })).toThrow(/"maxTruns"/);
    expect(() => query({ prompt: 'Hi.', options: { continue: true, resume: 'x' } })).toThrow(/"continue"/);
  });
  it('tools names the built-ins, disallowedTools takes away', async () => {
    const { query: running } = queryUnderTest([say('x')], 'Hi.', {
      tools: ['Read', 'Bash', 'Glob'],
      disallowedTools: ['Bash', 'Glob(/etc/**)'],
    });
    const { messages } = await gather(running);
    expect(messages[0]).toMatchObject({ subtype: 'init', tools: ['Glob', 'Read'] });
  });
  it('a resume that cannot be done is an error result', async () => {
    const { query: running } = queryUnderTest([], 'Hi.', { resume: '11111111-1111-4111-8111-111111111111' });
    const { results, error } = await gather(running);
    expect(results).toMatchObject([
      { subtype: 'error_during_execution', errors: [expect.stringContaining('No conversation found')] },
    ]);
    expect(error).toMatchObject({ code: 'error_result' });
  });
});

function aborted(): AbortController {
  const controller = new AbortController();
  controller.abort();
  return controller;
}
async function* one<T>(item: T) {
  yield item;
}
async function* two<T>(first: T, second: T) {
  yield first;
  yield second;
}
async function* failing(): AsyncGenerator<never> {
  throw new Error('The wire was cut.');
}
