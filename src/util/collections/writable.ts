/**
 * For objects with readonly fields that their creator goes on to write. A getter instead would give every
 * such object a hidden class of its own.
 */
export type Writable<T> = { -readonly [K in keyof T]: T[K] };
