/** Why a request was not read from the prompt cache: asked of the records, and only when it was not. */
import { type SDKMessage, sessionDecisions } from '@turnwright/engine';
import type { Env } from '../../world.ts';
import type { CacheFigure, ConversationState } from '../conversation-state.ts';

interface CacheBreaksOptions {
  readonly env: Env;
  onFigure(cache: CacheFigure): void;
}

/** Smaller prefixes are not cached. */
const LEAST_TOKENS = 2_000;

/** Returns the function that hears every message, with the state that it led to. */
export function createCacheBreaks({ env, onFigure }: CacheBreaksOptions) {
  let before: CacheFigure | undefined;
  let suspicious: CacheFigure | undefined;
  const ask = async (cache: CacheFigure, { session }: ConversationState) => {
    const decisions = await sessionDecisions(session.id, { cwd: session.cwd, env });
    const found = decisions.at(-1)?.cache?.break;
    if (found !== undefined) onFigure({ ...cache, brokenBy: found.kind.replaceAll('_', ' ') });
  };
  return (message: SDKMessage, state: ConversationState): void => {
    const { cache } = state.figures;
    if (cache !== undefined && cache !== before && cache.brokenBy === undefined) {
      const expected = before?.inputTokens ?? 0;
      suspicious = expected >= LEAST_TOKENS && cache.readTokens < expected / 2 ? cache : undefined;
      before = cache;
    }
    // The record of a request is complete when the next one is made, or the submission has ended.
    const isRecorded =
      message.type === 'result' ||
      (message.type === 'system' && message.subtype === 'status' && message.status === 'requesting');
    if (suspicious === undefined || !isRecorded) return;
    // A session without records has no reasons either.
    void ask(suspicious, state).catch(() => undefined);
    suspicious = undefined;
  };
}
