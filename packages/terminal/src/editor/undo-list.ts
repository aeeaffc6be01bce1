/** What a text was before: letters that are typed one after another are one step. */
import type { Buffer } from './buffer.ts';

/** What goes on as one step; undefined is a step of its own. */
export type StepKind = 'typing' | 'deleting' | undefined;

const MOST_STEPS = 500;

export class UndoList {
  readonly #before: Buffer[] = [];
  readonly #after: Buffer[] = [];
  #last: StepKind;

  /** Notes the text before a change. */
  note(before: Buffer, kind: StepKind): void {
    const goesOn = kind !== undefined && kind === this.#last && this.#before.length > 0;
    this.#last = kind;
    this.#after.length = 0;
    if (goesOn) return;
    this.#before.push(before);
    if (this.#before.length > MOST_STEPS) this.#before.shift();
  }

  /** The next change is a step of its own: the cursor was moved, or a word ended. */
  pause(): void {
    this.#last = undefined;
  }

  undo(now: Buffer): Buffer | undefined {
    return this.#exchange(this.#before, this.#after, now);
  }

  redo(now: Buffer): Buffer | undefined {
    return this.#exchange(this.#after, this.#before, now);
  }

  #exchange(from: Buffer[], to: Buffer[], now: Buffer): Buffer | undefined {
    const found = from.pop();
    if (found !== undefined) to.push(now);
    this.pause();
    return found;
  }
}
