import { createSdkMcpServer, type Options, tool } from '@turnwright/engine';
import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { textOf } from '../outline.ts';
import { rehearse, submissions } from '../rehearse.ts';
import { blocksOf, type SentBody, wholeText } from '../sent.ts';

const COUNT = 300;
const many = (): Pick<Options, 'mcpServers'> => ({
  mcpServers: {
    big: createSdkMcpServer({
      name: 'big',
      tools: Array.from({ length: COUNT }, (_, at) =>
        tool(
          `op_${at}`,
          `Operation ${at}${at === 7 ? ' pays invoices' : ''}. ${'It is described at length. '.repeat(12)}`,
          { amount: z.number().describe('How much of it, in cents.') },
          async ({ amount }) => ({ content: [{ type: 'text', text: `op ${at}: ${amount}` }] }),
        ),
      ),
    }),
  },
});
/** Without the one that only stands for those that can be loaded. */
const names = (body: SentBody | undefined) =>
  (body?.tools ?? []).map(({ name }) => name).filter((name) => name !== 'DeferredTools');
const deferred = (body: SentBody | undefined) =>
  (body?.tools ?? []).flatMap((each) => ('defer_loading' in each ? [each.name] : []));
const references = (body: SentBody | undefined) =>
  blocksOf(body, 'tool_result').flatMap(({ content }) =>
    Array.isArray(content) ? content.flatMap((part) => ('tool_name' in part ? [part.tool_name] : [])) : [],
  );
const results = (body: SentBody | undefined) =>
  blocksOf(body, 'tool_result').map((block) => textOf(block.content));
const options: Options = {
  ...many(),
  tools: ['Read'],
  allowedTools: ['mcp__big'],
  engine: { deferToolsAbove: 0.01 },
};

