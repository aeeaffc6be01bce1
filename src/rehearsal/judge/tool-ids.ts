import type { MergedTurn } from '../request/api-request.ts';

/** One field of every block of a type, in order of appearance. */
export function listBlockIds(turn: MergedTurn, type: string, field: string): Set<unknown> {
  const ids = new Set<unknown>();
  for (const { block } of turn.blocks) if (block.type === type) ids.add(block[field]);
  return ids;
}

/** The API's error text for calls without a result in the next message. */
export function unanswered(message: number, ids: readonly unknown[]): string {
  return `messages.${message}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${ids.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`;
}
