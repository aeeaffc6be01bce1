/**
 * One warning when 80 % of a limit is used (F67): there is still time to say what matters, or to raise it.
 */

/** Share of a limit at which the warning is emitted. */
const SHARE = 0.8;

/** How much of each limit is used; undefined: there is no such limit. */
export interface CapUse {
  /** Requests of this submission, the running one included. */
  readonly turns?: Use | undefined;
  /** USD. */
  readonly money?: Use | undefined;
  /** Of `taskBudget`. */
  readonly tokens?: Use | undefined;
}

interface Use {
  readonly used: number;
  readonly cap: number;
}

export interface CapWarnings {
  /** What is due now; each limit is named once. */
  take(use: CapUse): readonly string[];
  /** Turns are counted anew. */
  startSubmission(): void;
}

const SENTENCE: { readonly [C in keyof Required<CapUse>]: (use: Use) => string } = {
  turns: ({ used, cap }) => `${used} of the ${cap} turns of this run are used (maxTurns).`,
  money: ({ used, cap }) => `$${used.toFixed(4)} of the budget of $${cap} is spent (maxBudgetUsd).`,
  tokens: ({ used, cap }) => `About ${used} of the ${cap} tokens of the task's budget are used (taskBudget).`,
};
const CAPS = Object.keys(SENTENCE) as readonly (keyof CapUse)[];

export function createCapWarnings(): CapWarnings {
  return new Warnings();
}

class Warnings implements CapWarnings {
  #told: readonly (keyof CapUse)[] = [];

  take(use: CapUse): readonly string[] {
    const due: string[] = [];
    for (const cap of CAPS) {
      const of = use[cap];
      if (of === undefined || this.#told.includes(cap)) continue;
      // At the limit itself the result says so.
      if (of.used < SHARE * of.cap || of.used >= of.cap) continue;
      this.#told = [...this.#told, cap];
      due.push(SENTENCE[cap](of));
    }
    return due;
  }

  startSubmission(): void {
    this.#told = this.#told.filter((cap) => cap !== 'turns');
  }
}
