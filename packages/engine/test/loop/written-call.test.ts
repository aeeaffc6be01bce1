import { describe, expect, it } from 'vitest';
import { writtenCallNotice } from '../../src/loop/stages/written-call.ts';
import type { WireTool } from '../../src/protocol/model/wire.ts';

const tools = ['Read', 'get.weather'].map((name) => ({
  name,
  input_schema: { type: 'object' },
})) as WireTool[];
const toolIn = (text: string) => {
  const [notice] = writtenCallNotice(text, tools);
  return notice === undefined
    ? undefined
    : /a call of (\S+) as text/.exec(String('content' in notice && notice.content))?.[1];
};

describe('F118 a call that was written as text', () => {
  it.each([
    ['<tool_call>{"name": "Read", "arguments": {}}</tool_call>', 'Read'],
    ['<|tool_call|> [{"name":"Read"}]', 'Read'],
    ['<function=get.weather>{}', 'get.weather'],
    ['<invoke name="Read">', 'Read'],
    ['[TOOL_CALLS] [{"name": "Read"}]', 'Read'],
    ['[TOOL_CALLS]Read[{}]', 'Read'],
    ['<|python_tag|>{"name": "Read"}', 'Read'],
    ['<tool> Read </tool>', 'Read'],
    ['{"name": "Read", "arguments": {"path": "a"}}', 'Read'],
    [' [{"tool": "Read", "args": {}}] ', 'Read'],
    ['{"function": {"name": "Read", "parameters": {}}}', 'Read'],
    ['{"tool_name": "Read", "tool_input": {}}', 'Read'],
    ['I read it.\n```json\n{"name": "Read", "input": {}}\n```\n', 'Read'],
  ])('%j is one', (text, name) => {
    expect(toolIn(text)).toBe(name);
  });

  it.each([
    '<invoke name="Write">',
    '{"name": "Write", "arguments": {}}',
    '{"name": "Read"}',
    '{"name": 1, "arguments": {}}',
    '{"name": "Read", "arguments": {}',
    '"Read"',
    '[]',
    'null',
    'The object {"name": "Read", "arguments": {}} is a call.',
    '```json\n{"name": "Read", "input": {}}\n```\nThat is how it is called.',
  ])('%j is none', (text) => {
    expect(writtenCallNotice(text, tools)).toEqual([]);
  });

  it('is reported as a warning that names the tool', () => {
    expect(writtenCallNotice('<invoke name="Read">', tools)).toEqual([
      {
        subtype: 'informational',
        level: 'warning',
        content: expect.stringContaining(
          'wrote a call of Read as text instead of making it, so it was not run',
        ),
      },
    ]);
  });
});
