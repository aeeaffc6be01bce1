/** Reasoning and signatures of vendors over several turns, through `query()`. */
import { readFileSync } from 'node:fs';
import { createOpenAI } from '@ai-sdk/openai';
import { type ApiServer, apiServer } from '@turnwright/test/model/api-server.ts';
import { startChatServer } from '@turnwright/test/model/wires/openai-chat-server.ts';
import { startResponsesServer } from '@turnwright/test/model/wires/openai-responses-server.ts';
import type { WireServer } from '@turnwright/test/model/wires/wire-server.ts';
import { fakeTool, recordingStore } from '@turnwright/testing';
import type { ServerAnswer } from '@turnwright/testing/checks/model/model-server.ts';
import { afterEach, describe, expect, it } from 'vitest';
import { type Options, query, type SDKMessage } from '../../../src/index.ts';

let server: WireServer | ApiServer | undefined;
afterEach(() => server?.close());

const THINKING = { kind: 'thinking', text: 'It may be a place.', signature: 'ENCRYPTED' } as const;
const CALL = { kind: 'call', id: 'call_1', name: 'Look', input: { at: 'it' } } as const;
const message = (...parts: Extract<ServerAnswer, { kind: 'message' }>['parts'] & object): ServerAnswer => ({
  kind: 'message',
  parts,
});
const SAY = message({ kind: 'text', text: 'Done.' });

/** Runs prompts in one session of the provider `local` at this address. */
async function run(
  api: 'chat' | 'responses',
  url: string,
  prompts: readonly (string | { readonly text: string; readonly model: string })[],
  more: Options = {},
) {
  const messages: SDKMessage[] = [];
  const store = recordingStore();
  let resume: string | undefined;
  for (const prompt of prompts) {
    const { text, model } = typeof prompt === 'string' ? { text: prompt, model: 'first' } : prompt;
    const options: Options = {
      cwd: '/work',
      env: {},
      provider: 'local',
      providers: { local: { type: 'openai-compatible', baseUrl: url, api } },
      model,
      systemPrompt: 'Be brief.',
      tools: [],
      permissionMode: 'bypassPermissions',
      allowDangerouslySkipPermissions: true,
      ...(resume !== undefined && { resume }),
      ...more,
      engine: { tools: [fakeTool({ name: 'Look' })], store, ...more.engine },
    };
    for await (const each of query({ prompt: text, options })) {
      messages.push(each);
      if ('session_id' in each) resume = each.session_id;
    }
  }
  return messages;
}

const resultsOf = (messages: readonly SDKMessage[]) =>
  messages.flatMap((each) => (each.type === 'result' && each.subtype === 'success' ? [each.result] : []));

