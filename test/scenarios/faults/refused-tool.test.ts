import { reply, type ScriptedReply, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { hostTool, hostTools } from '../host-tools.ts';
import { rehearse, submissions } from '../rehearse.ts';

const three = hostTools(
  hostTool('one', () => '1'),
  hostTool('two', () => '2'),
  hostTool('three', () => '3'),
);
const names = (body: { readonly tools?: readonly { readonly name: string }[] } | undefined) =>
  (body?.tools ?? []).map(({ name }) => name);

describe('F153 the provider refuses one tool', () => {
  it('F153 it is left out by name with a notice, the request is made again once, and the others work', async () => {
    const run = await rehearse({
      ...submissions('Go.', 'Again.'),
      replies: [
        refuses(1),
        reply(toolUse('mcp__host__three', {}, 'call_1')),
        reply('Done.'),
        reply('And again.'),
      ],
      options: { ...three, tools: [], allowedTools: ['mcp__host__three'] },
    });
    expect(run.results.map(({ is_error }) => is_error)).toEqual([false, false]);
    expect(names(run.sent[0])).toEqual(['mcp__host__one', 'mcp__host__two', 'mcp__host__three']);
    for (const body of run.sent.slice(1)) expect(names(body)).toEqual(['mcp__host__one', 'mcp__host__three']);
    expect(run.messages).toContainEqual(
      expect.objectContaining({
        subtype: 'informational',
        level: 'warning',
        content: expect.stringContaining('The provider refuses the tool "mcp__host__two"'),
      }),
    );
  });

  it('F153 two bad tools cost two requests; a place that names no tool costs nothing but the turn', async () => {
    const run = await rehearse({
      replies: [refuses(0), refuses(0), reply('Done.')],
      options: { ...three, tools: [] },
    });
    expect(run.sent.map(names)).toEqual([
      ['mcp__host__one', 'mcp__host__two', 'mcp__host__three'],
      ['mcp__host__two', 'mcp__host__three'],
      ['mcp__host__three'],
    ]);
    const lost = await rehearse({ replies: [refuses(9)], options: { ...three, tools: [] } });
    expect(lost.sent).toHaveLength(1);
    expect(lost.results[0]).toMatchObject({ is_error: true });
  });
});

function refuses(place: number): ScriptedReply {
  return reply('never', {
    faults: [
      {
        name: 'http-status',
        status: 400,
        type: 'invalid_request_error',
        message: `tools.${place}.custom.input_schema: JSON schema is invalid`,
      },
    ],
  });
}
