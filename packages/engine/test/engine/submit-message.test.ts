import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { collect, engineUnderTest, resultIn, telling } from '@turnwright/test/engine/engine-under-test.ts';
import {
  callTool,
  deferred,
  fail,
  fakeTool,
  hang,
  type ScriptStep,
  say,
  scriptedModel,
} from '@turnwright/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { QueryEngineConfig } from '../../src/engine/config.ts';
import type { SDKStatus } from '../../src/engine/session/status-reporter.ts';

const types = (messages: readonly { readonly type: string }[]) => messages.map(({ type }) => type);

describe('a submission', () => {
  it('begins with init and ends in one result', async () => {
    const { run } = engineUnderTest([say('Hello.')]);
    const messages = await run('Hi.');
    expect(types(messages)).toEqual(['system', 'assistant', 'result']);
    expect(messages[0]).toMatchObject({
      subtype: 'init',
      cwd: '/work',
      model: 'claude-opus-5-5',
      permissionMode: 'bypassPermissions',
    });
    expect(resultIn(messages)).toMatchObject({
      subtype: 'success',
      result: 'Hello.',
      num_turns: 1,
      stop_reason: 'end_turn',
      terminal_reason: 'completed',
    });
  });

  it('counts a turn for each tool result', async () => {
    const { run } = engineUnderTest([callTool('Look'), say('Done.')], {
      tools: [fakeTool({ name: 'Look' })],
    });
    const messages = await run('Hi.');
    expect(types(messages)).toEqual(['system', 'assistant', 'user', 'assistant', 'result']);
    expect(resultIn(messages)).toMatchObject({ result: 'Done.', num_turns: 2 });
  });

  describe('goes through the states in order, and tells each', () => {
    const before = ['initial', 'system_prompt', 'user_input'] as const;
    const asked = ['compact_check', 'streaming'] as const;
    /** The states of one submission. */
    async function statesOf(script: readonly ScriptStep[], config: Partial<QueryEngineConfig> = {}) {
      const states: SDKStatus[] = [];
      const { run } = engineUnderTest(script, {
        tools: [fakeTool({ name: 'Look' })],
        setSDKStatus: (status) => states.push(status),
        ...config,
      });
      await run('Hi.');
      return states;
    }

    it('after tools the context is checked; an answer without a call is checked for a way on', async () => {
      expect(await statesOf([callTool('Look'), say('Done.')])).toEqual([
        ...[...before, 'query_loop', ...asked],
        ...['tools', ...asked],
        ...['recovery_check', 'done'],
      ]);
    });

    it('a plain end', async () => {
      const plain = [...before, 'query_loop', ...asked, 'recovery_check', 'done'];
      expect(await statesOf([say('Done.')])).toEqual(plain);
    });

    it('the output cap', async () => {
      const cut = say('And so', { stopReason: 'max_tokens' });
      expect(await statesOf([cut, say('Done.')])).toEqual([
        ...[...before, 'query_loop', ...asked],
        ...['recovery_check', ...asked],
        ...['recovery_check', 'done'],
      ]);
    });

    it('a Stop hook that blocks', async () => {
      let blocks = 1;
      const Stop = [
        { hooks: [async () => (blocks-- > 0 ? { decision: 'block' as const, reason: 'No.' } : {})] },
      ];
      expect(await statesOf([say('Done.'), say('Now.')], { hooks: { Stop } })).toEqual([
        ...[...before, 'query_loop', ...asked],
        ...['recovery_check', ...asked],
        ...['recovery_check', 'done'],
      ]);
    });

    it('an answer that failed', async () => {
      const failed = await statesOf([fail({ kind: 'invalid_request', message: 'No.', status: 400 })]);
      expect(failed).toEqual([...before, 'query_loop', ...asked, 'recovery_check', 'done']);
    });
  });

  it('records submission, prompt, snapshot, answer, cost and result, in this order', async () => {
    const { run, store, engine } = engineUnderTest([say('Hello.')]);
    const messages = await run('Hi.');
    const recorded = store.entries(engine.sessionId).map(({ type }) => type);
    const order = [
      'submission',
      'user',
      'context-snapshot',
      'request',
      'assistant',
      'response',
      'cost',
      'result',
    ];
    expect(recorded.filter((type) => order.includes(type))).toEqual(order);
    const result = store.entries(engine.sessionId).find(({ type }) => type === 'result');
    expect(result).toMatchObject({ result: resultIn(messages) });
  });

  it('the next one goes on with the conversation', async () => {
    const { run, model } = engineUnderTest(
      [callTool('Look', {}, { id: 'toolu_1' }), say('One.'), say('Two.')],
      { tools: [fakeTool({ name: 'Look' })] },
    );
    await run('First.');
    await run('Second.');
    expect(model.requests[2]?.view.map(({ type }) => type)).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
      'user',
    ]);
  });

  it('L10.10: loop and session grow one list, so what was made of it is made once in all submissions', async () => {
    const roots = new Set<object>();
    const model = scriptedModel([
      callTool('Look'),
      callTool('Look'),
      say('One.'),
      callTool('Look'),
      say('Two.'),
    ]);
    const { run } = engineUnderTest([], {
      tools: [fakeTool({ name: 'Look' })],
      callModel: (request, options) => {
        roots.add(request.view.root);
        return model.callModel(request, options);
      },
    });
    await run('First.');
    await run('Second.');
    expect(model.requests).toHaveLength(5);
    expect(roots.size).toBe(1);
  });

  it('refuses a second one at the same time, and goes on after it', async () => {
    const asked = deferred<void>();
    const { engine, run } = engineUnderTest([telling(asked, hang()), say('Fine.')]);
    const first = engine.submitMessage('One.');
    await first.next();
    const pending = first.next();
    await asked.promise;
    await expect(engine.submitMessage('Two.').next()).rejects.toMatchObject({ code: 'submission_running' });
    engine.interrupt();
    await pending;
    await collect(first);
    expect(resultIn(await run('Three.'))).toMatchObject({ result: 'Fine.' });
  });

  it('a failure of the set-up is a result of its own', async () => {
    const { run } = engineUnderTest([], {
      commands: [{ name: 'bad', description: '', run: () => Promise.reject(new Error('Out of paper.')) }],
    });
    expect(resultIn(await run('/bad'))).toMatchObject({
      subtype: 'error_during_execution',
      terminal_reason: 'turn_setup_failed',
      errors: ['Out of paper.'],
    });
  });

  it('a session taken over by another owner ends without a word', async () => {
    const { engine, store } = engineUnderTest([callTool('Look'), say('Done.')], {
      tools: [fakeTool({ name: 'Look' })],
    });
    const messages: string[] = [];
    for await (const message of engine.submitMessage('Hi.')) {
      messages.push(message.type);
      if (message.type === 'assistant') await store.takeOver(engine.sessionId);
    }
    expect(messages).not.toContain('result');
  });
});

