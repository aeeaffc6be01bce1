import { engineUnderTest, resultIn } from '@turnwright/test/engine/engine-under-test.ts';
import { callTool, fakeTool, fallback, say } from '@turnwright/testing';
import { describe, expect, it } from 'vitest';
import type { AppState } from '../../src/engine/app-state.ts';
import type { ReadFileState } from '../../src/protocol/tools/tool.ts';
import { todoWriteTool } from '../../src/tools/builtin/planning/todo-write.ts';

describe('the fields of QueryEngineConfig do what they say', () => {
  it('F54 fallbackModel: takes over when the model is overloaded, in this submission alone', async () => {
    const { run, model } = engineUnderTest([fallback(), say('Here.'), say('Back.')], {
      fallbackModel: 'sonnet, haiku',
    });
    const messages = await run('Hi.');
    expect(messages.find((m) => m.type === 'system' && m.subtype === 'model_fallback')).toMatchObject({
      original_model: 'claude-opus-5-5',
      fallback_model: 'claude-sonnet-5-5',
    });
    await run('Again.');
    expect(model.requests.map((request) => request.model)).toEqual([
      'claude-opus-5-5',
      'claude-sonnet-5-5',
      'claude-opus-5-5',
    ]);
  });

  it('thinking, effort, betas, taskBudget, maxOutputTokens reach the request', async () => {
    const { run, model } = engineUnderTest([say('x')], {
      model: 'claude-haiku-4-5',
      thinking: { type: 'enabled', budgetTokens: 4000 },
      effort: 'high',
      betas: ['b-1'],
      taskBudget: { total: 50_000 },
      maxOutputTokens: 6000,
    });
    await run('Hi.');
    expect(model.requests[0]).toMatchObject({
      thinking: { type: 'enabled', budgetTokens: 4000 },
      effort: 'high',
      betas: ['b-1'],
      taskBudget: { total: 50_000 },
      maxTokens: 6000,
    });
  });

  it('an explicit thinking budget comes on top of the default output cap', async () => {
    const { run, model } = engineUnderTest([say('x')], {
      model: 'claude-haiku-4-5',
      thinking: { type: 'enabled', budgetTokens: 4000 },
    });
    await run('Hi.');
    expect(model.requests[0]?.maxTokens).toBe(12_000);
  });

  it('includePartialMessages: raw events, the finished block right before its stop', async () => {
    const { run } = engineUnderTest([say('x')], { includePartialMessages: true });
    const kinds = (await run('Hi.')).map((m) => (m.type === 'stream_event' ? m.event.type : m.type));
    expect(kinds.slice(1)).toEqual([
      'system',
      'message_start',
      'content_block_start',
      'content_block_delta',
      'assistant',
      'content_block_stop',
      'message_delta',
      'message_stop',
      'result',
    ]);
  });

  it('getAppState and setAppState: the host owns mode and todos', async () => {
    let state: AppState = { permissionMode: 'default', todos: [], mine: 1 };
    const todos = [{ content: 'Plant a larch', status: 'pending', activeForm: 'Planting a larch' }];
    const { run, engine } = engineUnderTest([callTool('TodoWrite', { todos }), say('Noted.'), say('x')], {
      tools: [todoWriteTool],
      getAppState: () => state,
      setAppState: (update) => {
        state = update(state);
      },
    });
    await run('Hi.');
    expect(state).toMatchObject({ todos, mine: 1 });
    engine.settings.setPermissionMode('plan');
    expect(state.permissionMode).toBe('plan');
    state = { ...state, permissionMode: 'acceptEdits' };
    expect((await run('More.'))[0]).toMatchObject({ permissionMode: 'acceptEdits' });
  });

  it('readFileCache is the one tools see', async () => {
    const seen = new Map<string, ReadFileState>();
    const readFileCache = {
      get: (path: string) => seen.get(path),
      set: (path: string, value: ReadFileState) => void seen.set(path, value),
      delete: (path: string) => void seen.delete(path),
      entries: () => seen.entries(),
    };
    const tool = fakeTool({
      name: 'Look',
      answer: (_input, context) => (context.readFileCache === readFileCache ? 'same' : 'other'),
    });
    const { run } = engineUnderTest([callTool('Look'), say('x')], { readFileCache, tools: [tool] });
    expect(JSON.stringify(await run('Hi.'))).toContain('"same"');
  });

  it('mcpClients bring tools and close with the session; agents and commands are announced', async () => {
    let closed = 0;
    const { run, engine } = engineUnderTest([callTool('mcp__s__look'), say('x')], {
      mcpClients: [
        {
          name: 's',
          status: 'connected',
          tools: [fakeTool({ name: 'mcp__s__look' })],
          close: () => void closed++,
        },
        { name: 'down', status: 'failed' },
      ],
      agents: [{ name: 'scout', description: '', prompt: '' }],
    });
    const messages = await run('Hi.');
    expect(messages[0]).toMatchObject({
      tools: ['mcp__s__look', 'Task', 'SendMessage'],
      agents: ['scout'],
      mcp_servers: [
        { name: 's', status: 'connected' },
        { name: 'down', status: 'failed' },
      ],
    });
    expect(resultIn(messages)).toMatchObject({ num_turns: 2 });
    await engine.close();
    expect(closed).toBe(1);
  });

  it('replayUserMessages repeats the prompt under its own uuid', async () => {
    const { engine } = engineUnderTest([say('x')], { replayUserMessages: true });
    const messages = [];
    for await (const message of engine.submitMessage('Hi.', { uuid: 'mine', origin: { kind: 'human' } }))
      messages.push(message);
    expect(messages[1]).toMatchObject({ type: 'user', isReplay: true, uuid: 'mine' });
    expect(messages.at(-1)).toMatchObject({ user_message_uuid: 'mine', origin: { kind: 'human' } });
  });

  it('strictBudget refuses a call whose worst case crosses the budget', async () => {
    const { run, model } = engineUnderTest([], { maxBudgetUsd: 0.01, strictBudget: true });
    expect(resultIn(await run('Hi.'))).toMatchObject({ subtype: 'error_max_budget_usd' });
    expect(model.requests).toHaveLength(0);
  });

  it('additionalDirectories and cwd are passed to tools', async () => {
    const tool = fakeTool({
      name: 'Look',
      answer: (_input, { cwd, additionalDirectories }) => `${cwd} ${additionalDirectories.join()}`,
    });
    const { run } = engineUnderTest([callTool('Look'), say('x')], {
      tools: [tool],
      additionalDirectories: ['/more'],
    });
    expect(JSON.stringify(await run('Hi.'))).toContain('/work /more');
  });
});
