import { calls, requestOf, result, says, thinks, user, viewOf } from '@turnwright/test/model/conversation.ts';
import { describe, expect, it } from 'vitest';
import { modelInfo } from '../../src/model/catalog/model-info.ts';
import { createViewBytes } from '../../src/model/request/message-byte-cache.ts';
import { buildRequestBody } from '../../src/model/request/request-body.ts';
import type { ModelRequest } from '../../src/protocol/model/model.ts';

const system = ['You are useful.', 'Today is Sunday.'];
const tools: ModelRequest['tools'] = [
  { name: 'Read', description: 'reads', input_schema: { type: 'object' } },
];
const bytes = createViewBytes();

function textOf(request: ModelRequest, more: { withoutThinking?: boolean; maxTokens?: number } = {}): string {
  const body = buildRequestBody({
    request,
    info: modelInfo(request.model),
    bytes,
    maxTokens: more.maxTokens,
    withoutThinking: more.withoutThinking ?? false,
    fast: false,
    metadataUserId: '{"session_id":"s"}',
    thinkingKey: request.model,
    keepsThinking: ({ message }) => !more.withoutThinking && message.model === request.model,
  });
  const text = body.chunks.map(String).join('');
  expect(Buffer.byteLength(text)).toBe(body.length);
  return text;
}
const bodyOf = (...args: Parameters<typeof textOf>) => JSON.parse(textOf(...args));
const unmarked = (text: string) => text.replaceAll(',"cache_control":{"type":"ephemeral"}', '');

