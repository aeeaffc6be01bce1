/** Which files a repository ignores. git is not started: the folder may not be trusted. */
import { join, relative, sep } from 'node:path';
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import { findVerdict, ignoreRules, type Rules } from '@turnwright/base/search/ignore-rules.ts';

export function createIgnored(root: string, files: Pick<PersistentFiles, 'readFile'>) {
  const read = new Map<string, Promise<Rules>>();
  const rulesOf = (file: string): Promise<Rules> => {
    const rules =
      read.get(file) ??
      files.readFile(file).then(
        (bytes) => ignoreRules(new TextDecoder().decode(bytes)),
        () => [],
      );
    read.set(file, rules);
    return rules;
  };
  /** Whether what lies at `segments` is left out; the deepest file that says something decides. */
  const isLeftOut = async (segments: readonly string[], isFolder: boolean): Promise<boolean> => {
    let verdict = findVerdict(await rulesOf(join(root, '.git', 'info', 'exclude')), segments, isFolder);
    for (let depth = 0; depth < segments.length; depth += 1) {
      const rules = await rulesOf(join(root, ...segments.slice(0, depth), '.gitignore'));
      verdict = findVerdict(rules, segments.slice(depth), isFolder) ?? verdict;
    }
    return verdict === 'leave out';
  };
  return async (path: string): Promise<boolean> => {
    const segments = relative(root, path).split(sep);
    if (segments[0] === '..' || segments[0] === '') return false;
    for (let length = 1; length <= segments.length; length += 1)
      if (await isLeftOut(segments.slice(0, length), length < segments.length)) return true;
    return false;
  };
}
