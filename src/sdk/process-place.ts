/** Defaults that the library takes from its process: working directory and environment. Read only here. */
import { resolve } from 'node:path';

export interface Place {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export function placeOf({
  cwd,
  env,
}: {
  readonly cwd?: string | undefined;
  readonly env?: Place['env'] | undefined;
}): Place {
  // Read once: each access to `process.env` is a system call, and a session makes many.
  return { cwd: cwd ?? process.cwd(), env: env ?? { ...process.env } };
}

/** Absolute. */
export function folderOf(cwd: string | undefined): string {
  return resolve(cwd ?? process.cwd());
}
