/** What lies below the writable folders and counts elsewhere too: compared before and after a command. */
import type { FoundPlaces } from './protected-places.ts';

/** Absolute paths. */
export interface SeenNames {
  /** Of files and folders that grant rights where they lie. */
  readonly granting: Set<string>;
  readonly gitFolders: Set<string>;
  /** Roots of working trees. */
  readonly trees: Set<string>;
}

export function nothingSeen(): SeenNames {
  return { granting: new Set(), gitFolders: new Set(), trees: new Set() };
}

export function addSeen(found: FoundPlaces, seen: SeenNames): void {
  for (const name of ['granting', 'gitFolders', 'trees'] as const)
    for (const path of found[name]) seen[name].add(path);
}
