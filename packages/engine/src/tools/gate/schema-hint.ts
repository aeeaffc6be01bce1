/**
 * A deferred tool that is called without being loaded: it runs, and if it fails the model receives the
 * schema.
 */

import { bounded } from '@turnwright/base/text/cut-text.ts';
import { CallParked } from '../../protocol/session/parking.ts';
import type { AnyTool, ToolContext, ToolOutput, ToolProgress } from '../../protocol/tools/tool.ts';
import { boundedErrorText } from '../outcome.ts';

const MAX_SCHEMA_CHARS = 8_000;

export function withSchemaHint(tool: AnyTool): AnyTool {
  const hint = () =>
    `The schema of this tool had not been loaded. It is: ${bounded(JSON.stringify(tool.inputJsonSchema), MAX_SCHEMA_CHARS)}`;
  return {
    ...tool,
    async parse(input) {
      const parsed = await tool.parse(input);
      return parsed.ok ? parsed : { ok: false, issues: [...parsed.issues, hint()] };
    },
    run: (input: unknown, context) => hinted(tool, input, context, hint),
  };
}

async function* hinted(
  tool: AnyTool,
  input: unknown,
  context: ToolContext,
  hint: () => string,
): AsyncGenerator<ToolProgress, ToolOutput> {
  let output: ToolOutput;
  try {
    const running = tool.run(input, context);
    output = running instanceof Promise ? await running : yield* running;
  } catch (error) {
    if (context.signal.aborted || error instanceof CallParked) throw error;
    throw new Error(`${boundedErrorText(error)}\n\n${hint()}`, { cause: error });
  }
  if (output.isError !== true) return output;
  const { content } = output;
  return {
    ...output,
    content:
      typeof content === 'string' ? `${content}\n\n${hint()}` : [...content, { type: 'text', text: hint() }],
  };
}
