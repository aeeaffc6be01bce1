/**
 * `{ ...object, ...fields, ...more }`, for what each turn makes or each session keeps. In Node 20 a spread to
 * which fields are added takes ten times as long, and makes a hidden class of its own for each result: no
 * inline cache knows it when a field is read. A spread that only replaces fields has neither fault. Fields
 * that are `false` or undefined add nothing.
 */
export function extended<O extends object, F extends object>(object: O, fields: F | false | undefined): O & F;
export function extended<O extends object, F extends object, M extends object>(
  object: O,
  fields: F | false | undefined,
  more: M | false | undefined,
): O & F & M;
export function extended(
  object: object,
  fields: object | false | undefined,
  more?: object | false | undefined,
): object {
  return { ...NOTHING, ...object, ...fields, ...more };
}

/** What is spread first decides on the hidden class: nothing has that of an empty object. */
const NOTHING = undefined as object | undefined;
