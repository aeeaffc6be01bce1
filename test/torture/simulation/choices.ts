/** Everything in a simulation that could have been otherwise, drawn from its seed. */
import { seededRandom } from '@turnwright/testing';

export class Choices {
  readonly random: () => number;

  constructor(seed: number) {
    this.random = seededRandom(seed);
    // Neighbouring seeds begin alike.
    for (let n = 0; n < 8; n++) this.random();
  }

  /** From `least` to `most`, both included. */
  int(least: number, most: number): number {
    return least + Math.floor(this.random() * (most - least + 1));
  }

  chance(share: number): boolean {
    return this.random() < share;
  }

  pick<T>(of: readonly T[]): T {
    return of[Math.floor(this.random() * of.length)] as T;
  }

  /** One of these, as often as its weight says. */
  weighted<T>(...of: readonly (readonly [weight: number, value: T])[]): T {
    let left = this.random() * of.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, value] of of) {
      left -= weight;
      if (left < 0) return value;
    }
    return (of.at(-1) as readonly [number, T])[1];
  }
}
