/** What is put back behind a summary, each part from a source that another room registered (L2.6). */
import type { CompactionSource, ContextLimits } from '../protocol/context.ts';
import type { HookPort } from '../protocol/hook.ts';
import type { ViewMessage } from '../protocol/messages.ts';
import { type Stamp, stamped } from './notices.ts';
import { estimateTokens } from './token-estimate.ts';

/** All sources together: enough to go on working, too little to fill the window again. */
const RESTORE_TOKENS = 50_000;
const RESTORE_SHARE = 0.2;

/** Asks the sources in order; each may spend what those before it left. One that fails is passed over. */
export async function restoreAfterCompaction(
  sources: readonly CompactionSource[],
  input: { readonly summarised: readonly ViewMessage[]; readonly limits: ContextLimits },
): Promise<ViewMessage[]> {
  const restored: ViewMessage[] = [];
  let budgetTokens = Math.floor(Math.min(RESTORE_TOKENS, input.limits.effective * RESTORE_SHARE));
  for (const source of sources) {
    for (const message of await collect(source, input.summarised, budgetTokens)) {
      const tokens = estimateTokens([message]);
      if (tokens > budgetTokens) continue;
      budgetTokens -= tokens;
      restored.push(message);
    }
  }
  return restored;
}

async function collect(
  source: CompactionSource,
  summarised: readonly ViewMessage[],
  budgetTokens: number,
): Promise<readonly ViewMessage[]> {
  try {
    return await source.collect({ summarised, budgetTokens });
  } catch {
    return [];
  }
}

/** What SessionStart hooks say when a session goes on after a compaction. */
export function sessionStartSource(hooks: HookPort, stamp: Stamp): CompactionSource {
  return {
    name: 'session-start',
    async collect() {
      if (!hooks.has('SessionStart')) return [];
      const { signal } = new AbortController();
      const { additionalContext } = await hooks.run({ event: 'SessionStart', source: 'compact' }, { signal });
      if (additionalContext.length === 0) return [];
      return [
        {
          type: 'attachment',
          ...stamped(stamp),
          attachment: { type: 'hook_context', event: 'SessionStart', content: additionalContext },
          rendered: [
            { type: 'text', text: `<system-reminder>\n${additionalContext.join('\n')}\n</system-reminder>` },
          ],
        },
      ];
    },
  };
}
