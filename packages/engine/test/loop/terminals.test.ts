import { openScope } from '@turnwright/base/async/scope.ts';
import {
  broken,
  callTool,
  fail,
  hang,
  idleAttachments,
  idleContext,
  loopParams,
  recorder,
  reply,
  say,
  think,
  throws,
} from '@turnwright/testing';
import { describe, expect, it } from 'vitest';
import { type HookPort, NO_HOOK_VERDICT } from '../../src/protocol/tools/hook.ts';
import { outline, run, texts, transitionsOf } from './run.ts';

function abortedScope() {
  const scope = openScope();
  scope.abort('user');
  return scope;
}

describe('terminals of the loop (L7.1)', () => {
  it('completed: a plain answer', async () => {
    const { messages, terminal, requests } = await run({ steps: [say('Done.')] });
    expect(terminal).toEqual({ reason: 'completed', turnCount: 1 });
    expect(outline(messages)).toEqual(['text']);
    expect(requests).toHaveLength(1);
  });

  it('completed: after a round of tools, results in the next request in the model’s order', async () => {
    const { messages, terminal, requests, decisions } = await run({
      steps: [reply([callTool('Slow', {}, { id: 'a' }), callTool('Fast', {}, { id: 'b' })]), say('Done.')],
      tools: {
        Slow: async () => {
          await new Promise((resolve) => setTimeout(resolve, 5));
          return 'slow';
        },
        Fast: 'fast',
      },
    });
    expect(terminal).toEqual({ reason: 'completed', turnCount: 2 });
    expect(outline(messages)).toEqual(['tool_use', 'tool_use', 'tool_result', 'tool_result', 'text']);
    const yielded = messages.flatMap((m) =>
      m.type === 'user' ? [(m.message.content[0] as { tool_use_id: string }).tool_use_id] : [],
    );
    expect(yielded).toEqual(['b', 'a']);
    const sent = requests[1]!.view.flatMap((m) =>
      m.type === 'user' && m.kind === 'tool_result'
        ? [(m.message.content[0] as { tool_use_id: string }).tool_use_id]
        : [],
    );
    expect(sent).toEqual(['a', 'b']);
    expect(transitionsOf(decisions)).toEqual(['next_turn']);
  });

  it('completed: a tool ends the turn', async () => {
    const { terminal } = await run({
      steps: [callTool('Finish')],
      tools: { Finish: () => ({ content: 'ok', endsTurn: true }) },
    });
    expect(terminal.reason).toBe('completed');
  });

  it('max_turns: the follow-up that would exceed the limit is not made', async () => {
    const { messages, terminal } = await run({
      steps: [callTool('T'), callTool('T')],
      tools: { T: 'x' },
      params: { maxTurns: 2 },
    });
    expect(terminal).toEqual({ reason: 'max_turns', turnCount: 3 });
    expect(outline(messages).at(-1)).toBe('attachment:max_turns_reached');
  });

  it('aborted_streaming: the user interrupts while the model speaks; the finished part and a note remain', async () => {
    const { messages, terminal } = await run({
      steps: [hang(say('First.'))],
      onMessage: (message, params) => {
        if (message.type === 'assistant') params.scope.abort('user');
      },
    });
    expect(terminal.reason).toBe('aborted_streaming');
    expect(outline(messages)).toEqual(['text', 'interruption']);
  });

  it('aborted_streaming: no note when a new message pre-empts', async () => {
    const { messages, terminal } = await run({
      steps: [hang(say('First.'))],
      onMessage: (message, params) => {
        if (message.type === 'assistant') params.scope.abort('interrupt');
      },
    });
    expect(terminal.reason).toBe('aborted_streaming');
    expect(outline(messages)).toEqual(['text']);
  });

  it('aborted_tools: interrupted while a tool runs; F02 finished results are kept, open ones are answered', async () => {
    const { messages, terminal } = await run({
      steps: [reply([callTool('Quick', {}, { id: 'q' }), callTool('Stuck', {}, { id: 's' })])],
      tools: { Quick: 'quick', Stuck: () => new Promise<string>(() => {}) },
      onMessage: (message, params) => {
        if (message.type === 'user' && message.kind === 'tool_result') params.scope.abort('user');
      },
    });
    expect(terminal.reason).toBe('aborted_tools');
    expect(outline(messages)).toEqual(['tool_use', 'tool_use', 'tool_result', 'tool_result', 'interruption']);
    expect(messages.at(-1)).toMatchObject({
      message: { content: [{ type: 'text', text: '[Request interrupted by user for tool use]' }] },
    });
  });

  it('aborted_tools: a host denies a call and interrupts', async () => {
    const { messages, terminal } = await run({
      steps: [callTool('T')],
      tools: {
        T: () => ({
          content: 'no',
          isError: true,
          interrupt: true,
          denial: { tool_name: 'T', tool_use_id: 'x', tool_input: {} },
        }),
      },
    });
    expect(terminal.reason).toBe('aborted_tools');
    expect(outline(messages)).toEqual(['tool_use', 'tool_result', 'interruption']);
  });

  it('aborted_tools: an interrupting host is reported, also when a new message pre-empts', async () => {
    const denial = { tool_name: 'T', tool_use_id: 'x', tool_input: {} };
    const { messages, terminal } = await run({
      steps: [callTool('T')],
      tools: { T: () => ({ content: 'no', isError: true, interrupt: true, denial }) },
      onMessage: (message, params) => {
        if (message.type === 'user' && message.kind === 'tool_result') params.scope.abort('interrupt');
      },
    });
    expect(terminal.reason).toBe('aborted_tools');
    expect(outline(messages).at(-1)).toBe('interruption');
  });

  it('aborted while a Stop hook worked: the abort decides, whatever the hook answers', async () => {
    const params = loopParams();
    const hooks: HookPort = {
      has: () => true,
      run: async () => {
        params.scope.abort('user');
        return { ...NO_HOOK_VERDICT, preventContinuation: { stopReason: 'enough' } };
      },
    };
    const { terminal } = await run({ steps: [say('Done.')], params, deps: { hooks } });
    expect(terminal.reason).toBe('aborted_streaming');
  });

  it('aborted while tools ran: nothing is collected for a request that is not made', async () => {
    let collected = 0;
    const { terminal } = await run({
      steps: [callTool('T')],
      tools: { T: 'x' },
      deps: {
        attachments: {
          ...idleAttachments,
          collect() {
            collected += 1;
            return [];
          },
        },
      },
      onMessage: (message, params) => {
        if (message.type === 'user' && message.kind === 'tool_result') params.scope.abort('user');
      },
    });
    expect([terminal.reason, collected]).toEqual(['aborted_tools', 0]);
  });

  it('aborted before the request: none is made', async () => {
    const { terminal, requests } = await run({
      steps: [say('never')],
      partial: true,
      deps: {
        context: {
          ...idleContext,
          steps: [
            {
              name: 'aborts',
              run: () => async () => ({ kind: 'skip', why: 'nothing' }),
            },
          ],
        },
      },
      params: { scope: abortedScope() },
    });
    expect(terminal.reason).toBe('aborted_streaming');
    expect(requests).toHaveLength(0);
  });

  it.each(['blocking_limit', 'rapid_refill_breaker'] as const)(
    '%s: a context step stops before any request',
    async (reason) => {
      const { messages, terminal, requests, decisions } = await run({
        steps: [],
        deps: {
          context: {
            ...idleContext,
            steps: [
              {
                name: 'limit',
                run: () => async () => ({ kind: 'stop', reason, message: 'Prompt is too long' }),
              },
            ],
          },
        },
      });
      expect(terminal.reason).toBe(reason);
      expect(requests).toHaveLength(0);
      expect(outline(messages)).toEqual(['error:invalid_request']);
      expect(decisions[0]?.decision).toMatchObject({ kind: 'stop', terminal: reason });
    },
  );

  it('prompt_too_long: withheld while something can be tried, shown once when nothing is left', async () => {
    const { messages, terminal } = await run({ steps: [fail({ kind: 'prompt_too_long', status: 400 })] });
    expect(terminal).toMatchObject({ reason: 'prompt_too_long', apiErrorStatus: 400 });
    expect(outline(messages)).toEqual(['error:invalid_request']);
  });

  it('image_error: media refused and nothing to reduce', async () => {
    const { terminal } = await run({ steps: [fail({ kind: 'media_too_large', status: 400 })] });
    expect(terminal.reason).toBe('image_error');
  });

  it('model_error: something threw; open calls are answered all the same', async () => {
    const { messages, terminal } = await run({ steps: [throws(new Error('boom'))] });
    expect(terminal).toEqual({ reason: 'model_error', turnCount: 1, errors: ['boom'] });
    expect(texts(messages)).toEqual(['boom']);
  });

  it('api_error: the failure is shown once, StopFailure hooks run, Stop hooks do not', async () => {
    const events: string[] = [];
    const { messages, terminal } = await run({
      steps: [fail({ kind: 'server_error', status: 500 })],
      deps: {
        hooks: {
          has: () => true,
          run: async (call) => {
            events.push(call.event);
            return NO_HOOK_VERDICT;
          },
        },
      },
    });
    expect(terminal).toMatchObject({ reason: 'api_error', apiErrorStatus: 500 });
    expect(outline(messages)).toEqual(['error:server_error']);
    expect(events).toEqual(['StopFailure']);
  });

  it('api_error: the output cap, after escalation and three resumes', async () => {
    const cut = () => say('part', { stopReason: 'max_tokens' });
    const { messages, terminal, decisions } = await run({ steps: [cut(), cut(), cut(), cut(), cut()] });
    expect(terminal.reason).toBe('api_error');
    expect(transitionsOf(decisions)).toEqual([
      'max_output_tokens_escalate',
      'max_output_tokens_recovery',
      'max_output_tokens_recovery',
      'max_output_tokens_recovery',
    ]);
    expect(outline(messages).at(-1)).toBe('error:max_output_tokens');
  });

  it('malformed_tool_use_exhausted: a call announced three times and never made', async () => {
    const hollow = () => say('I will call.', { stopReason: 'tool_use' });
    const { messages, terminal, requests } = await run({ steps: [hollow(), hollow(), hollow()] });
    expect(terminal.reason).toBe('malformed_tool_use_exhausted');
    expect(requests).toHaveLength(3);
    expect(outline(messages)).toEqual([
      'text',
      'tombstone:1',
      'nudge',
      'text',
      'tombstone:1',
      'nudge',
      'text',
      'error:server_error',
    ]);
  });

  it('stop_hook_prevented', async () => {
    const { terminal } = await run({
      steps: [say('Done.')],
      deps: {
        hooks: {
          has: () => true,
          run: async () => ({ ...NO_HOOK_VERDICT, preventContinuation: { stopReason: 'enough' } }),
        },
      },
    });
    expect(terminal.reason).toBe('stop_hook_prevented');
  });

  it('hook_stopped: a PostToolUse hook says continue: false', async () => {
    const { messages, terminal } = await run({
      steps: [callTool('T')],
      tools: { T: () => ({ content: 'x', preventContinuation: { stopReason: 'policy' } }) },
    });
    expect(terminal.reason).toBe('hook_stopped');
    expect(outline(messages)).toEqual([
      'tool_use',
      'tool_result',
      'attachment:hook_stopped_continuation',
      'system:informational',
    ]);
  });

  it('an empty answer is nudged once and then taken as an empty success; thinking alone is not retracted', async () => {
    const { messages, terminal, requests } = await run({ steps: [think(), reply([])] });
    expect(terminal.reason).toBe('completed');
    expect(outline(messages)).toEqual(['thinking', 'nudge']);
    // In the view it stays, unless it announced a call; what is sent leaves thinking alone out (L3).
    expect(requests[1]!.view.map((m) => m.type)).toEqual(['user', 'assistant', 'user']);
  });

  it('a refusal is an answer, also an empty one', async () => {
    const { terminal, requests } = await run({ steps: [reply([], { stopReason: 'refusal' })] });
    expect(terminal.reason).toBe('completed');
    expect(requests).toHaveLength(1);
  });

  it('a pause is none: the answer goes on, ten times at most', async () => {
    const pause = reply([say('a')], { stopReason: 'pause_turn' });
    const short = await run({ steps: [pause, say('b')] });
    expect([short.terminal.reason, short.requests.length]).toEqual(['completed', 2]);
    expect(short.requests[1]?.view.map(({ type }) => type)).toEqual(['user', 'assistant', 'user']);
    const endless = await run({ steps: Array.from({ length: 11 }, () => pause) });
    expect(endless.terminal.reason).toBe('completed');
    expect(outline(endless.messages).at(-1)).toBe('system:informational');
  });

  it('ends silently when the journal was taken over', async () => {
    const journal = recorder({ fenceAt: 2 });
    await expect(
      run({ steps: [say('Done.')], deps: { recorder: journal }, partial: true }),
    ).rejects.toMatchObject({ code: 'fenced' });
  });

  it('L4.3 a broken stream with a complete call keeps it, runs it once and goes on', async () => {
    const { messages, terminal, requests, tools } = await run({
      steps: [broken({ after: [say('Looking.'), callTool('T', {}, { id: 't' })] }), say('Done.')],
      tools: { T: 'x' },
    });
    expect(terminal.reason).toBe('completed');
    expect(outline(messages).filter((word) => word !== 'tool_result')).toEqual([
      'text',
      'tool_use',
      'error:server_error',
      'text',
    ]);
    expect(tools.added).toHaveLength(1);
    expect(requests[1]!.view.some((m) => m.type === 'assistant' && m.synthetic !== undefined)).toBe(false);
  });

  it('keeps every prompt byte: the view is only appended to', async () => {
    const { requests } = await run({ steps: [callTool('T'), callTool('T'), say('x')], tools: { T: 'x' } });
    const [first, second, third] = requests.map((request) => request.view);
    expect(second!.slice(0, first!.length)).toEqual(first);
    expect(third!.slice(0, second!.length)).toEqual(second);
  });
});
