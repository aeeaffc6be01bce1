/** Context that is restored behind a summary, each part from a registered source (L2.6, F31). */

import { reminder } from '@turnwright/base/text/text-blocks.ts';
import type { CompactionSource, ContextLimits } from '../../protocol/model/context.ts';
import type { ViewMessage } from '../../protocol/model/messages.ts';
import type { HookPort } from '../../protocol/tools/hook.ts';
import { estimateTokens } from '../estimate/token-estimate.ts';
import { type Stamp, stamped } from '../notices.ts';

/** Limit of all sources together: enough to continue, too little to fill the window again. */
const RESTORE_TOKENS = 50_000;
const RESTORE_SHARE = 0.2;
/** Restored context may use at most this share of the freed tokens, … */
const FREED_SHARE = 0.5;
/** … but short, essential parts (todos, the plan) always have this much. */
const LEAST_SHARE = 0.02;

export function restoreBudget({ effective }: ContextLimits, freedTokens: number): number {
  const most = Math.min(RESTORE_TOKENS, effective * RESTORE_SHARE, freedTokens * FREED_SHARE);
  return Math.floor(Math.max(most, effective * LEAST_SHARE));
}

interface RestoreInput {
  readonly summarised: readonly ViewMessage[];
  readonly kept: readonly ViewMessage[];
  readonly budgetTokens: number;
  readonly signal: AbortSignal;
}

/** Calls the sources in order; each may use what those before it left. A failing source is skipped. */
export async function restoreAfterCompaction(
  sources: readonly CompactionSource[],
  input: RestoreInput,
): Promise<ViewMessage[]> {
  const restored: ViewMessage[] = [];
  let { budgetTokens } = input;
  for (const source of sources) {
    if (input.signal.aborted) break;
    for (const message of await collect(source, { ...input, budgetTokens })) {
      const tokens = estimateTokens([message]);
      if (tokens > budgetTokens) continue;
      budgetTokens -= tokens;
      restored.push(message);
    }
  }
  return restored;
}

/** After an abort no source is waited for. */
async function collect(source: CompactionSource, input: RestoreInput): Promise<readonly ViewMessage[]> {
  let onAbort = () => {};
  const aborted = new Promise<readonly ViewMessage[]>((resolve) => {
    onAbort = () => resolve([]);
    input.signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([source.collect(input), aborted]);
  } catch {
    return [];
  } finally {
    input.signal.removeEventListener('abort', onAbort);
  }
}

/** Output of SessionStart hooks after a compaction. */
export function sessionStartSource(hooks: HookPort, model: string, stamp: Stamp): CompactionSource {
  return {
    name: 'session-start',
    async collect({ signal }) {
      if (!hooks.has('SessionStart')) return [];
      const { additionalContext } = await hooks.run(
        { event: 'SessionStart', source: 'compact', model },
        { signal },
      );
      if (additionalContext.length === 0) return [];
      return [
        {
          type: 'attachment',
          ...stamped(stamp),
          attachment: { type: 'hook_context', event: 'SessionStart', content: additionalContext },
          rendered: [reminder(additionalContext.join('\n'))],
        },
      ];
    },
  };
}
