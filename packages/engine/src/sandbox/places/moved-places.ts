/**
 * What a sandbox kept from being read or written, and a program outside has moved or given another name
 * since: it is kept from it there too. Nothing is searched as long as all of it is where it was.
 */
import type { BigIntStats } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

type KeptKind = 'hidden' | 'readOnly';

interface KeptFile {
  kind: KeptKind;
  paths: readonly string[];
  /** Names of the file that were all accounted for, or could not be found. */
  links: bigint;
}

const MAX_FOLDERS = 20_000;

/** Of one sandbox. */
export class MovedPlaces {
  readonly #kept = new Map<string, KeptFile>();

  /** These are kept from programs now; resolves to where else that has to be done. */
  async keep(
    places: ReadonlyMap<string, KeptKind>,
    roots: readonly string[],
  ): Promise<readonly { readonly path: string; readonly kind: KeptKind }[]> {
    for (const [path, kind] of places) {
      const stats = await readStats(path);
      if (stats === undefined || !(stats.isFile() || stats.isDirectory())) continue;
      const known = this.#kept.get(identityOf(stats));
      const paths = new Set([...(known?.paths ?? []), path]);
      const strongest = known?.kind === 'hidden' ? 'hidden' : kind;
      this.#kept.set(identityOf(stats), { kind: strongest, paths: [...paths], links: known?.links ?? 1n });
    }
    const missing = new Map<string, KeptFile>();
    for (const [identity, kept] of this.#kept) {
      const all = await Promise.all(kept.paths.map(readStats));
      const there = all.filter((stats) => stats !== undefined && identityOf(stats) === identity);
      const links = there[0]?.isFile() ? there[0].nlink : 1n;
      if (there.length < kept.paths.length || (links > kept.paths.length && links !== kept.links))
        missing.set(identity, { ...kept, paths: [], links });
    }
    if (missing.size > 0) await this.#search(missing, roots);
    return [...this.#kept.values()].flatMap(({ paths, kind }) =>
      paths.filter((path) => !places.has(path)).map((path) => ({ path, kind })),
    );
  }

  async #search(missing: ReadonlyMap<string, KeptFile>, roots: readonly string[]): Promise<void> {
    const found = new Map<string, string[]>();
    const open = [...roots];
    const seen = new Set<string>();
    for (let folder = open.shift(); folder !== undefined && seen.size < MAX_FOLDERS; folder = open.shift()) {
      if (seen.has(folder)) continue;
      seen.add(folder);
      const names = await readdir(folder).catch(() => []);
      for (const name of names) {
        const path = join(folder, name);
        const stats = await readStats(path);
        if (stats === undefined) continue;
        const identity = identityOf(stats);
        if (missing.has(identity)) found.set(identity, [...(found.get(identity) ?? []), path]);
        else if (stats.isDirectory()) open.push(path);
      }
    }
    for (const [identity, kept] of missing) {
      const paths = found.get(identity);
      if (paths === undefined) this.#kept.delete(identity);
      else this.#kept.set(identity, { ...kept, paths });
    }
  }
}

const readStats = (path: string): Promise<BigIntStats | undefined> =>
  lstat(path, { bigint: true }).catch(() => undefined);

/** A number may be given to another file; its time of birth may not be set. */
const identityOf = ({ dev, ino, birthtimeNs }: BigIntStats): string => `${dev}:${ino}:${birthtimeNs}`;
