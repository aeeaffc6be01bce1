/** Estimated tokens of a complete request: its messages, and the fixed part. */

import { oncePer } from '@turnwright/base/collections/made-once.ts';
import type { EstimatedRequest } from '../../protocol/model/context.ts';
import type { WireTool } from '../../protocol/model/wire.ts';
import { createViewFold, type IncrementalFold } from './incremental-fold.ts';
import { estimateText } from './text-estimate.ts';
import { estimateMessage } from './token-estimate.ts';

/** Overhead of tool support in general. */
const TOOLS_OVERHEAD = 300;

type Head = Pick<EstimatedRequest, 'system' | 'userContext' | 'tools'>;

/** Tokens of the messages, without any factor. O(what is new in this view). */
export const estimateView: IncrementalFold<number> = createViewFold(
  0,
  (sum, message) => sum + estimateMessage(message),
);

/** Tokens of system prompt, user context and tools: counted once per set. */
export function estimateHead({ system, userContext, tools }: Head): number {
  const texts = counted(system) + (userContext === undefined ? 0 : counted(userContext));
  return texts + (tools.length === 0 ? 0 : TOOLS_OVERHEAD + counted(tools));
}

const counted = oncePer((parts: readonly (string | WireTool)[]) =>
  parts.reduce((sum, part) => sum + (typeof part === 'string' ? estimateText(part) : toolTokens(part)), 0),
);

/** Once for all sessions that have the tool: they share the object. */
const toolTokens = oncePer((tool: WireTool) => estimateText(JSON.stringify(tool)));