describe('chat completions', () => {
  it('send plain reasoning back with the calls that it led to, and not with other answers (F122)', async () => {
    const chat = await startChatServer();
    server = chat;
    chat.answerWith(message(THINKING, CALL), message(THINKING, { kind: 'text', text: 'A.' }), SAY);
    const messages = await run('chat', `${chat.url}/v1`, ['look', 'and now?']);
    expect(resultsOf(messages)).toEqual(['A.', 'Done.']);
    const [, second, third] = chat.received.map(({ body }) => JSON.parse(body) as { messages: object[] });
    const answers = (of: typeof third) =>
      of?.messages.filter((each) => 'role' in each && each.role === 'assistant');
    expect(answers(second)).toMatchObject([
      { reasoning_content: THINKING.text, tool_calls: [{ id: 'call_1' }] },
    ]);
    expect(answers(third)).toMatchObject([{ reasoning_content: THINKING.text }, { content: 'A.' }]);
    expect(answers(third)?.[1]).not.toHaveProperty('reasoning_content');
  });

  it('F119: reasoning never goes to another model, and comes back unchanged to its own', async () => {
    const chat = await startChatServer();
    server = chat;
    chat.answerWith(message(THINKING, CALL), SAY, SAY, SAY);
    await run('chat', `${chat.url}/v1`, [
      'look',
      { text: 'you too', model: 'second' },
      { text: 'again', model: 'first' },
    ]);
    const bodies = chat.received.map(({ body }) => body);
    expect(bodies).toHaveLength(4);
    expect(bodies.map((body) => body.includes(THINKING.text))).toEqual([false, true, false, true]);
    const reasonings = [1, 3].map((at) => /"reasoning_content":"[^"]*"/.exec(bodies[at] ?? '')?.[0]);
    expect(reasonings[1]).toBe(reasonings[0]);
  });

  it('F119: reasoning never goes to another server, whatever its model is called', async () => {
    const [chat, other] = await Promise.all([startChatServer(), startChatServer()]);
    server = chat;
    chat.answerWith(message(THINKING, CALL), SAY, SAY);
    other.answerWith(SAY);
    const providers = {
      local: { type: 'openai-compatible', baseUrl: `${chat.url}/v1` },
      other: { type: 'openai-compatible', baseUrl: `${other.url}/v1` },
    } as const;
    const prompts = ['look', { text: 'you too', model: 'other:first' }, 'again'];
    try {
      await run('chat', `${chat.url}/v1`, prompts, { providers });
    } finally {
      await other.close();
    }
    expect(other.received).toMatchObject([{ model: 'first' }]);
    expect(other.received[0]?.body).toContain('call_1');
    expect(other.received[0]?.body).not.toContain(THINKING.text);
    expect(chat.received.at(-1)?.body).toContain(THINKING.text);
  });

  it('F120: reasoning that was cut off is not recorded and not sent', async () => {
    const chat = await startChatServer();
    server = chat;
    const cut: ServerAnswer = {
      kind: 'message',
      parts: [THINKING, CALL],
      breaks: { at: 'thinking', how: 'cut' },
    };
    chat.answerWith(cut, SAY);
    const store = recordingStore();
    const messages = await run('chat', `${chat.url}/v1`, ['look'], {
      engine: { store, tools: [fakeTool({ name: 'Look' })] },
    });
    expect(resultsOf(messages)).toEqual(['Done.']);
    expect(chat.received[1]?.body).not.toContain('It may');
    const session = messages.flatMap((each) => ('session_id' in each ? [each.session_id] : []))[0] ?? '';
    expect(store.entries(session).length).toBeGreaterThan(2);
    expect(JSON.stringify(store.entries(session))).not.toContain('It may');
  });

  it('F122: a thought signature comes back on the call that it came with', async () => {
    const extra_content = { google: { thought_signature: 'AY89' } };
    const chunk = (delta: object, finish_reason: string | null = null) =>
      `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', model: 'first', choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
    const call = (id: string, more: object) => ({
      index: 0,
      id,
      type: 'function',
      function: { name: 'Look', arguments: '{}' },
      ...more,
    });
    let turn = 0;
    const google = await apiServer((response, { method }) => {
      if (method === 'GET') {
        response.writeHead(404);
        response.end();
        return;
      }
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(
        turn++ === 0
          ? chunk({ tool_calls: [call('f1', { extra_content })] }) + chunk({ tool_calls: [call('f2', {})] })
          : chunk({ content: 'Done.' }),
      );
      response.end(`${chunk({}, 'stop')}data: [DONE]\n\n`);
    });
    server = google;
    await run('chat', `${google.url}/v1`, ['look', 'and now?']);
    const bodies = google.received.filter(({ method }) => method === 'POST').map(({ json }) => json);
    for (const body of bodies.slice(1)) {
      const answer = (body['messages'] as { tool_calls?: object[] }[]).find(({ tool_calls }) => tool_calls);
      expect(answer?.tool_calls).toMatchObject([{ id: 'f1', extra_content }, { id: 'f2' }]);
      expect(answer?.tool_calls?.[1]).not.toHaveProperty('extra_content');
    }
    expect(bodies).toHaveLength(3);
  });

  it('F118: a call that is written as text is reported, and never run', async () => {
    const chat = await startChatServer();
    server = chat;
    const look = fakeTool({ name: 'Look' });
    const written = [
      '<tool_call>\n{"name": "Look", "arguments": {"at": "it"}}\n</tool_call>',
      'I will look.\n```json\n{"name": "Look", "parameters": {"at": "it"}}\n```',
      '{"tool": "Look", "args": {}}',
      '<function=Look>\n<parameter=at>it</parameter>\n</function>',
    ];
    chat.answerWith(...written.map((text) => message({ kind: 'text', text })));
    const messages = await run(
      'chat',
      `${chat.url}/v1`,
      written.map(() => 'look'),
      {
        engine: { tools: [look] },
      },
    );
    const warnings = messages.flatMap((each) =>
      each.type === 'system' && each.subtype === 'informational' ? [each.content] : [],
    );
    expect(warnings.filter((text) => text.includes('wrote a call of Look as text'))).toHaveLength(
      written.length,
    );
    expect(look.calls).toEqual([]);
  });

  it('a text that only mentions a tool, or shows some JSON, is no call', async () => {
    const chat = await startChatServer();
    server = chat;
    chat.answerWith(
      message({ kind: 'text', text: 'Look is a tool: {"name": "Look", "arguments": {}} would call it.' }),
      message({ kind: 'text', text: '```json\n{"name": "Anna", "arguments": {}}\n```' }),
    );
    const messages = await run('chat', `${chat.url}/v1`, ['what?', 'and?']);
    expect(messages.filter((each) => each.type === 'system' && each.subtype === 'informational')).toEqual([]);
  });
});

describe('the providers in docs/models.md', () => {
  const page = readFileSync(new URL('../../../../../docs/models.md', import.meta.url), 'utf8');
  const block = /## Other vendors[\s\S]*?```json\n([\s\S]*?)```/.exec(page)?.[1] ?? '';
  const { providers } = JSON.parse(block) as {
    readonly providers: NonNullable<Options['providers']>;
  };

  it.each(Object.entries(providers))('%s answers under its name', async (name, provider) => {
    const wire = await (provider.api === 'responses' ? startResponsesServer() : startChatServer());
    server = wire;
    wire.answerWith(SAY);
    expect(new URL(provider.baseUrl ?? '').pathname).not.toBe('/');
    const messages = await run('chat', '', [{ text: 'hi', model: 'some/model:8b' }], {
      provider: name,
      providers: { [name]: { ...provider, baseUrl: `${wire.url}/v1` } },
      env: { [provider.apiKeyEnv ?? 'NONE']: 'sk-of-this-one' },
    });
    expect(resultsOf(messages)).toEqual(['Done.']);
    const credential = provider.apiKeyEnv === undefined ? undefined : 'sk-of-this-one';
    expect(wire.received[0]).toMatchObject({ model: 'some/model:8b' });
    expect(wire.received[0]?.credential).toBe(credential);
  });
});

describe('responses', () => {
  it('F121: a reasoning item comes back whole and first, before its message and calls', async () => {
    const responses = await startResponsesServer();
    server = responses;
    responses.answerWith(message(THINKING, { kind: 'text', text: 'I look.' }, CALL), SAY, SAY);
    await run('responses', `${responses.url}/v1`, ['look', 'and now?'], { thinking: { type: 'adaptive' } });
    for (const { body } of responses.received.slice(1)) {
      const { input, store, include } = JSON.parse(body) as {
        input: object[];
        store: boolean;
        include: string[];
      };
      expect(input.slice(1, 5)).toEqual([
        {
          id: 'rs_0',
          type: 'reasoning',
          summary: [{ type: 'summary_text', text: THINKING.text }],
          encrypted_content: 'ENCRYPTED',
        },
        expect.objectContaining({ type: 'message', role: 'assistant' }),
        { type: 'function_call', call_id: 'call_1', name: 'Look', arguments: '{"at":"it"}' },
        expect.objectContaining({ type: 'function_call_output', call_id: 'call_1' }),
      ]);
      expect([store, include]).toEqual([false, ['reasoning.encrypted_content']]);
    }
    expect(responses.received).toHaveLength(3);
  });
});

describe('an instance of the AI SDK', () => {
  it('gets its reasoning back, and no other model does', async () => {
    const responses = await startResponsesServer();
    server = responses;
    responses.answerWith(message(THINKING, CALL), SAY, SAY);
    const openai = createOpenAI({ baseURL: `${responses.url}/v1`, apiKey: 'k' });
    const more: Options = {
      provider: 'mine',
      providers: { mine: { type: 'ai-sdk', languageModel: (name: string) => openai.responses(name) } },
    };
    await run(
      'responses',
      '',
      [
        { text: 'look', model: 'gpt-5.2' },
        { text: 'you', model: 'gpt-5-mini' },
      ],
      more,
    );
    const inputs = responses.received.map(({ body }) => (JSON.parse(body) as { input: object[] }).input);
    const sent = inputs.map((input) => JSON.stringify(input).includes('rs_0'));
    expect(sent).toEqual([false, true, false]);
  });
});
