/** The skills of a session: scanned at each submission's start, served from memory in between (L1). */
import { dirname, join, relative } from 'node:path';
import { within } from '@turnwright/base/async/promises.ts';
import { foldersBetween, projectFolders } from '@turnwright/base/files/folders.ts';
import { isReallyInside } from '@turnwright/base/files/inside.ts';
import { matchesGlob } from '@turnwright/base/search/name-pattern.ts';
import type { UnreadFields } from '@turnwright/base/text/unread-fields.ts';
import {
  createSkillCache,
  discoverSkills,
  type SkillCache,
  type SkillDirectory,
  type SkillFiles,
} from './discover.ts';
import { listSkillNames, type Skill } from './skill.ts';

type SkillOverride = 'on' | 'name-only' | 'user-invocable-only' | 'off';

interface CatalogueOptions {
  readonly files: SkillFiles;
  /** The machine's clock, which file times refer to. */
  nowMs(): number;
  /** Configuration home, whose `skills` folder is read. Absent: not read. */
  readonly userHome?: string | undefined;
  /** Its skills, and those of its parent folders up to the repository's root, are read. Absent: not read. */
  readonly projectRoot?: string | undefined;
  /** Whether skills of this project folder may allow tools; default all. */
  readonly trusts?: ((folder: string) => Promise<boolean>) | undefined;
  /** Whether project skills precede those of the user and of plugins. Default true. */
  readonly projectFirst?: boolean | undefined;
  /**
   * Skills that the model may use, by name or a `:name` ending; default all. Others are for the user only.
   */
  readonly only?: 'all' | readonly string[] | undefined;
  /** By name. */
  readonly overrides?: Readonly<Record<string, SkillOverride>> | undefined;
  /** Called once for each problem. */
  readonly warn?: ((line: string) => void) | undefined;
  readonly unread?: Pick<UnreadFields, 'note'> | undefined;
}

export interface SkillCatalogue {
  /**
   * Result of the last scan, in order: project (nearest first), user, plugins. The same array while nothing
   * changed.
   */
  readonly skills: readonly Skill[];
  /** Scans again. Overlapping calls share one scan. Never rejects. */
  refresh(): Promise<readonly Skill[]>;
  /** Waits for the first scan, however long it takes. Never rejects. */
  complete(): Promise<void>;
  /** Waits a short time for the first scan, or the current one; later results are announced later. */
  settled(): Promise<void>;
  /** By either of its names, or the unambiguous ending of a plugin skill's name. */
  find(name: string): Skill | undefined;
  /** Replaces the plugin folders; the next scan reads them. */
  setPluginDirectories(directories: readonly SkillDirectory[]): void;
  /**
   * Whether folders beside these files, or between them and the project's root, contain unknown skills. Each
   * folder is checked once. Activates skills that wait for such files.
   */
  visit(paths: readonly string[]): Promise<void>;
}

const FOLDERS = ['.turnwright/skills', '.claude/skills'] as const;
/** ms that a request waits for a running scan. */
const LOOK_MS = 500;
const NONE: readonly Skill[] = Object.freeze([]);
const NOBODY: ReadonlySet<string> = new Set();

export function createSkillCatalogue(options: CatalogueOptions): SkillCatalogue {
  return new Catalogue(options);
}

class Catalogue implements SkillCatalogue {
  readonly #options: CatalogueOptions;
  skills = NONE;
  /** Created by the first scan of a folder. */
  #cache: SkillCache | undefined;
  readonly #madeMs: number;
  #warned: readonly string[] = [];
  readonly #visited = new Set<string>();
  /** Skills whose files were touched. */
  #awake: ReadonlySet<string> = NOBODY;
  #nested: readonly SkillDirectory[] = [];
  #ofPlugins: readonly SkillDirectory[] = [];
  #ofProject: Promise<readonly SkillDirectory[]> | undefined;
  #looking: Promise<readonly Skill[]> | undefined;
  #looked = false;

  constructor(options: CatalogueOptions) {
    this.#options = options;
    this.#madeMs = options.nowMs();
  }

