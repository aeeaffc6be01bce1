/** Estimated tokens of a complete request: its messages, and the fixed part. */
import type { EstimatedRequest } from '../../protocol/model/context.ts';
import { oncePer } from '../../util/collections/weak-memo.ts';
import { createViewFold, type ViewFold } from './incremental-fold.ts';
import { estimateText } from './text-estimate.ts';
import { estimateMessage } from './token-estimate.ts';

/** Overhead of tool support in general. */
const TOOLS_OVERHEAD = 300;

type Head = Pick<EstimatedRequest, 'system' | 'userContext' | 'tools'>;

/** Tokens of the messages, without any factor. O(what is new in this view). */
export const estimateView: ViewFold<number> = createViewFold(
  0,
  (sum, message) => sum + estimateMessage(message),
);

/** Tokens of system prompt, user context and tools: counted once per set. */
export function estimateHead({ system, userContext, tools }: Head): number {
  const texts = counted(system) + (userContext === undefined ? 0 : counted(userContext));
  return texts + (tools.length === 0 ? 0 : TOOLS_OVERHEAD + counted(tools));
}

const counted = oncePer((parts: readonly unknown[]) =>
  parts.reduce<number>((sum, part) => sum + estimateText(asText(part)), 0),
);

function asText(part: unknown): string {
  return typeof part === 'string' ? part : JSON.stringify(part);
}