describe('commands', () => {
  it('a local command ends without a query: its output, a result without terminal reason', async () => {
    const { run, model } = engineUnderTest([], {
      commands: [
        {
          name: 'count',
          description: '',
          run: (args) => ({ messages: [`Counted ${args}.`], shouldQuery: false, resultText: 'Counted.' }),
        },
      ],
    });
    const messages = await run('/count to three');
    expect(types(messages)).toEqual(['system', 'user', 'assistant', 'result']);
    expect(messages[0]).toMatchObject({
      slash_commands: [
        'count',
        'clear',
        'compact',
        'context',
        'cost',
        'effort',
        'goal',
        'help',
        'init',
        'model',
        'review',
      ],
    });
    expect(resultIn(messages)).toMatchObject({
      subtype: 'success',
      result: 'Counted.',
      num_turns: 0,
      stop_reason: null,
    });
    expect(messages[2]).toMatchObject({
      message: {
        model: '<synthetic>',
        stop_reason: 'end_turn',
        content: [{ type: 'text', text: 'Counted.' }],
      },
    });
    expect(resultIn(messages)).not.toHaveProperty('terminal_reason');
    expect(model.requests).toHaveLength(0);
  });

  it('what a command allows or switches holds for its submission', async () => {
    const { run, model } = engineUnderTest(
      [callTool('Look', {}), say('A.'), callTool('Look', {}), say('B.')],
      {
        permissionMode: 'dontAsk',
        tools: [fakeTool({ name: 'Look' })],
        commands: [
          {
            name: 'look',
            description: '',
            run: () => ({ messages: ['Look.'], shouldQuery: true, allowedTools: ['Look'], model: 'sonnet' }),
          },
        ],
      },
    );
    const allowed = resultIn(await run('/look'));
    expect(allowed.permission_denials).toEqual([]);
    expect(model.requests[0]?.model).toBe('claude-sonnet-5-5');
    const denied = resultIn(await run('Look again.'));
    expect(denied.permission_denials).toMatchObject([{ tool_name: 'Look' }]);
    expect(model.requests[2]?.model).toBe('claude-opus-5-5');
  });

  it('what a command allows for its submission takes nothing from what the person allowed', async () => {
    const { run, engine } = engineUnderTest(
      [callTool('Look', {}), say('A.'), callTool('Look', {}), say('B.'), callTool('Look', {}), say('C.')],
      {
        permissionMode: 'default',
        tools: [fakeTool({ name: 'Look' })],
        canUseTool: async (_tool, input) => ({
          behavior: 'allow',
          updatedInput: input,
          updatedPermissions: [
            { type: 'addRules', rules: [{ toolName: 'Look' }], behavior: 'allow', destination: 'session' },
          ],
        }),
        commands: [
          {
            name: 'look',
            description: '',
            run: () => ({ messages: ['Look.'], shouldQuery: true, allowedTools: ['Look'] }),
          },
        ],
      },
    );
    const rules = () => engine.settings.permissionRules().rules.map(({ rule, source }) => [rule, source]);
    await run('Look.');
    expect(rules()).toEqual([['Look', 'session']]);
    await run('/look');
    expect(rules()).toEqual([['Look', 'session']]);
  });

  it.each(['/unheard of', '/CLEAR', '/etc/hosts: what is that?'])(
    'a prompt that names no command goes to the model as it is: %s',
    async (prompt) => {
      const { run, model } = engineUnderTest([say('I see.')]);
      expect(resultIn(await run(prompt))).toMatchObject({ result: 'I see.' });
      expect(JSON.stringify(model.requests[0]?.view)).toContain(prompt);
    },
  );

  it('a hook may keep a prompt back: nothing is sent', async () => {
    const { run, model } = engineUnderTest([], {
      hooks: {
        UserPromptSubmit: [{ hooks: [async () => ({ decision: 'block', reason: 'Not on Sundays.' })] }],
      },
    });
    const messages = await run('Work!');
    expect(resultIn(messages)).toMatchObject({ subtype: 'success', num_turns: 0 });
    expect(JSON.stringify(messages)).toContain('Not on Sundays.');
    expect(model.requests).toHaveLength(0);
  });
});

