import { oncePer } from '../collections/weak-memo.ts';

/** The JSON of what does not change, made once for an object: the input of a call may be megabytes, and is asked for often. */
export const jsonOnce = (value: unknown): string =>
  typeof value === 'object' && value !== null ? ofObject(value) : JSON.stringify(value);

const ofObject = oncePer((value) => JSON.stringify(value));
