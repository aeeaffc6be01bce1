/**
 * Searches of the shell below folders in which a file lies that a rule denies (`grep -r x .`): options that
 * leave it out take the place of a question, where they leave out nothing else.
 */
import { basename, join } from 'node:path';
import { matchesNames } from '@turnwright/base/search/name-pattern.ts';
import { findDescent } from '../../shell/programs/descending.ts';
import { literalWords, programOf, type Segment } from '../../shell/reading/segment.ts';
import type { Case } from '../decide/evaluation.ts';
import { forbidsPath } from '../rules/path-rule.ts';
import { speaksOfReading } from '../rules/permission-rule.ts';

interface LeavingOut {
  /** The case in which the searches of the line leave them out. */
  readonly each: Case;
  readonly command: string;
  readonly note: string;
}

/** More entries than these are not looked through. */
const MAX_ENTRIES = 5_000;
/** More names are a question. */
const MAX_NAMES = 20;

export async function leavingOut(each: Case): Promise<LeavingOut | undefined> {
  const { target } = each.subject;
  if (target.kind !== 'command' || target.language === 'sh') return undefined;
  const { segments, unseen } = await each.subject.line();
  if (unseen !== undefined) return undefined;
  let command = target.command;
  let found = false;
  const marked: Segment[] = [];
  for (const segment of segments.toReversed()) {
    const options = await optionsFor(segment, each);
    if (options === undefined || segment.at === undefined) {
      marked.unshift(segment);
      continue;
    }
    found = true;
    marked.unshift({ ...segment, leavesOut: true });
    command = `${command.slice(0, segment.at)}${options}${command.slice(segment.at)}`;
  }
  if (!found) return undefined;
  return {
    command,
    note: 'Files that a permission rule keeps from being read were left out of the search.',
    each: { ...each, subject: { ...each.subject, line: async () => ({ segments: marked }) } },
  };
}

/** With a blank in front of each; undefined: it is no such search, or it cannot be made sure. */
async function optionsFor(segment: Segment, each: Case): Promise<string | undefined> {
  const words = literalWords(segment);
  const program = programOf(segment);
  if (words === undefined || !/^(?:[ef]?grep|rg)$/.test(program)) return undefined;
  const descent = findDescent(segment, 'read');
  if (descent === undefined || descent.followsLinks || segment.inner.length > 0) return undefined;
  const denied = await deniedBelow(segment, descent, each);
  if (denied === undefined) return undefined;
  const { files, folders } = denied;
  if (program === 'rg') {
    if (words.some((word) => /^-[A-Za-z]*g|^--i?glob/.test(word))) return undefined;
    return [...folders, ...files].map((name) => ` --glob='!${name}'`).join('');
  }
  const chosen = words.filter((word) => /^--(?:in|ex)c/.test(word));
  const excluded = folders.map((name) => ` --exclude-dir='${name}'`).join('');
  if (!chosen.some((word) => !word.startsWith('--exclude-dir=')))
    return `${excluded}${files.map((name) => ` --exclude='${name}'`).join('')}`;
  // The last option that speaks of a file decides, and the first one what becomes of the others.
  const globs = chosen.map((word) => /^--include=(.+)$/.exec(word)?.[1]);
  const takesIn = globs.some(
    (glob) => glob === undefined || files.some((name) => matchesNames([glob], [name])),
  );
  return takesIn ? undefined : excluded;
}

interface Denied {
  readonly files: readonly string[];
  readonly folders: readonly string[];
}

/** The names of what rules deny below the folders of a search, if nothing else there has one of them. */
async function deniedBelow(
  { folders: places }: Segment,
  { paths, open, here }: NonNullable<ReturnType<typeof findDescent>>,
  { context, state }: Case,
): Promise<Denied | undefined> {
  if (places === undefined || open.length > 0) return undefined;
  const specifiers = state.rules
    .of('deny')
    .flatMap(({ value: { toolName, ruleContent } }) =>
      ruleContent !== undefined && speaksOfReading(toolName) ? [ruleContent] : [],
    );
  const isDenied = async (path: string) => {
    const resolved = await context.resolve(path);
    await context.steps.pause();
    for (const specifier of specifiers) if (await forbidsPath(specifier, resolved, context)) return true;
    return false;
  };
  const [files, folders, others] = [new Set<string>(), new Set<string>(), new Set<string>()];
  const starts = new Set<string>();
  for (const place of places)
    for (const path of [...paths, ...(here === 'no' ? [] : ['.'])]) {
      const { real } = await context.resolve(
        path.startsWith('/') || place === '' ? path : `${place}/${path}`,
      );
      if (real === undefined) continue;
      if (await isDenied(real)) return undefined;
      others.add(basename(path));
      if (await context.isFolder(real)) starts.add(real);
    }
  let looked = 0;
  for (const folder of starts) {
    const names = await context.entries(folder);
    looked += names?.length ?? 0;
    if (names === undefined || looked > MAX_ENTRIES) return undefined;
    for (const name of names) {
      const path = join(folder, name);
      const isFolder = await context.isFolder(path);
      if (await isDenied(path)) (isFolder ? folders : files).add(name);
      else {
        others.add(name);
        if (isFolder) starts.add(path);
      }
    }
  }
  const all = [...files, ...folders];
  const isSure = all.every((name) => /^[\w.@%+=,~ -]+$/.test(name) && !others.has(name));
  return isSure && all.length > 0 && all.length <= MAX_NAMES
    ? { files: [...files], folders: [...folders] }
    : undefined;
}
