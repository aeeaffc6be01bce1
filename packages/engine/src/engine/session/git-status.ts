/** The system context: a few lines about the working copy, of limited length; '' if there is none. */
import { join } from 'node:path';
import {
  findGitFolder,
  type GitFolder,
  type GitHead,
  readConfigFile,
  readHead,
  readSmallFile,
} from '@turnwright/base/files/git-folder.ts';
import { makeTemporaryFolder } from '@turnwright/base/files/temporary-folder.ts';
import { childProcess } from '@turnwright/base/node.ts';
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';

const LIMIT_MS = 2_000;
const MAX_CHARS = 2_000;

interface GitStatusParts {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly files: PersistentFiles;
  /** false: no program is started, and only branch and commit are reported. */
  readonly isTrusted: boolean;
}

export async function gitStatus(parts: GitStatusParts, signal: AbortSignal): Promise<string> {
  const { cwd, files, isTrusted } = parts;
  const git = await findGitFolder(cwd, files);
  const head = git && (await readHead(git, files));
  if (git === undefined || head === undefined) return '';
  const { branch = 'HEAD', commit } = head;
  const lines = [
    'The working copy as it was when the session began; it is not updated.',
    `Branch: ${branch}`,
  ];
  if (isTrusted) lines.push(...(await readChanges(git, head, parts, signal)));
  else if (commit !== undefined) lines.push(`Commit: ${commit.slice(0, 12)}`);
  return `# Git\n${lines.join('\n')}`;
}

/** [] if git is not installed, fails or is too slow. */
async function readChanges(
  git: GitFolder,
  head: GitHead,
  { cwd, env, files }: GitStatusParts,
  signal: AbortSignal,
): Promise<readonly string[]> {
  let folder: string | undefined;
  try {
    folder = await makeTemporaryFolder('turnwright-git');
    await layOut(folder, git, head, files);
    const options = { cwd, env: { ...withoutGit(env), ...buildGitEnvironment(folder, git) }, signal };
    const [status, log] = await Promise.all([
      run(['status', '--porcelain=v1', '--untracked-files=normal', '--ignore-submodules=all'], options),
      run(['log', '--oneline', '--no-decorate', '--no-show-signature', '-n', '5'], options),
    ]);
    return [
      ...(status === undefined ? [] : [`Changes:\n${status === '' ? '(none)' : bounded(status)}`]),
      ...(log === undefined || log === '' ? [] : [`Last commits:\n${bounded(log)}`]),
    ];
  } catch {
    return []; // no temporary files can be created
  } finally {
    if (folder !== undefined) await files.removeTree(folder).catch(() => undefined);
  }
}

/**
 * A temporary repository folder with the objects and the index of the real one: git then reads no
 * configuration of the repository, which could start a filter, a hook, a monitor or a pager, contact a
 * remote, or name another folder.
 */
async function layOut(
  folder: string,
  { common }: GitFolder,
  { commit }: GitHead,
  files: PersistentFiles,
): Promise<void> {
  const write = (name: string, text: string) => files.createExclusive(join(folder, name), text, 0o600);
  const excluded = await readSmallFile(join(common, 'info', 'exclude'), MAX_EXCLUDE_BYTES, files);
  await Promise.all(['objects', 'refs', 'info'].map((name) => files.makeDir(join(folder, name))));
  await Promise.all([
    write('HEAD', `${commit ?? 'ref: refs/heads/none'}\n`),
    write('config', configFor(commit, (await readConfigFile(common, files)) ?? '')),
    ...(excluded === undefined ? [] : [write('info/exclude', excluded)]),
  ]);
}

const MAX_EXCLUDE_BYTES = 64 * 1024;

/** Settings that decide how files are compared with the index. None of them names a program or a path. */
const COMPARING =
  /^\s*(filemode|ignorecase|symlinks|precomposeunicode|trustctime|checkstat|autocrlf|eol)\s*=\s*(true|false|input|lf|crlf|native|minimal|default)\s*$/gim;

function configFor(commit: string | undefined, theirs: string): string {
  const isSha256 = commit?.length === 64;
  const comparing = [...theirs.matchAll(COMPARING)].map(([, key, value]) => `\t${key} = ${value}`);
  return [
    '[core]',
    `\trepositoryformatversion = ${isSha256 ? 1 : 0}`,
    '\tbare = false',
    ...comparing,
    ...(isSha256 ? ['[extensions]', '\tobjectformat = sha256'] : []),
    '',
  ].join('\n');
}

/** Overrides settings of the user's own configuration that would start a program. */
const SAFE = [
  'core.fsmonitor=false',
  'core.hooksPath=/dev/null',
  'core.pager=cat',
  'log.showSignature=false',
  'submodule.recurse=false',
].flatMap((setting) => ['-c', setting]);

function buildGitEnvironment(folder: string, { root, own, common }: GitFolder): Record<string, string> {
  return {
    GIT_DIR: folder,
    GIT_WORK_TREE: root,
    GIT_INDEX_FILE: join(own, 'index'),
    GIT_OBJECT_DIRECTORY: join(common, 'objects'),
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: 'none',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_PAGER: 'cat',
  };
}

/** Without the GIT_ variables of the caller, which may be meant for another repository. */
function withoutGit(env: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/^GIT_/i.test(name)));
}

function bounded(text: string): string {
  if (text.length <= MAX_CHARS) return text;
  return `${text.slice(0, text.lastIndexOf('\n', MAX_CHARS))}\n… (more; run git status for all of it)`;
}

/** undefined: git failed, was too slow, or is not installed. */
function run(
  args: readonly string[],
  options: {
    readonly cwd: string;
    readonly env: Readonly<Record<string, string>>;
    readonly signal: AbortSignal;
  },
): Promise<string | undefined> {
  return new Promise((resolve) => {
    try {
      const limits = { timeout: LIMIT_MS, maxBuffer: 1 << 20, windowsHide: true };
      childProcess().execFile('git', [...SAFE, ...args], { ...options, ...limits }, (error, stdout) =>
        resolve(error === null ? stdout.trimEnd() : undefined),
      );
    } catch {
      resolve(undefined);
    }
  });
}
