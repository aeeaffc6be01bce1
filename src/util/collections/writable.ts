/**
 * For the object that a maker hands out under a type of readonly fields, and goes on to write itself. A getter in its
 * place would cost every such object a shape of its own.
 */
export type Writable<T> = { -readonly [K in keyof T]: T[K] };
