/** What can be completed: commands and their arguments, and paths. */
import type { Candidate, CompletionSource } from './completion.ts';

/**
 * `/commands` at the beginning of the text, and what follows them on the line. `complete` gets the line up to
 * the cursor and gives whole lines.
 */
export function commandSource(complete: (line: string) => Promise<readonly Candidate[]>): CompletionSource {
  return {
    match: (before, after) =>
      /^\/[^\n]*$/.test(before) && /^(?:\s|$)/.test(after)
        ? { from: 0, query: before, isCommand: true }
        : undefined,
    find: complete,
  };
}

/** Paths relative to the working directory, the best first; folders end in a slash. */
type SuggestPaths = (query: string) => Promise<readonly string[]>;

/**
 * `@path` anywhere behind a blank, quoted when it holds blanks: `@"my notes.md"`. `named`: what else a mark
 * names; before the paths where something is written, behind them where nothing is.
 */
export function fileSource(
  suggest: SuggestPaths,
  named: (query: string) => Promise<readonly Candidate[]> = async () => [],
): CompletionSource {
  return {
    match(before) {
      const found = /(?:^|[\s(])@(?:"([^"\n]*)|([^\s"]*))$/.exec(before);
      if (found === null) return undefined;
      const written = found[1] ?? found[2] ?? '';
      const marks = found[1] === undefined ? 1 : 2;
      return { from: before.length - written.length - marks, query: written };
    },
    async find(query) {
      const [paths, others] = await Promise.all([suggest(query), named(query).catch(() => [])]);
      const files = paths.map((path) => pathCandidate(path, `@${/[\s"]/.test(path) ? `"${path}` : path}`));
      return query === '' ? [...files, ...others] : [...others, ...files];
    },
  };
}

function pathCandidate(path: string, text: string): Candidate {
  const isFolder = path.endsWith('/');
  const isQuoted = text.startsWith('@"');
  return { text: isQuoted && !isFolder ? `${text}"` : text, label: path, continues: isFolder };
}

/** In a shell command (`!`): the word before the cursor as a path, by the Tab key. */
export function shellPathSource(suggest: SuggestPaths): CompletionSource {
  return {
    match(before) {
      if (!before.startsWith('!')) return undefined;
      const word = /(?:[^\s\\]|\\.)*$/.exec(before.slice(1))?.[0] ?? '';
      return { from: before.length - word.length, query: word.replace(/\\(.)/g, '$1'), onlyByKey: true };
    },
    async find(query) {
      const paths = await suggest(query);
      return paths.map((path) => ({
        text: path.replace(/[^\w./~@%+=:,-]/g, '\\$&'),
        label: path,
        continues: path.endsWith('/'),
      }));
    },
  };
}
