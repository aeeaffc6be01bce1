/**
 * Files and folders that rules denied before the first command of a session: they stay denied under every
 * other name that a command gives them. They are known by what the file system says of them, and not by path.
 */
import { dirname, join } from 'node:path';
import { isInside } from '@turnwright/base/files/inside.ts';
import type { FileStat } from '@turnwright/base/persistent-files.ts';
import { isLiteralName, literalName } from '@turnwright/base/search/name-pattern.ts';
import type { Pattern } from './read-pattern.ts';

/** What is looked at on disk for it. */
interface StandingLook {
  /** The session's own folder. */
  readonly root: string;
  readonly stat: (path: string) => Promise<FileStat | undefined>;
  /** The names in a folder. */
  readonly entries: (path: string) => Promise<readonly string[] | undefined>;
  /** With the kind of each, where it can be had without a look at each. */
  readonly kinds?: ((path: string) => Promise<ReadonlyMap<string, FileStat['kind']>>) | undefined;
}

/** What one rule forbids. */
export interface StandingRule {
  readonly specifier: string;
  readonly places: readonly Pattern[];
  /** Whether what the rule forbids may have this name; of what is in a folder the folder is enough. */
  mayName(name: string): boolean;
  /** Whether the rule forbids what is at this path, and of a folder all that is in it. */
  covers(path: string, kind: FileStat['kind']): boolean;
}

/** Entries of folders that are looked at, nearest first; what lies deeper is known by path alone. */
const MAX_ENTRIES = 20_000;
/** Rules that an entry is held against at the price of one; of more rules fewer entries are looked at. */
const RULES_AT_ONCE = 100;
/** Entries between two pauses, in which other work of the process is done. */
const ENTRIES_AT_ONCE = 500;
/** Found by one rule; of more than these any may have moved. */
const MAX_COMPARED = 200;
/** Folders of other programs, with files in great number. */
const PASSED_OVER: readonly string[] = ['.git', 'node_modules'];

export class StandingFiles {
  readonly #collected = new Set<string>();
  readonly #rules = new Map<string, Set<string>>();
  /** Where they were found, by rule. */
  readonly #found = new Map<string, { readonly path: string; readonly identity: string }[]>();
  /** Of one look at the disk, in which several rules are held against a path. */
  readonly #rulesAt = new WeakMap<StandingLook['stat'], Map<string, Promise<ReadonlySet<string>>>>();
  #hasFolders = false;
  #left = MAX_ENTRIES;
  #collecting: Promise<void> = Promise.resolve();

  /** Whether one of these has not been looked for. */
  lacks(specifiers: readonly string[]): boolean {
    return specifiers.some((specifier) => !this.#collected.has(specifier));
  }

  /** Looks for what these rules forbid now, once for each. */
  collect(
    specifiers: readonly string[],
    read: (specifier: string) => Promise<StandingRule | undefined>,
    look: StandingLook,
  ): Promise<void> {
    this.#collecting = this.#collecting.then(async () => {
      const added = specifiers.filter((specifier) => !this.#collected.has(specifier));
      if (added.length === 0) return;
      const rules = (await Promise.all(added.map(read))).flatMap((rule) => rule ?? []);
      const bases = new Map<string, StandingRule[]>();
      for (const rule of rules)
        for (const base of new Set(rule.places.map((place) => locateBase(place, look.root))))
          bases.set(base, [...(bases.get(base) ?? []), rule]);
      for (const [base, concerned] of bases) await this.#walk(base, concerned, look);
      for (const specifier of added) this.#collected.add(specifier);
    });
    return this.#collecting;
  }