  refresh(): Promise<readonly Skill[]> {
    this.#looked = true;
    this.#looking ??= this.#look()
      .catch((error: unknown) => {
        this.#options.warn?.(`Skills could not be looked for: ${String(error)}`);
        return this.skills;
      })
      .finally(() => {
        this.#looking = undefined;
      });
    return this.#looking;
  }

  async complete(): Promise<void> {
    if (this.#mayHaveSome) await (this.#looking ?? (this.#looked ? undefined : this.refresh()));
  }

  async settled(): Promise<void> {
    if (!this.#mayHaveSome) return;
    const look = this.#looking ?? (this.#looked ? undefined : this.refresh());
    if (look !== undefined) await within(LOOK_MS, look);
  }

  find(name: string): Skill | undefined {
    const { skills } = this;
    const exact =
      skills.find((skill) => skill.name === name) ?? skills.find(({ otherName }) => otherName === name);
    if (exact !== undefined) return exact;
    const ending = skills.filter((skill) => listSkillNames(skill).some((each) => each.endsWith(`:${name}`)));
    return ending.length === 1 ? ending[0] : undefined;
  }

  setPluginDirectories(directories: readonly SkillDirectory[]): void {
    this.#ofPlugins = directories;
  }

  async visit(paths: readonly string[]): Promise<void> {
    const { files, projectRoot } = this.#options;
    this.#wake(paths);
    if (projectRoot === undefined) return;
    const folders = unseen(paths, projectRoot, this.#visited);
    if (folders.length === 0) return;
    const candidates = (
      await Promise.all(folders.map((folder) => this.#inFolder(folder, projectRoot)))
    ).flat();
    const there = await Promise.all(
      candidates.map(async ({ path }) => {
        const stat = await files.stat(path).catch(() => undefined);
        return stat?.kind === 'directory' && (await isReallyInside(path, projectRoot, files));
      }),
    );
    const fresh = candidates.filter((_, at) => there[at]);
    if (fresh.length === 0) return;
    this.#nested = [...this.#nested, ...fresh];
    // A scan that started before does not include them.
    await this.#looking;
    await this.refresh();
  }

  /** There are skills, which may be removed by now, or folders that may contain some. */
  get #mayHaveSome(): boolean {
    const { projectRoot, userHome } = this.#options;
    const folders = projectRoot !== undefined || userHome !== undefined || this.#ofPlugins.length > 0;
    return folders || this.skills.length > 0;
  }

  async #look(): Promise<readonly Skill[]> {
    if (!this.#mayHaveSome) return this.skills;
    this.#ofProject ??= this.#projectDirectories();
    const { files, userHome } = this.#options;
    const ofProject = [...(await this.#ofProject), ...this.#nested];
    const others: readonly SkillDirectory[] = [
      ...(userHome === undefined
        ? []
        : [{ path: join(userHome, 'skills'), source: 'user' as const, mayAllowTools: true }]),
      ...this.#ofPlugins,
    ];
    const directories =
      this.#options.projectFirst === false ? [...others, ...ofProject] : [...ofProject, ...others];
    this.#cache ??= createSkillCache(this.#madeMs, this.#options.unread);
    const cache = this.#cache;
    const found = await Promise.all(directories.map((directory) => discoverSkills(directory, files, cache)));
    for (const problem of found.flatMap(({ problems }) => problems)) this.#warnOnce(problem);
    const all = eachFileOnce(found.flatMap((each) => each.skills));
    const settled = settle(all, this.#options);
    this.#nameLosers(all);
    const now = settled.map((skill) => withSleep(skill, this.#awake));
    cache.isFirstLook = false;
    const { skills } = this;
    if (now.length !== skills.length || now.some((skill, at) => !isSame(skill, skills[at])))
      this.skills = now;
    return this.skills;
  }

  /** Those of one source whose name and folder others have; a project may word one of the user anew. */
  #nameLosers(all: readonly Skill[]): void {
    const owners = new Map<string, Skill>();
    for (const skill of all) {
      const name = listSkillNames(skill).find((each) => !owners.has(each));
      const owner = owners.get(skill.name);
      if (name !== undefined) owners.set(name, skill);
      else if (owner?.source === skill.source && dirname(owner.directory) === dirname(skill.directory))
        this.#warnOnce(`The skill ${skill.file} has the name of ${owner.file} and was passed over.`);
    }
  }

  #warnOnce(problem: string): void {
    if (this.#warned.includes(problem)) return;
    this.#warned = [...this.#warned, problem];
    this.#options.warn?.(problem);
  }

  async #projectDirectories(): Promise<readonly SkillDirectory[]> {
    const { files, projectRoot } = this.#options;
    if (projectRoot === undefined) return [];
    const folders = await projectFolders(projectRoot, files);
    const root = folders.at(-1) ?? projectRoot;
    for (const folder of folders) this.#visited.add(folder);
    return (await Promise.all(folders.map((folder) => this.#inFolder(folder, root)))).flat();
  }

  async #inFolder(folder: string, within: string): Promise<readonly SkillDirectory[]> {
    const { files, trusts } = this.#options;
    const paths = FOLDERS.map((name) => join(folder, name));
    // Trust requires reading the folder's files: checked only for folders with skills.
    const there = await Promise.all(paths.map((path) => files.stat(path).catch(() => undefined)));
    const mayAllowTools =
      trusts === undefined || (there.some((stat) => stat !== undefined) && (await trusts(folder)));
    return paths.map((path) => ({ path, source: 'project', mayAllowTools, within }));
  }

  #wake(paths: readonly string[]): void {
    const { skills } = this;
    const waiting = skills.filter(({ dormant }) => dormant === true);
    const due = waiting.filter((skill) =>
      paths.some((path) => isAbout(skill, path, this.#options.projectRoot)),
    );
    if (due.length === 0) return;
    this.#awake = new Set([...this.#awake, ...due.map(({ file }) => file)]);
    this.skills = skills.map((skill) => (due.includes(skill) ? withSleep(skill, this.#awake) : skill));
  }
}

/** The folders of these paths below `root`, and those between; each only once in a session. */
function unseen(paths: readonly string[], root: string, visited: Set<string>): readonly string[] {
  const folders = paths.flatMap((path) => [...foldersBetween(root, path)].reverse());
  return folders.filter((folder) => !visited.has(folder) && visited.add(folder));
}

function eachFileOnce(skills: readonly Skill[]): readonly Skill[] {
  const seen = new Set<string>();
  return skills.filter(({ file }) => !seen.has(file) && seen.add(file));
}

function withSleep({ dormant: _, ...skill }: Skill, awake: ReadonlySet<string>): Skill {
  return skill.paths === undefined || awake.has(skill.file) ? skill : { ...skill, dormant: true };
}

/** Patterns are relative to the project; without one they may match anywhere. */
function isAbout({ paths = [] }: Skill, path: string, root: string | undefined): boolean {
  return paths.some((glob) =>
    root === undefined ? matchesGlob(`**/${glob}`, path) : matchesGlob(glob, relative(root, path)),
  );
}

/** The first skill of a folder's name has it; then filtered by the options. */
function settle(found: readonly Skill[], { only, overrides = {} }: CatalogueOptions): readonly Skill[] {
  const taken = new Set<string>();
  return found.flatMap((given) => {
    const name = listSkillNames(given).find((each) => !taken.has(each));
    if (name === undefined) return [];
    taken.add(name);
    const skill = name === given.name ? given : called(name, given);
    const override = overrides[name] ?? overrides[skill.otherName ?? name];
    if (override === 'off') return [];
    if (override === 'user-invocable-only' || !isWanted(skill, only))
      return [{ ...skill, modelInvocable: false }];
    return [override === 'name-only' ? { ...skill, describes: false } : skill];
  });
}

/** Another folder of the same name comes before it: it keeps the name in its frontmatter alone. */
function called(name: string, { otherName: _, ...skill }: Skill): Skill {
  return { ...skill, name };
}

function isWanted(skill: Skill, only: CatalogueOptions['only']): boolean {
  if (only === undefined || only === 'all') return true;
  return only.some((wanted) =>
    listSkillNames(skill).some((name) => name === wanted || name.endsWith(`:${wanted}`)),
  );
}

function isSame(a: Skill, b: Skill | undefined): boolean {
  return b !== undefined && JSON.stringify(a) === JSON.stringify(b);
}
