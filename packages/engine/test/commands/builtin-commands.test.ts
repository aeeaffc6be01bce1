import { textOfContent } from '@turnwright/base/text/text-blocks.ts';
import { reply } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { type HookCallback, query, type SDKMessage } from '../../src/index.ts';
import { projectUnderTest } from '../memory/project-under-test.ts';

const ofType = <T extends SDKMessage['type']>(messages: readonly SDKMessage[], type: T) =>
  messages.filter((message): message is Extract<SDKMessage, { type: T }> => message.type === type);
const outputs = (messages: readonly SDKMessage[]) =>
  ofType(messages, 'assistant')
    .filter(({ message }) => message.model === '<synthetic>' && message.stop_reason === 'end_turn')
    .map(({ message }) => textOfContent(message.content));

describe("the engine's own commands", () => {
  it('/context, /cost and /model answer at once, without asking the model', async () => {
    const project = await projectUnderTest({ 'CLAUDE.md': 'Of the root.' });
    const { messages, results, sent } = await project.run({
      prompt: ['Go.', '/context', '/cost', '/model haiku', '/model'],
    });
    expect(sent).toHaveLength(1);
    const local = results.slice(1);
    expect(local.map((result) => 'local_command' in result && result.local_command)).toEqual([
      'context',
      'cost',
      'model',
      'model',
    ]);
    for (const result of local) {
      expect(result).toMatchObject({ subtype: 'success', is_error: false, num_turns: 0, stop_reason: null });
      expect(result).not.toHaveProperty('terminal_reason');
    }
    const [context, cost, switched, shown] = outputs(messages);
    expect(context).toContain(`${project.at('CLAUDE.md')} (Project)`);
    expect(context).toMatch(/\| Free space \| [\d,]+ \|/);
    expect(cost).toMatch(/^Cost so far: \$0\.\d{4}/);
    expect(cost).toContain('claude-opus-5-5');
    expect(switched).toBe('The model is now claude-haiku-5-5.');
    expect(shown).toBe('The model is claude-haiku-5-5.');
  });

  it('/effort shows how hard the model thinks, and sets it for what follows', async () => {
    const project = await projectUnderTest();
    const { messages, results, sent } = await project.run({
      replies: [reply('One.'), reply('Two.'), reply('Three.')],
      prompt: [
        '/effort',
        'Go.',
        '/effort low',
        'Go.',
        '/effort much',
        '/effort default',
        'Go.',
        '/model claude-haiku-4-5',
        '/effort',
      ],
    });
    // A change is told inside the conversation: the head of the request stays as the cache knows it.
    const effortsIn = (body: string): readonly unknown[] =>
      [...body.matchAll(/"output_config":\{"effort":"(\w+)"/g)].map(([, effort]) => effort);
    expect(sent.map(effortsIn)).toEqual([['medium'], ['low', 'medium'], ['low', 'medium', 'medium']]);
    expect(outputs(messages)).toEqual([
      'The effort is medium.',
      'The effort is now low.',
      'The effort is now medium.',
      expect.stringContaining('The model is now'),
      'claude-haiku-4-5 takes no effort.',
    ]);
    expect(results[2]).toMatchObject({ local_command: 'effort', num_turns: 0, subtype: 'success' });
    expect(results[4]).toMatchObject({
      errors: ['There is no effort "much". It is one of low, medium, high, xhigh, max, or default.'],
    });
  });

  it('/clear puts the conversation away and begins another one in the same stream', async () => {
    const project = await projectUnderTest();
    const seen: unknown[] = [];
    const hook: HookCallback = async (input) => {
      seen.push([input.hook_event_name, input['source'] ?? input['reason'], input.session_id]);
      return {};
    };
    const { messages, results, sent } = await project.run({
      replies: [reply('One.'), reply('Two.')],
      prompt: ['First.', '/model haiku', '/clear', 'Second.', '/reset'],
      options: { hooks: { SessionStart: [{ hooks: [hook] }], SessionEnd: [{ hooks: [hook] }] } },
    });
    const [old] = results.map(({ session_id }) => session_id);
    const resets = ofType(messages, 'conversation_reset');
    const [reset, again] = resets;
    expect(reset).toMatchObject({ session_id: old, trigger: 'clear' });
    expect(reset?.new_conversation_id).not.toBe(old);
    const next = reset?.new_conversation_id;
    expect(results.map(({ session_id }) => session_id)).toEqual([
      old,
      old,
      next,
      next,
      again?.new_conversation_id,
    ]);
    expect(sent[1]).toContain('Second.');
    expect(sent[1]).not.toContain('First.');
    expect(JSON.parse(sent[1] ?? '{}')).toMatchObject({ model: 'claude-haiku-5-5' });
    expect(seen).toEqual([
      ['SessionStart', 'startup', old],
      ['SessionEnd', 'clear', old],
      ['SessionStart', 'clear', next],
      ['SessionEnd', 'clear', next],
      ['SessionEnd', 'other', again?.new_conversation_id],
    ]);
    // The cost begins at 0 with the conversation, results are counted on.
    expect(results[2]).toMatchObject({ total_cost_usd: 0, modelUsage: {} });
    expect(Object.keys(results[3]?.modelUsage ?? {})).toEqual(['claude-haiku-5-5']);
    expect(results.map(({ result_index }) => result_index)).toEqual([0, 1, 2, 3, 4]);
    const opening = messages.findIndex(({ type }) => type === 'conversation_reset');
    expect(messages[opening + 1]).toMatchObject({ subtype: 'init', session_id: next });

    const resumed = await project.run({ prompt: 'Third.', options: { resume: old as string } });
    expect(resumed.sent[0]).toContain('First.');
    expect(resumed.sent[0]).not.toContain('Second.');
  });

  it('prompts that wait behind /clear belong to the new conversation', async () => {
    const project = await projectUnderTest();
    project.server.setScenario({ name: 'queued', replies: [reply('One.'), reply('Two.')] });

    async function* input() {
      for (const content of ['First.', '/clear', 'Second.'])
        yield {
          type: 'user' as const,
          message: { role: 'user' as const, content },
          parent_tool_use_id: null,
          priority: 'later' as const,
        };
    }
    const env = {
      HOME: project.folder,
      ANTHROPIC_BASE_URL: project.server.url,
      ANTHROPIC_API_KEY: 'sk-test',
    };
    const messages: SDKMessage[] = [];
    for await (const message of query({ prompt: input(), options: { cwd: project.cwd, env } }))
      messages.push(message);
    const results = ofType(messages, 'result');
    expect(results).toHaveLength(3);
    expect(results[2]?.session_id).toBe(results[1]?.session_id);
    expect(results[2]?.session_id).not.toBe(results[0]?.session_id);
  });
});