describe('the body', () => {
  it('has what recurs first and what varies after messages', () => {
    const request = requestOf(undefined, {
      system,
      tools,
      thinking: { type: 'adaptive' },
      effort: 'low',
      contextManagement: { edits: [] },
    });
    expect(Object.keys(bodyOf(request))).toEqual([
      'model',
      'max_tokens',
      'system',
      'tools',
      'messages',
      'thinking',
      'output_config',
      'context_management',
      'metadata',
      'stream',
    ]);
  });

  it('is begun with one buffer by all sessions whose tools and system prompt are the same', () => {
    const [tool] = tools;
    const described = { ...tool, name: 'Read', description: 'd'.repeat(8_000) } as (typeof tools)[number];
    const begin = (prompt: string) =>
      buildRequestBody({
        request: requestOf(undefined, { system: [prompt], tools: [described] }),
        info: modelInfo('claude-sonnet-4-5'),
        bytes: createViewBytes(),
        maxTokens: undefined,
        withoutThinking: false,
        fast: false,
        metadataUserId: undefined,
        thinkingKey: '',
        keepsThinking: () => true,
      }).chunks[0];
    expect(begin('Be brief.')).toBeInstanceOf(Buffer);
    expect(begin('Be brief.')).toBe(begin('Be brief.'));
    expect(String(begin('Be long.'))).toContain('Be long.');
  });

  it('leaves out what is empty', () => {
    expect(Object.keys(bodyOf(requestOf(undefined, { model: 'claude-sonnet-4-5' })))).toEqual([
      'model',
      'max_tokens',
      'messages',
      'metadata',
      'stream',
    ]);
    expect(bodyOf(requestOf(undefined, { system: ['', ' '] }))).not.toHaveProperty('system');
  });

  it('marks the system prompt, the end, and where the request before ended', () => {
    const view = viewOf(user('a'), calls('m1', 't1'), result('t1', 'r'), says('m2', 'b'), user('c'));
    const body = bodyOf(requestOf(view, { system, tools }));
    const mark = { type: 'ephemeral' };
    expect(body.system.map((block: object) => 'cache_control' in block)).toEqual([false, true]);
    expect(body.tools[0]).not.toHaveProperty('cache_control');
    expect(
      body.messages.map(
        (turn: { content: object[] }) => turn.content.filter((block) => 'cache_control' in block).length,
      ),
    ).toEqual([0, 0, 1, 0, 1]);
    expect(body.messages[4].content[0]).toEqual({ type: 'text', text: 'c', cache_control: mark });
    expect(body.messages[2].content[0].cache_control).toEqual(mark);
    expect(bodyOf(requestOf(view, { tools })).tools[0].cache_control).toEqual(mark);
    expect(textOf(requestOf(view, { system, tools, cache: false }))).not.toContain('cache_control');
  });

  it('repeats the bytes of system, tools and messages from request to request, over many rounds', () => {
    let view = viewOf(user('go'));
    let before = unmarked(textOf(requestOf(view, { system, tools })));
    for (let n = 0; n < 60; n++) {
      view = view.append([thinks(`m${n}`, 'hm'), calls(`m${n}`, `t${n}`), result(`t${n}`, 'é'.repeat(2000))]);
      const now = unmarked(textOf(requestOf(view, { system, tools, maxTokens: 8000 })));
      const prefix = before.slice(0, before.lastIndexOf('],"output_config"'));
      expect(now.startsWith(prefix)).toBe(true);
      expect(JSON.parse(now).messages).toHaveLength(2 * n + 3);
      before = now;
    }
  });

  it('keeps long tools as bytes, and follows what is sent beside them', () => {
    const description = 'liest für dich '.repeat(600);
    const long: ModelRequest['tools'] = [{ name: 'Read', description, input_schema: { type: 'object' } }];
    const request = requestOf(undefined, { tools: long });
    const other = { ...request, system: ['Be brief.'] };
    const searching = { ...request, serverTools: [{ type: 'web_search_20250305' }] };
    const unmarked = { ...request, cache: false };
    for (const each of [request, other, searching, unmarked, request, other]) {
      // A copy of the tools is not known: its bytes are made anew.
      const anew = { ...each, tools: [...long] };
      expect(textOf(each)).toBe(textOf(anew));
      expect(bodyOf(each).tools[0].description).toBe(description);
    }
    expect(bodyOf(other).system).toHaveLength(1);
    expect(bodyOf(request)).not.toHaveProperty('system');
    expect(bodyOf(searching).tools).toHaveLength(2);
    expect(textOf(request)).toContain('cache_control');
    expect(bodyOf(unmarked).tools[0]).not.toHaveProperty('cache_control');
  });

  it('keeps one view’s variants apart', () => {
    const view = viewOf(user('go'), thinks('m1', 'secret'), calls('m1', 't1'), result('t1', 'x'));
    const main = textOf(requestOf(view));
    expect(main).toContain('secret');
    expect(textOf(requestOf(view), { withoutThinking: true })).not.toContain('secret');
    expect(textOf(requestOf(view, { model: 'claude-opus-5' }))).not.toContain('secret');
    expect(textOf(requestOf(view, { userContext: ['ctx'] }))).toContain('"text":"ctx"');
    expect(textOf(requestOf(view))).toBe(main);
  });
});

