/** For objects with readonly fields that their creator goes on to write. */
export type Writable<T> = { -readonly [K in keyof T]: T[K] };
