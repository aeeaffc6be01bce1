/** Which files are left out: `.gitignore` and its kind, and the globs of a search. */
import {
  expandBraces,
  type IgnorePattern,
  ignorePattern,
  isLiteralName,
  matchesPath,
} from './name-pattern.ts';

interface Rule {
  readonly keeps: boolean;
  readonly pattern: IgnorePattern;
  /** Of a glob: it ends in the name of a file, as `src/.env` does, and not in a wildcard. */
  readonly isName?: boolean;
}

/** The rules of an ignore file, in its order. */
export function ignoreRules(text: string): readonly Rule[] {
  return text.split(/\r?\n/).flatMap((line) => {
    const trimmed = line.replace(/(?<!\\) +$/, '');
    if (trimmed === '' || trimmed.startsWith('#')) return [];
    const keeps = trimmed.startsWith('!');
    const pattern = ignorePattern(keeps ? trimmed.slice(1) : trimmed);
    return pattern === undefined ? [] : [{ keeps, pattern }];
  });
}

/** Globs of a search: `!` in front leaves out, all others take in. */
export function globRules(globs: readonly string[]): readonly Rule[] {
  return globs.flatMap((glob) => {
    const keeps = !glob.startsWith('!');
    return expandBraces(keeps ? glob : glob.slice(1)).flatMap((each) => {
      const pattern = ignorePattern(each);
      const isName = isLiteralName(each.split('/').at(-1) ?? '');
      return pattern === undefined ? [] : [{ keeps, pattern, isName }];
    });
  });
}

/** What the last rule says that is about this path; undefined: none is. */
export function findVerdict(
  rules: readonly Rule[],
  path: readonly string[],
  isFolder: boolean,
): 'keep' | 'leave out' | undefined {
  const rule = lastAbout(rules, path, isFolder);
  if (rule === undefined) return undefined;
  return rule.keeps ? 'keep' : 'leave out';
}

/** Whether globs ask for it by its name, so that it is searched although an ignore file leaves it out. */
export function isNamed(globs: readonly Rule[], path: readonly string[], isFolder: boolean): boolean {
  const rule = lastAbout(globs, path, isFolder);
  return rule?.keeps === true && rule.isName === true;
}

const lastAbout = (rules: readonly Rule[], path: readonly string[], isFolder: boolean) =>
  rules.findLast(({ pattern }) => matchesPath(pattern, path, isFolder));

export type Rules = readonly Rule[];
