/** Usage that grows while an answer streams: only what its end states counts, once per request. */

import { query, type SDKResultMessage } from '@turnwright/engine';
import { recordingStore } from '@turnwright/testing';
import { expect, it } from 'vitest';
import { startMessagesServer } from '../../model/wires/messages-server.ts';
import { tempFolder } from '../temp-folder.ts';

it.each([false, true])(
  'F109 an answer of 1,059 tokens that begins with 1 counts 1,059 (partial messages: %s)',
  async (includePartialMessages) => {
    const server = await startMessagesServer();
    const usage = { input: 100, output: 1059 };
    const parts = [
      { kind: 'text', text: 'I look.' },
      { kind: 'call', id: 'call_1', name: 'Glob', input: { pattern: '*.nothing' } },
      { kind: 'call', id: 'call_2', name: 'Glob', input: { pattern: '*.none' } },
    ] as const;
    server.answerWith(
      { kind: 'message', parts, usage },
      { kind: 'message', parts: [{ kind: 'text', text: 'Nothing.' }], usage },
    );
    let result: SDKResultMessage | undefined;
    try {
      for await (const message of query({
        prompt: 'Go.',
        options: {
          cwd: tempFolder(),
          includePartialMessages,
          model: 'claude-opus-5-5',
          env: { ANTHROPIC_API_KEY: 'key', ANTHROPIC_BASE_URL: server.url },
          engine: { store: recordingStore() },
        },
      }))
        if (message.type === 'result') result = message;
    } finally {
      await server.close();
    }
    const spent = { inputTokens: 200, outputTokens: 2118 };
    expect(result?.usage).toMatchObject({ input_tokens: 200, output_tokens: 2118 });
    expect(Object.values(result?.modelUsage ?? {})).toMatchObject([spent]);
    // 4 USD per million tokens in, 20 out.
    expect(result?.total_cost_usd).toBeCloseTo((200 * 4 + 2118 * 20) / 1e6, 9);
  },
);
