import type { AnyTool, ToolContext, ToolOutput, ToolProgress } from '../protocol/tools/tool.ts';
import { isObject } from './schema/from-json-schema.ts';

/** Runs a tool to its end and reports progress. Rejects with what the tool threw. */
export async function runTool(
  tool: AnyTool,
  input: unknown,
  context: ToolContext,
  onProgress: (progress: ToolProgress) => void,
): Promise<ToolOutput> {
  const running = tool.run(input, context) as unknown;
  if (!isGenerator(running)) return asOutput(await running);
  while (true) {
    const step = await running.next();
    if (step.done) return asOutput(step.value);
    onProgress(step.value);
  }
}

function isGenerator(value: unknown): value is AsyncGenerator<ToolProgress, unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}

/** An untyped tool may return anything (F83): a bare value becomes text. */
function asOutput(value: unknown): ToolOutput {
  if (isObject(value) && (typeof value['content'] === 'string' || Array.isArray(value['content']))) {
    return value as unknown as ToolOutput;
  }
  return {
    data: value,
    content: value === undefined || value === null ? '' : typeof value === 'string' ? value : toText(value),
  };
}

export function toText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return String(value);
  }
}