describe('F155 300 deferred tools', () => {
  it('F155 the request carries only the index; a tool that was loaded is in the next request, and stays', async () => {
    const run = await rehearse({
      ...submissions('Pay.', 'Again.'),
      replies: [
        reply(toolUse('ToolSearch', { query: 'select:mcp__big__op_3,mcp__big__none' }, 'call_1')),
        reply(toolUse('mcp__big__op_3', { amount: 5 }, 'call_2')),
        reply('Paid.'),
        reply(toolUse('ToolSearch', { query: 'invoices', max_results: 1 }, 'call_3')),
        reply('Found.'),
      ],
      options,
    });
    const [first, second, third] = run.sent;
    expect(names(first)).toEqual(['Read', 'ToolSearch']);
    expect(wholeText(first)).toContain('mcp__big__op_299');
    expect(wholeText(first)).not.toContain('described at length');
    expect(names(second)).toEqual(['Read', 'ToolSearch', 'mcp__big__op_3']);
    expect(deferred(second)).toEqual(['mcp__big__op_3', 'DeferredTools']);
    expect(references(second)).toEqual(['mcp__big__op_3']);
    expect(wholeText(second)).toContain('Loaded: mcp__big__op_3.');
    expect(wholeText(second)).toContain('There is no tool named mcp__big__none.');
    expect(results(third).at(-1)).toBe('op 3: 5');
    expect(names(run.sent.at(-1))).toEqual(['Read', 'ToolSearch', 'mcp__big__op_3', 'mcp__big__op_7']);
    // Told once, and part of what every later request repeats.
    expect(wholeText(run.sent.at(-1)).split('mcp__big__op_299')).toHaveLength(2);
    const init = run.messages.find((message) => message.type === 'system' && message.subtype === 'init');
    expect((init as { tools: string[] } | undefined)?.tools).toHaveLength(COUNT + 2);
  });

  it('F155 a loaded tool survives compaction and resume', async () => {
    const before = await rehearse({
      ...submissions('Load.', '/compact', 'Go on.'),
      replies: [
        reply(toolUse('ToolSearch', { query: 'select:mcp__big__op_3' }, 'call_1')),
        reply('Loaded.'),
        reply('<summary>We loaded a tool.</summary>', { when: { kind: 'compaction' } }),
        reply('On it.'),
      ],
      options,
    });
    const last = before.sent.at(-1);
    expect(names(last)).toEqual(['Read', 'ToolSearch', 'mcp__big__op_3']);
    // The result that loaded it is gone, so it is declared like any other.
    expect(deferred(last)).toEqual(['DeferredTools']);
    expect(wholeText(last)).toContain('We loaded a tool.');
    expect(wholeText(last).split('mcp__big__op_299')).toHaveLength(2);
    const after = await rehearse({
      place: before,
      prompt: 'Still there?',
      replies: [reply('Yes.')],
      options: { ...options, ...many(), resume: before.sessionId },
    });
    expect(names(after.sent[0])).toEqual(['Read', 'ToolSearch', 'mcp__big__op_3']);
    expect(wholeText(after.sent[0]).split('mcp__big__op_299')).toHaveLength(2);
  });

  it('a loaded tool stays behind its reference when the session is resumed', async () => {
    const before = await rehearse({
      replies: [reply(toolUse('ToolSearch', { query: 'select:mcp__big__op_3' }, 'call_1')), reply('Loaded.')],
      options,
    });
    const resumed = (changed: Partial<Options>) =>
      rehearse({
        place: before,
        prompt: 'Still there?',
        replies: [reply('Yes.')],
        options: { ...options, ...many(), resume: before.sessionId, forkSession: true, ...changed },
      });
    const { sent } = await resumed({});
    expect(deferred(sent[0])).toEqual(['mcp__big__op_3', 'DeferredTools']);
    expect(references(sent[0])).toEqual(['mcp__big__op_3']);
    // A result must not refer to a tool that is not there: the API would refuse the conversation for ever.
    const without = await resumed({ mcpServers: {} });
    expect(references(without.sent[0])).toEqual([]);
    expect(results(without.sent[0])[0]).toContain('Loaded: mcp__big__op_3.');
  });

  it('a model that knows no references gets the definitions as ever', async () => {
    const { sent } = await rehearse({
      replies: [reply(toolUse('ToolSearch', { query: 'select:mcp__big__op_3' }, 'call_1')), reply('Loaded.')],
      options: { ...options, model: 'claude-haiku-4-5' },
    });
    expect(sent.at(-1)?.tools?.map(({ name }) => name)).toEqual(['Read', 'ToolSearch', 'mcp__big__op_3']);
    expect(deferred(sent.at(-1))).toEqual([]);
    expect(results(sent.at(-1))[0]).toContain('Loaded: mcp__big__op_3.');
  });

  it('loading a tool reads all that was cached', async () => {
    const run = await rehearse({
      replies: [
        reply(toolUse('ToolSearch', { query: 'select:mcp__big__op_3' }, 'call_1')),
        reply(toolUse('ToolSearch', { query: 'select:mcp__big__op_4,mcp__big__op_5' }, 'call_2')),
        reply('Loaded.'),
      ],
      options,
    });
    const usage = run.server.requests.flatMap(({ verdict }) => ('usage' in verdict ? [verdict.usage] : []));
    const cached = usage.map((each) => each.cache_read_input_tokens + each.cache_creation_input_tokens);
    expect(usage.slice(1).map((each) => each.cache_read_input_tokens)).toEqual(cached.slice(0, -1));
  });

  it('F155 a deferred tool called by its name runs; a wrong input is answered with the schema', async () => {
    const run = await rehearse({
      replies: [
        reply(toolUse('mcp__big__op_1', { amount: 2 }, 'call_1')),
        reply(toolUse('mcp__big__op_2', { price: 2 }, 'call_2')),
        reply('Hm.'),
      ],
      options,
    });
    const [ran, refused] = results(run.sent.at(-1));
    expect(ran).toBe('op 1: 2');
    expect(refused).toContain('The schema of this tool had not been loaded. It is: {');
    expect(refused).toContain('How much of it, in cents.');
  });

  it('few tools are sent as ever, also where ToolSearch was taken away', async () => {
    const few = await rehearse({
      replies: [reply('Hi.')],
      options: { ...options, engine: { deferToolsAbove: 0.9 } },
    });
    expect(names(few.sent[0])).toHaveLength(COUNT + 1);
    const without = await rehearse({
      replies: [reply('Hi.')],
      options: { ...options, engine: {}, disallowedTools: ['ToolSearch'] },
    });
    expect(names(without.sent[0])).toHaveLength(COUNT + 1);
  });
});
