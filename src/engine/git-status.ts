/** The system context: a few bounded lines on the working copy, or '' where there is none, or no git. */
import { execFile } from 'node:child_process';

const LIMIT_MS = 2_000;
const MAX_CHARS = 2_000;

/** A repository must not run programs of its own while it is looked at. */
const SAFE = [
  '-c',
  'core.fsmonitor=false',
  '-c',
  'core.hooksPath=/dev/null',
  '-c',
  'core.pager=cat',
  '--no-optional-locks',
];

export async function gitStatus(
  cwd: string,
  env: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<string> {
  const git = (...args: string[]) => run('git', [...SAFE, ...args], cwd, env, signal);
  const [branch, status, log] = await Promise.all([
    git('rev-parse', '--abbrev-ref', 'HEAD'),
    git('status', '--porcelain=v1', '--untracked-files=normal', '--ignore-submodules=all'),
    git('log', '--oneline', '--no-decorate', '--no-show-signature', '-n', '5'),
  ]);
  if (branch === undefined) return '';
  const parts = [
    `The working copy as it was when the session began; it is not updated.`,
    `Branch: ${branch}`,
    `Changes:\n${status === undefined || status === '' ? '(none)' : bounded(status)}`,
    ...(log === undefined || log === '' ? [] : [`Last commits:\n${bounded(log)}`]),
  ];
  return `# Git\n${parts.join('\n')}`;
}

function bounded(text: string): string {
  if (text.length <= MAX_CHARS) return text;
  return `${text.slice(0, text.lastIndexOf('\n', MAX_CHARS))}\n… (more; run git status for all of it)`;
}

/** undefined: it failed, was too slow, or there is no such program. */
function run(
  program: string,
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    try {
      const options = { cwd, env, signal, timeout: LIMIT_MS, maxBuffer: 1 << 20, windowsHide: true };
      execFile(program, args, options, (error, stdout) =>
        resolve(error === null ? stdout.trim() : undefined),
      );
    } catch {
      resolve(undefined);
    }
  });
}