  /** Whether the file at a real path, or a folder that it lies in, is one that the rule forbade. */
  covers(
    specifier: string,
    real: string,
    { root, stat }: Pick<StandingLook, 'root' | 'stat'>,
  ): boolean | Promise<boolean> {
    if (this.#rules.size === 0) return false;
    const looked = this.#rulesAt.get(stat) ?? new Map<string, Promise<ReadonlySet<string>>>();
    this.#rulesAt.set(stat, looked);
    const known = looked.get(real) ?? this.#rulesFor(real, root, stat);
    looked.set(real, known);
    return known.then((rules) => rules.has(specifier));
  }

  /** Nothing that is denied lies around the session's folder. */
  async #rulesFor(real: string, root: string, stat: StandingLook['stat']): Promise<ReadonlySet<string>> {
    const paths = [real];
    for (let path = dirname(real); this.#hasFolders && path !== root; path = dirname(path)) {
      paths.push(path);
      if (dirname(path) === path) break;
    }
    const rules = new Set<string>();
    for (const found of await Promise.all(paths.map(stat)))
      if (found !== undefined)
        for (const specifier of this.#rules.get(fingerprintFile(found)) ?? []) rules.add(specifier);
    return rules;
  }

  /** Whether something that the rule forbade is not where it was found: it may lie in any folder now. */
  async hasMoved(specifier: string, { stat }: Pick<StandingLook, 'stat'>): Promise<boolean> {
    const found = this.#found.get(specifier) ?? [];
    if (found.length > MAX_COMPARED) return true;
    const now = await Promise.all(found.map(({ path }) => stat(path)));
    return found.some(({ identity }, at) => {
      const there = now[at];
      return there === undefined || fingerprintFile(there) !== identity;
    });
  }

  async #walk(base: string, rules: readonly StandingRule[], look: StandingLook): Promise<void> {
    const first = await look.stat(base);
    if (first === undefined) return;
    this.#take(base, first, rules);
    for (let level = first.kind === 'directory' ? [base] : []; level.length > 0 && this.#left > 0; ) {
      const below: string[] = [];
      for (const folder of level) {
        const kinds = await look.kinds?.(folder).catch(() => undefined);
        const names = kinds === undefined ? ((await look.entries(folder)) ?? []) : [...kinds.keys()];
        for (let at = 0; at < names.length && this.#left > 0; at += ENTRIES_AT_ONCE) {
          // Where no entry is looked at by itself, nothing else waits.
          if (at > 0) await new Promise((resolve) => setImmediate(resolve));
          const some = names.slice(at, at + ENTRIES_AT_ONCE);
          below.push(...(await this.#lookAt(folder, some, rules, { ...look, known: kinds })));
        }
      }
      level = below;
    }
  }

  /** Returns the folders that are to be looked into. */
  async #lookAt(
    folder: string,
    names: readonly string[],
    rules: readonly StandingRule[],
    { stat, known }: StandingLook & { readonly known: ReadonlyMap<string, FileStat['kind']> | undefined },
  ): Promise<readonly string[]> {
    this.#left -= names.length * Math.ceil(rules.length / RULES_AT_ONCE);
    const entries = names.map((name) => {
      const path = join(folder, name);
      const kind = known?.get(name);
      const speaks = (rule: StandingRule) =>
        rule.mayName(name) && (kind === undefined || rule.covers(path, kind));
      return { path, name, kind, named: rules.filter(speaks) };
    });
    // No rule speaks of most of them, and what they are is known.
    const stats = await Promise.all(
      entries.map(({ path, kind, named }) =>
        named.length === 0 && kind !== undefined ? { kind } : stat(path),
      ),
    );
    const below: string[] = [];
    for (const [at, { path, name, named }] of entries.entries()) {
      const found = stats[at];
      if (found === undefined) continue;
      const isTaken = 'size' in found && named.length > 0 && this.#take(path, found, named);
      const isWhole = isTaken && named.length === rules.length;
      if (found.kind === 'directory' && !isWhole && !PASSED_OVER.includes(name)) below.push(path);
    }
    return below;
  }

  /** Whether all of the rules cover it. */
  #take(path: string, stat: FileStat, rules: readonly StandingRule[]): boolean {
    if (stat.kind !== 'file' && stat.kind !== 'directory') return false;
    const covering = rules.filter((rule) => rule.covers(path, stat.kind));
    if (covering.length > 0 && stat.kind === 'directory') this.#hasFolders = true;
    for (const { specifier } of covering) {
      const identity = fingerprintFile(stat);
      const known = this.#rules.get(identity) ?? new Set();
      this.#rules.set(identity, known.add(specifier));
      const found = this.#found.get(specifier) ?? [];
      found.push({ path, identity });
      this.#found.set(specifier, found);
    }
    return covering.length === rules.length;
  }
}

/** A number may be given to another file; its time of birth may not be set. */
const fingerprintFile = ({ dev = 0, ino, bornMs = 0 }: FileStat): string => `${dev}:${ino}:${bornMs}`;

/** Where all lies that the pattern speaks of; not more than the session's folder, where it begins above. */
function locateBase({ root, segments }: Pattern, own: string): string {
  const ends = segments.at(-1) === '**' ? segments.slice(0, -1) : segments;
  const wild = ends.findIndex((segment) => !isLiteralName(segment));
  const start = join(root, ...ends.slice(0, wild < 0 ? ends.length : wild).map(literalName));
  return wild >= 0 && isInside(own, start) ? own : start;
}
