/** What lasts is said: without a spinner, silence would look like a program that hangs. */

import { oneLine } from '@turnwright/terminal/text/visible.ts';
import { waitingFor } from '../../words/server-problems.ts';
import { toolLabel } from '../../words/tool-label.ts';
import type { ConversationClock } from '../conversation-clock.ts';
import { type ConversationState, isWorking } from '../conversation-state.ts';

interface Patience {
  observe(state: ConversationState): void;
  stop(): void;
}

const LOOK_EVERY_MS = 5_000;
/** A call is named after this time, and from then on every minute. */
const TOOL_MS = 10_000;
const MODEL_MS = 20_000;
const AGAIN_MS = 60_000;

/** `canGoOn`: Ctrl-C begins without the servers that are waited for. Default true. */
export function createPatience(
  clock: ConversationClock,
  line: (text: string) => void,
  state: () => ConversationState,
  { canGoOn = true }: { readonly canGoOn?: boolean } = {},
): Patience {
  let cancel: (() => void) | undefined;
  /** By call, or by the phase in which the model is waited for: when it is said next. */
  let due = new Map<string, number>();

  const look = () => {
    cancel = undefined;
    const now = state();
    const nowMs = clock.monotonicMs();
    const still = new Map<string, number>();
    const check = (key: string, firstMs: number, sinceMs: number, text: () => string) => {
      const dueMs = due.get(key) ?? sinceMs + firstMs;
      const isDue = nowMs >= dueMs && now.questions === 0;
      if (isDue) line(`${text()}, ${Math.round((nowMs - sinceMs) / 1_000)} s so far.`);
      still.set(key, isDue ? nowMs + AGAIN_MS : dueMs);
    };
    for (const { id, name, input, sinceMs, askedMs, output } of now.tools)
      check(id, TOOL_MS, sinceMs + askedMs, () => {
        const last = output?.lines.findLast((text) => text.trim() !== '');
        const said = last === undefined ? '' : `, last line: ${oneLine(last)}`;
        return `Still running: ${toolLabel(name, input, now.session.cwd)}${said}`;
      });
    if (now.awaitedServers.length > 0)
      check(
        'servers',
        LOOK_EVERY_MS,
        now.sinceMs,
        () => `Still ${waitingFor(now.awaitedServers)}${canGoOn ? ', Ctrl-C goes on without' : ''}`,
      );
    else if (now.phase === 'waiting' || now.phase === 'submitted')
      check(`${now.phase} ${now.sinceMs}`, MODEL_MS, now.sinceMs, () => 'Still waiting for the model');
    due = still;
    if (isWorking(now)) cancel = clock.timer(LOOK_EVERY_MS, look);
  };

  return {
    observe(next) {
      if (isWorking(next) && cancel === undefined) cancel = clock.timer(LOOK_EVERY_MS, look);
    },
    stop() {
      cancel?.();
      cancel = () => undefined;
    },
  };
}
