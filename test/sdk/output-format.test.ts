import { expect, it } from 'vitest';
import { z } from 'zod';
import type { Options } from '../../src/index.ts';
import { callTool } from '../../src/testing/index.ts';
import { gather, queryUnderTest } from './query-under-test.ts';

it('a JSON Schema that zod made is taken as it is, in types and at run time', async () => {
  const tree = z.object({ tree: z.string(), heightM: z.number().nullable() });
  const outputFormat: Options['outputFormat'] = { type: 'json_schema', schema: z.toJSONSchema(tree) };
  const value = { tree: 'larch', heightM: null };
  const { query: running } = queryUnderTest([callTool('StructuredOutput', value)], 'Which tree is it?', {
    outputFormat,
  });
  const { messages } = await gather(running);
  expect(messages.at(-1)).toMatchObject({ subtype: 'success', structured_output: value });
});
