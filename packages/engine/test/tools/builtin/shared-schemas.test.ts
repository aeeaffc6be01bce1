import { expect, it } from 'vitest';
import { createBashTool } from '../../../src/tools/builtin/shell/bash.ts';

const fieldsOf = ({ inputJsonSchema }: { readonly inputJsonSchema: object }): string[] =>
  Object.keys((inputJsonSchema as { readonly properties: object }).properties);

it('Bash has one schema for all sessions with the same fields', () => {
  const tool = createBashTool();
  expect(createBashTool({ defaultTimeoutMs: 1 }).inputJsonSchema).toBe(tool.inputJsonSchema);
  expect(fieldsOf(tool)).toEqual(['command', 'timeout', 'description', 'run_in_background']);
  expect(fieldsOf(createBashTool({ background: false }))).toEqual(['command', 'timeout', 'description']);
});
