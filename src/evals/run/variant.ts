import type { Options } from '../../index.ts';

/** One way to run the cases. */
export interface Variant {
  /** Of its row: `opus`, or `opus, careful`. */
  readonly name: string;
  /** What it is made of: records of another content count for nothing but their money. */
  readonly hash: string;
  readonly options: Options;
}
