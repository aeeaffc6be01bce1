/**
 * How much of a long test is run. `npm test` runs the short form, the gate (`.ci/run`) sets `TURNWRIGHT_LONG_TESTS=1` and
 * runs the long one. `TURNWRIGHT_PROPERTY_RUNS` sets the number of runs of the large property tests by hand.
 */
import { lazily } from '../src/util/async/lazily.ts';

const isLong = process.env['TURNWRIGHT_LONG_TESTS'] === '1';

export const inShortAndLongForm = (short: number, long: number): number => inForm(short, long);

export const inForm = <T>(short: T, long: T): T => (isLong ? long : short);

/** Rows of a table whose tests take long: every n-th in the short form. */
export const everyNth = <T>(n: number, cases: readonly T[]): readonly T[] =>
  inForm(
    cases.filter((_, at) => at % n === 0),
    cases,
  );

export const propertyRuns = (short: number, long: number): number =>
  Number(process.env['TURNWRIGHT_PROPERTY_RUNS'] ?? inShortAndLongForm(short, long));

/** What several tests examine: made once for all of them in the short form, for each of them in the long form. */
export const sharedInShortForm = <T>(make: () => Promise<T>): (() => Promise<T>) =>
  inForm(lazily(make), make);
