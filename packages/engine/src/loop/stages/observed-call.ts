/** A call as the stream shows it: with fields that its tool derives, and where the tool comes from. */
import type { AssistantMessage } from '../../protocol/model/messages.ts';
import type { ToolUseBlock } from '../../protocol/model/wire.ts';
import type { ToolsPort } from '../deps.ts';

export type CallFacts = Pick<AssistantMessage, 'derivedInput' | 'mcp'>;

/** What is recorded with the block, so that the stream can be made of the record; undefined: nothing. */
export function callFacts(
  block: ToolUseBlock,
  tools: Pick<ToolsPort, 'backfill' | 'mcpOf'>,
): CallFacts | undefined {
  const { input } = tools.backfill(block);
  const mcp = tools.mcpOf?.(block.name);
  if (input === block.input && mcp === undefined) return undefined;
  const derived = Object.entries(input).filter(([key, value]) => block.input[key] !== value);
  return {
    ...(derived.length > 0 && { derivedInput: Object.fromEntries(derived) }),
    ...(mcp !== undefined && { mcp }),
  };
}
