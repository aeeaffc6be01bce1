/** Defaults that the library takes from its process: working directory and environment. Read only here. */
import { resolve } from 'node:path';

export interface ProcessPlace {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export function resolvePlace({
  cwd,
  env,
}: {
  readonly cwd?: string | undefined;
  readonly env?: ProcessPlace['env'] | undefined;
}): ProcessPlace {
  // Read once: each access to `process.env` is a system call, and a session makes many.
  return { cwd: cwd ?? process.cwd(), env: env ?? { ...process.env } };
}

/** Absolute. */
export function resolveFolder(cwd: string | undefined): string {
  return resolve(cwd ?? process.cwd());
}
