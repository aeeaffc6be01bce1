/** Requirements of a `ModelClient`: the contract at its declaration, against a server of its API. */

import { systemClock } from '@turnwright/base/clock.ts';
import type { Clock } from '@turnwright/engine/protocol/ports.ts';
import type { Check } from './check.ts';
import { answerChecks } from './model/answer-checks.ts';
import { failureChecks } from './model/failure-checks.ts';
import { interruptionChecks } from './model/interruption-checks.ts';
import type { ModelCheck } from './model/model-check.ts';
import type { ModelClientSetup, OpenedModel, WireTraits } from './model/opened-model.ts';
import { requestChecks } from './model/request-checks.ts';
import { schemaChecks } from './model/schema-checks.ts';

/**
 * The checks, for any test runner: `for (const { name, run } of modelClientChecks(open, traits)) it(name,
 * run)`. `open` starts a server of the API on loopback and makes a client of it, anew for each check.
 */
export function modelClientChecks(
  open: (setup: ModelClientSetup) => Promise<OpenedModel>,
  traits: WireTraits,
): readonly Check[] {
  return [
    ...answerChecks(traits),
    ...failureChecks(traits),
    ...interruptionChecks(traits),
    ...requestChecks(traits),
    ...schemaChecks(),
  ].map((check) => ({
    name: `model client: ${check.name}`,
    run: () => runCheck(check, open),
  }));
}

async function runCheck(
  { setup, run }: ModelCheck,
  open: (setup: ModelClientSetup) => Promise<OpenedModel>,
): Promise<void> {
  const clock = skippingClock();
  const opened = await open({ clock, random: () => 0, ...setup });
  try {
    await run({ ...opened, sleeps: clock.sleeps });
  } finally {
    await opened.dispose();
  }
}

/** Real time, in which sleeps are skipped: they take none, and the clock says that they did. */
function skippingClock(): Clock & { readonly sleeps: readonly number[] } {
  const sleeps: number[] = [];
  let skippedMs = 0;
  return {
    sleeps,
    nowMs: () => systemClock.nowMs() + skippedMs,
    monotonicMs: () => systemClock.monotonicMs() + skippedMs,
    timer: systemClock.timer,
    async sleep(ms, signal) {
      sleeps.push(ms);
      await systemClock.sleep(0, signal);
      skippedMs += ms;
    },
  };
}
