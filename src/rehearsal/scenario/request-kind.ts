import { type ApiRequest, textOf } from '../request/api-request.ts';
import type { RequestKind } from './rehearsal-request.ts';

const ASKS_FOR_SUMMARY =
  /<summary>|\bsummar(?:y|ise|ize)\b[^.]*\b(?:conversation|session|transcript|exchange)\b/i;

/**
 * What a request is for, by its shape: a compaction ends in a block that asks for a summary of the
 * conversation; a helper offers no tools in a session that has offered some.
 */
export function kindOf(request: ApiRequest, sessionOffersTools: boolean): RequestKind {
  const last = request.turns.findLast((turn) => turn.role === 'user')?.blocks.at(-1);
  if (last?.type === 'text' && ASKS_FOR_SUMMARY.test(textOf(last))) return 'compaction';
  return sessionOffersTools && request.tools.length === 0 ? 'helper' : 'main';
}
