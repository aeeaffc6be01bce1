/** An input that is no object is refused before the tool sees it. */

import { fakeTool } from '@turnwright/testing';
import { expect, it } from 'vitest';
import { parseInput } from '../../src/tools/gate/prepared-call.ts';

it.each([
  ['a string', 'text', 'string'],
  ['a list', [], 'array'],
  ['null', null, 'null'],
])('%s', async (_, input, type) => {
  const parsed = await parseInput(fakeTool({ name: 'Look' }), input as never);
  expect(parsed).toMatchObject({
    ok: false,
    text: expect.stringContaining('InputValidationError: Look failed'),
  });
  expect((parsed as { text: string }).text).toContain(type);
});