describe('max_tokens and thinking', () => {
  const asked = (model: string, thinking: ModelRequest['thinking'], maxTokens = 8000) => {
    const body = bodyOf(requestOf(undefined, { model, maxTokens, ...(thinking && { thinking }) }));
    return [body.max_tokens, body.thinking];
  };
  it.each([
    ['claude-sonnet-5', undefined, [8000, undefined]],
    [
      'claude-sonnet-5',
      { type: 'adaptive', display: 'omitted' },
      [8000, { type: 'adaptive', display: 'omitted' }],
    ],
    ['claude-sonnet-5', { type: 'enabled', budgetTokens: 4000 }, [8000, { type: 'adaptive' }]],
    ['claude-sonnet-5', { type: 'disabled' }, [8000, { type: 'disabled' }]],
    [
      'claude-opus-4-6',
      { type: 'enabled', budgetTokens: 4000 },
      [8000, { type: 'enabled', budget_tokens: 4000 }],
    ],
    ['claude-haiku-4-5', { type: 'adaptive' }, [8000, { type: 'enabled', budget_tokens: 4000 }]],
    [
      'claude-haiku-4-5',
      { type: 'enabled', budgetTokens: 31_999 },
      [8000, { type: 'enabled', budget_tokens: 7999 }],
    ],
    ['claude-haiku-4-5', { type: 'disabled' }, [8000, { type: 'disabled' }]],
    ['claude-haiku-4-5', { type: 'enabled', budgetTokens: 0 }, [8000, { type: 'disabled' }]],
    ['claude-opus-5-5', { type: 'disabled' }, [8000, { type: 'adaptive' }]],
    ['claude-mythos-5', { type: 'enabled', budgetTokens: 0 }, [8000, { type: 'adaptive' }]],
    ['local-model', { type: 'disabled' }, [8000, undefined]],
    ['local-model', { type: 'adaptive' }, [8000, undefined]],
    [
      'local-model',
      { type: 'enabled', budgetTokens: 2000 },
      [8000, { type: 'enabled', budget_tokens: 2000 }],
    ],
  ] as const)('%s asked for %j', (model, thinking, expected) => {
    expect(asked(model, thinking)).toEqual(expected);
  });

  it('never asks for more than the model gives, nor for a budget without room', () => {
    expect(asked('claude-opus-4-1', undefined, 64_000)[0]).toBe(32_000);
    expect(asked('claude-haiku-4-5', { type: 'enabled', budgetTokens: 5000 }, 1000)).toEqual([
      1000,
      undefined,
    ]);
  });

  it('does not think on a fixed budget in a run of calls that began without thinking', () => {
    const thinking = { type: 'enabled', budgetTokens: 2000 } as const;
    const model = 'claude-haiku-4-5';
    const foreign = viewOf(
      user('go'),
      thinks('m1', 'x', 'claude-opus-5'),
      calls('m1', 't1'),
      result('t1', 'r'),
    );
    expect(bodyOf(requestOf(foreign, { model, thinking }))).not.toHaveProperty('thinking');
    const own = viewOf(
      user('go'),
      thinks('m1', 'x', model),
      calls('m1', 't1'),
      result('t1', 'r'),
      calls('m2', 't2'),
      result('t2', 'r'),
    );
    expect(bodyOf(requestOf(own, { model, thinking }))).toHaveProperty('thinking');
    expect(bodyOf(requestOf(own, { model, thinking }), { withoutThinking: true })).not.toHaveProperty(
      'thinking',
    );
    expect(
      bodyOf(requestOf(foreign.append([says('m2', 'done'), user('next')]), { model, thinking })),
    ).toHaveProperty('thinking');
  });

  it.each([
    ['claude-opus-5-5', 'medium'],
    ['claude-sonnet-5-5', 'medium'],
    ['claude-haiku-5-5', 'medium'],
    ['claude-sonnet-5', 'high'],
    ['claude-opus-4-7', 'xhigh'],
    ['claude-opus-4-5', 'high'],
    ['claude-newfamily-7', 'high'],
    ['claude-opus-9', 'high'],
    ['claude-haiku-4-5', undefined],
    ['claude-sonnet-4-5-20250929', undefined],
    ['local-model', undefined],
  ])('asks %s for the effort it is made for: %s', (model, effort) => {
    expect(bodyOf(requestOf(undefined, { model })).output_config).toEqual(effort && { effort });
    const chosen = bodyOf(requestOf(undefined, { model, effort: 'low' })).output_config;
    expect(chosen).toEqual(effort && { effort: 'low' });
  });

  it('sends effort where it is understood, and the long context’s id without its mark', () => {
    expect(bodyOf(requestOf(undefined, { model: 'claude-haiku-4-5', effort: 'high' }))).not.toHaveProperty(
      'output_config',
    );
    expect(bodyOf(requestOf(undefined, { model: 'claude-sonnet-4-5[1m]' })).model).toBe('claude-sonnet-4-5');
  });
});
