/** What the library takes from its process when its caller names nothing else: the one look at both. */
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
  // Looked at once: each look at a variable of the process asks the system, and a session takes many.
  return { cwd: cwd ?? process.cwd(), env: env ?? { ...process.env } };
}

/** Absolute. */
export function folderOf(cwd: string | undefined): string {
  return resolve(cwd ?? process.cwd());
}
