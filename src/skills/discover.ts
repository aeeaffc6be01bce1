/** Folders to skills. Nothing here throws for what a folder holds: what cannot be used is a problem with a name. */
import { basename, join } from 'node:path';
import type { PersistentFiles } from '../protocol/files.ts';
import { readFrontmatter } from '../util/frontmatter.ts';
import { isReallyInside } from '../util/inside.ts';
import { type Skill, type SkillPlace, skillOf } from './skill.ts';

export type SkillFiles = Pick<PersistentFiles, 'stat' | 'readRange' | 'readFile' | 'readDir' | 'realpath'>;

/** A folder of skills, one folder each; or, with a SKILL.md of its own, one skill. */
export interface SkillDirectory extends SkillPlace {
  /** Absolute. */
  readonly path: string;
}

export interface Discovery {
  readonly skills: readonly Skill[];
  /** One sentence each, naming the file. */
  readonly problems: readonly string[];
}

/** What is known of a file, so that an unchanged one is not read again. */
export type SkillCache = Map<string, { readonly stamp: string } & ReadSkill>;

interface ReadSkill {
  readonly skill: Skill | undefined;
  readonly problem: string | undefined;
}

export const SKILL_FILE = 'SKILL.md';
/** The head, and enough of the body to lend a description. */
const HEAD_BYTES = 48 * 1024;
/** More skills than this in one folder are no help to anybody. */
const MAX_SKILLS = 500;

export async function discoverSkills(
  directory: SkillDirectory,
  files: SkillFiles,
  cache: SkillCache,
): Promise<Discovery> {
  const single = await readSkill(directory.path, directory, files, cache);
  if (single !== undefined) return single;
  const names = await files.readDir(directory.path).catch(() => []);
  const found = await Promise.all(
    [...names]
      .sort()
      .slice(0, MAX_SKILLS)
      .map((name) => readSkill(join(directory.path, name), directory, files, cache)),
  );
  const tooMany =
    names.length > MAX_SKILLS
      ? [
          `${directory.path} holds ${names.length} entries; those after the first ${MAX_SKILLS} were passed over.`,
        ]
      : [];
  return {
    skills: found.flatMap((each) => each?.skills ?? []),
    problems: [...tooMany, ...found.flatMap((each) => each?.problems ?? [])],
  };
}

/** undefined: there is no skill in this folder. */
async function readSkill(
  folder: string,
  directory: SkillDirectory,
  files: SkillFiles,
  cache: SkillCache,
): Promise<Discovery | undefined> {
  const file = join(folder, SKILL_FILE);
  const stat = await files.stat(file).catch(() => undefined);
  if (stat?.kind !== 'file') return undefined;
  const problem = (what: string): Discovery => ({ skills: [], problems: [`The skill ${file} ${what}.`] });
  if (directory.within !== undefined && !(await isReallyInside(file, directory.within, files)))
    return problem(`was passed over: it lies outside of ${directory.within}`);
  const stamp = `${stat.mtimeMs}/${stat.size}/${stat.ino}/${directory.plugin}/${directory.mayAllowTools}`;
  let known = cache.get(file);
  if (known?.stamp !== stamp) {
    try {
      const text = new TextDecoder().decode(await files.readRange(file, 0, HEAD_BYTES));
      const at = { folder: basename(folder), directory: folder, file };
      const head = await readFrontmatter(text);
      known = { stamp, skill: skillOf(head, at, directory), problem: head.problem };
    } catch (error) {
      return problem(`cannot be read: ${error instanceof Error ? error.message : String(error)}`);
    }
    cache.set(file, known);
  }
  if (known.skill === undefined)
    return problem('needs a name of letters, digits, "-", "_" and ".", at most 64 characters long');
  const told =
    known.problem === undefined ? [] : [`The skill ${file} is listed by its name: ${known.problem}.`];
  return { skills: [known.skill], problems: told };
}
