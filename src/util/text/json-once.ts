import { oncePer } from '../collections/weak-memo.ts';

/** JSON of an immutable object, cached: the input of a call may be megabytes, and is serialised often. */
export const jsonOnce = (value: unknown): string =>
  typeof value === 'object' && value !== null ? ofObject(value) : JSON.stringify(value);

const ofObject = oncePer((value) => JSON.stringify(value));
