/** Reads skills from folders. Never throws for the content of a folder: problems are reported by name. */

import { basename, dirname, join } from 'node:path';
import { isReallyInside } from '@turnwright/base/files/inside.ts';
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import { errorText } from '@turnwright/base/text/error-text.ts';
import { readFrontmatter } from '@turnwright/base/text/frontmatter.ts';
import { noteUnread, type UnreadFields } from '@turnwright/base/text/unread-fields.ts';
import {
  MAX_BODY_CHARS,
  MAX_SKILL_BYTES,
  SKILL_FIELDS,
  type Skill,
  type SkillPlace,
  stampOf,
  toSkill,
} from './skill.ts';

export type SkillFiles = Pick<
  PersistentFiles,
  'exists' | 'lstat' | 'stat' | 'readRange' | 'readFile' | 'readDir' | 'realpath'
>;

/** A folder of skill folders; of a plugin also, with a SKILL.md of its own, one skill. */
export interface SkillDirectory extends SkillPlace {
  /** Absolute. */
  readonly path: string;
}

interface Discovery {
  readonly skills: readonly Skill[];
  /** One sentence each, naming the file. */
  readonly problems: readonly string[];
}

/** Cache of a session's skills: an unchanged one is not read again, and a changed one allows nothing. */
export interface SkillCache {
  readonly read: Map<string, { readonly stamp: string } & ReadSkill>;
  /** Directories that were scanned before. */
  readonly looked: Set<string>;
  /** Start of the session, in ms. */
  readonly sinceMs: number;
  /** The session cannot have written anything yet. */
  isFirstLook: boolean;
  readonly unread: Pick<UnreadFields, 'note'> | undefined;
}

export function createSkillCache(sinceMs: number, unread?: SkillCache['unread']): SkillCache {
  return { read: new Map(), looked: new Set(), sinceMs, isFirstLook: true, unread };
}

interface ReadSkill {
  readonly skill: Skill | undefined;
  readonly problem: string | undefined;
}

const SKILL_FILE = 'SKILL.md';
/** The head, and enough of the body to derive a description. */
const HEAD_BYTES = 48 * 1024;
/** Limit of skills in one folder. */
const MAX_SKILLS = 500;

export async function discoverSkills(
  directory: SkillDirectory,
  files: SkillFiles,
  cache: SkillCache,
): Promise<Discovery> {
  const place = { ...directory, isNew: !cache.looked.has(directory.path) };
  if (directory.plugin !== undefined) {
    const single = await readSkill(directory.path, { ...place, isOne: true }, files, cache);
    if (single !== undefined) return looked(single, directory, cache);
  }
  const names = await files.readDir(directory.path).catch(() => []);
  const found = await Promise.all(
    [...names]
      .sort()
      .slice(0, MAX_SKILLS)
      .map((name) => readSkill(join(directory.path, name), place, files, cache)),
  );
  const tooMany =
    names.length > MAX_SKILLS
      ? [
          `${directory.path} holds ${names.length} entries; those after the first ${MAX_SKILLS} were passed over.`,
        ]
      : [];
  return looked(
    {
      skills: found.flatMap((each) => each?.skills ?? []),
      problems: [...tooMany, ...found.flatMap((each) => each?.problems ?? [])],
    },
    directory,
    cache,
  );
}

function looked(found: Discovery, { path }: SkillDirectory, cache: SkillCache): Discovery {
  cache.looked.add(path);
  return found;
}

type Looking = SkillDirectory & { readonly isNew: boolean };

/**
 * Whether the session itself may have written a file: then its permissions apply from the next session on.
 * That is the case for files that changed between two scans, or are new in a scanned folder; otherwise the
 * times of the file and of its folders decide.
 */
async function mayBeOwnWork(
  file: string,
  { isNew, path }: Looking,
  files: Pick<SkillFiles, 'lstat'>,
  { isFirstLook, sinceMs }: SkillCache,
): Promise<boolean> {
  if (isFirstLook) return false;
  if (!isNew) return true;
  const places = [file, dirname(file), path, dirname(path)];
  const stats = await Promise.all(places.map((each) => files.lstat(each).catch(() => undefined)));
  return stats.some((stat) => stat?.ctimeMs === undefined || stat.ctimeMs >= sinceMs);
}

/** undefined: there is no skill in this folder. */
async function readSkill(
  folder: string,
  directory: Looking,
  files: SkillFiles,
  cache: SkillCache,
): Promise<Discovery | undefined> {
  const file = join(folder, SKILL_FILE);
  const stat = await files.stat(file).catch(() => undefined);
  if (stat?.kind !== 'file') return undefined;
  const problem = (what: string): Discovery => ({ skills: [], problems: [`The skill ${file} ${what}.`] });
  if (directory.within !== undefined && !(await isReallyInside(file, directory.within, files)))
    return problem(`was passed over: it lies outside of ${directory.within}`);
  const stamp = `${stampOf(stat)}/${directory.plugin}/${directory.mayAllowTools}/${directory.isOne}`;
  let known = cache.read.get(file);
  if (known?.stamp !== stamp) {
    try {
      const text = new TextDecoder().decode(await files.readRange(file, 0, HEAD_BYTES));
      const at = { folder: basename(folder), directory: folder, file };
      const head = await readFrontmatter(text);
      const { unread } = cache;
      if (unread !== undefined) noteUnread(file, head.fields, { read: SKILL_FIELDS, kind: 'skill', unread });
      const isOwnWork = directory.mayAllowTools && (await mayBeOwnWork(file, directory, files, cache));
      const place = { ...directory, mayAllowTools: directory.mayAllowTools && !isOwnWork };
      const skill = toSkill(head, { ...at, stamp: stampOf(stat) }, place);
      const waits = isOwnWork && (skill?.runsCommands === true || 'allowed-tools' in head.fields);
      known = {
        stamp,
        skill,
        problem: waits
          ? 'changed while the session ran, so what it allows and runs counts from the next session on'
          : head.problem && `is listed by its name: ${head.problem}`,
      };
    } catch (error) {
      return problem(`cannot be read: ${errorText(error)}`);
    }
    cache.read.set(file, known);
  }
  if (known.skill === undefined)
    return problem('needs a name of letters, digits, "-", "_" and ".", at most 128 characters long');
  const told = [
    ...(known.problem === undefined ? [] : [known.problem]),
    ...(stat.size > MAX_SKILL_BYTES ? [`is used to its character ${MAX_BODY_CHARS} only`] : []),
  ];
  return { skills: [known.skill], problems: told.map((what) => `The skill ${file} ${what}.`) };
}