describe('denials, prompts and models', () => {
  it('every denial is in the result', async () => {
    const { run } = engineUnderTest([callTool('Look', { a: 1 }, { id: 'toolu_1' }), say('Pity.')], {
      permissionMode: 'default',
      tools: [fakeTool({ name: 'Look' })],
      canUseTool: async () => ({ behavior: 'deny', message: 'No.' }),
    });
    expect(resultIn(await run('Hi.')).permission_denials).toEqual([
      { tool_name: 'Look', tool_use_id: 'toolu_1', tool_input: { a: 1 } },
    ]);
  });

  it('sends no system prompt for an empty one, its own by default, and what is appended', async () => {
    const none = engineUnderTest([say('x')]);
    await none.run('Hi.');
    expect(none.model.requests[0]?.system).toEqual([]);
    const own = engineUnderTest([say('x')], {
      systemPrompt: { type: 'preset', preset: 'turnwright', append: 'Speak Latin.' },
    });
    await own.run('Hi.');
    const system = own.model.requests[0]?.system ?? [];
    expect(system[0]).toContain('Turnwright');
    expect(system).toContain('Speak Latin.');
    const custom = engineUnderTest([say('x')], { systemPrompt: ['One.', '', 'Two.'] });
    await custom.run('Hi.');
    expect(custom.model.requests[0]?.system).toEqual(['One.', 'Two.']);
  });

  it('the system context is appended to whatever system prompt there is, and to none', async () => {
    const cwd = mkdtempSync(join(tmpdir(), 'turnwright-git-'));
    onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
    const git = (...args: string[]) => execFileSync('git', args, { cwd, stdio: 'ignore' });
    git('init', '-b', 'trunk');
    git('-c', 'user.name=N', '-c', 'user.email=n@x', 'commit', '--allow-empty', '-m', 'Begin.');
    const childEnv = { PATH: process.env['PATH'] ?? '' };
    const systemOf = async (config: Partial<QueryEngineConfig>) => {
      const { run, model } = engineUnderTest([say('x')], { cwd, childEnv, ...config });
      await run('Hi.');
      return model.requests[0]?.system ?? [];
    };
    const status = expect.stringContaining('Branch: trunk');
    expect(await systemOf({ systemPrompt: 'You are a parrot.' })).toEqual(['You are a parrot.', status]);
    expect(await systemOf({ systemPrompt: ['Speak Latin.'] })).toEqual(['Speak Latin.', status]);
    expect((await systemOf({ systemPrompt: undefined })).at(-1)).toEqual(status);
    expect(await systemOf({})).toEqual([]);
  });

  it('setModel holds from the next submission on', async () => {
    const { run, model, engine } = engineUnderTest([say('1'), say('2')]);
    await run('a');
    await engine.model.switchTo('haiku');
    await run('b');
    expect(model.requests.map(({ model: name }) => name)).toEqual(['claude-opus-5-5', 'claude-haiku-5-5']);
  });

  it('answers an orphaned permission once, before the prompt', async () => {
    const tool = fakeTool({ name: 'Look' });
    const assistantMessage = {
      type: 'assistant' as const,
      uuid: 'a1',
      timestamp: '2026-01-01T00:00:00.000Z',
      message: {
        id: 'msg_0',
        type: 'message' as const,
        role: 'assistant' as const,
        model: 'm',
        stop_reason: 'tool_use' as const,
        stop_sequence: null,
        content: [{ type: 'tool_use' as const, id: 'toolu_9', name: 'Look', input: {} }],
        usage: {
          input_tokens: 0,
          output_tokens: 0,
          cache_creation_input_tokens: 0,
          cache_read_input_tokens: 0,
        },
      },
    };
    const { run, model } = engineUnderTest([say('Seen.'), say('Again.')], {
      permissionMode: 'default',
      tools: [tool],
      initialMessages: [
        {
          type: 'user',
          uuid: 'p0',
          timestamp: '2026-01-01T00:00:00.000Z',
          message: { role: 'user', content: 'Look.' },
        },
      ],
      orphanedPermission: { permissionResult: { behavior: 'allow', toolUseID: 'toolu_9' }, assistantMessage },
    });
    const messages = await run('Well?');
    expect(messages[0]).toMatchObject({
      type: 'user',
      message: { content: [{ type: 'tool_result', tool_use_id: 'toolu_9' }] },
    });
    await run('And?');
    expect(tool.calls).toHaveLength(1);
    expect(model.requests[0]?.view.map(({ type }) => type)).toEqual(['user', 'assistant', 'user', 'user']);
  });
});
