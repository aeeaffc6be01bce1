/** Runs git for working copies: without hooks, pagers, monitors, questions and variables of the caller. */

import { childProcess } from '../node.ts';
import { codeOf } from '../text/error-text.ts';

/** What a caller says of the programs that git may find. */
export interface GitPlace {
  readonly cwd: string;
  /** Of the caller: PATH and HOME. Its GIT_ variables are left out. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Variables of git: another index, another store of objects. */
  readonly git?: Readonly<Record<string, string>> | undefined;
  readonly signal?: AbortSignal | undefined;
}

const WITHOUT_PROGRAMS = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.pager=cat',
  'submodule.recurse=false',
  'advice.addEmbeddedRepo=false',
  'core.quotePath=false',
  'gc.auto=0',
  'core.fsync=none',
].flatMap((setting) => ['-c', setting]);

const ANSWERS_NO_QUESTION = {
  GIT_TERMINAL_PROMPT: '0',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_PAGER: 'cat',
  LC_ALL: 'C',
};

const MAX_OUTPUT_BYTES = 256 * 1024 * 1024;

/** What git prints, as it is. Rejects with a sentence: what was tried, and the last line that git wrote. */
export function runGitHere(args: readonly string[], { cwd, env, git, signal }: GitPlace): Promise<string> {
  const own = Object.entries(env).filter(([name, value]) => value !== undefined && !/^GIT_/i.test(name));
  return new Promise((resolve, reject) => {
    childProcess().execFile(
      'git',
      [...WITHOUT_PROGRAMS, ...args],
      {
        cwd,
        env: { ...Object.fromEntries(own), ...ANSWERS_NO_QUESTION, ...git },
        maxBuffer: MAX_OUTPUT_BYTES,
        windowsHide: true,
        ...(signal !== undefined && { signal }),
      },
      (error, stdout, stderr) => {
        if (error === null) return resolve(stdout);
        if (signal?.aborted === true) return reject(error);
        if (codeOf(error) === 'ENOENT')
          return reject(
            new Error('git was not found: working copies are made and compared with it. Install git.'),
          );
        const said = stderr.trim().split('\n').at(-1) ?? '';
        reject(new Error(`git ${args[0]} failed in ${cwd}: ${said === '' ? error.message : said}`));
      },
    );
  });
}

/**
 * Overrides the filters that the repository's own configuration names, which would start programs of a folder
 * that may be a stranger's. Those of the user's configuration (Git LFS) run.
 */
export async function withoutRepositoryFilters(place: GitPlace): Promise<Readonly<Record<string, string>>> {
  const pattern = '^filter\\..*\\.(clean|smudge|process|required)$';
  const found = await runGitHere(
    ['config', '--local', '-z', '--name-only', '--get-regexp', pattern],
    place,
  ).catch(() => '');
  const names = [...new Set(found.split('\0').filter((name) => name !== ''))];
  return Object.fromEntries([
    ['GIT_CONFIG_COUNT', String(names.length)],
    ...names.flatMap((name, at) => [
      [`GIT_CONFIG_KEY_${at}`, name],
      [`GIT_CONFIG_VALUE_${at}`, name.endsWith('.required') ? 'false' : ''],
    ]),
  ]);
}
