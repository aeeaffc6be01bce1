/**
 * Runs ripgrep for Glob and Grep: arguments only, never a shell; records are read as they come, and the
 * process ends when there are enough.
 */

import { isAbsolute, relative, sep } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { type ProcessGroup, spawnGroup } from '@turnwright/base/process/process-tree.ts';
import { takeStart } from '@turnwright/base/text/cut-text.ts';
import type { ToolContext } from '../../../protocol/tools/tool.ts';
import type { SearchPlace } from './search-place.ts';

export interface RipgrepRun {
  readonly args: readonly string[];
  readonly place: Pick<SearchPlace, 'cwd' | 'input' | 'without'>;
  /** What ends a record of the output: a line break, or NUL for lists of paths. */
  readonly separator: '\n' | '\0';
  /** Called for each record, in order; `false` stops the search. A promise is awaited. */
  onRecord(record: string): boolean | Promise<boolean>;
}

export interface SearchOptions {
  /** The ripgrep binary; null: none is used. Default: that of `@vscode/ripgrep`, else `rg` on PATH. */
  readonly ripgrepPath?: string | null;
}

/** Longer records are truncated: one line may be a whole file (F83). */
const MAX_RECORD_CHARS = 64 * 1024;
const MAX_STDERR_CHARS = 4096;
const KILL_GRACE_MS = 50;

/** `.git` is excluded, hidden files are searched, ignored ones are not. */
export const SEARCHED_FILES = ['--no-config', '--hidden', '--no-messages', '--color=never'] as const;
export const WITHOUT_GIT = ['--glob', '!.git'] as const;

/** Behind what a slower search answered. */
const WITHOUT_RIPGREP =
  '\n\n(Searched without ripgrep, which is slower: it is neither installed with Turnwright nor on PATH.)';

/**
 * Returns a note for the model, usually ''. Rejects with a sentence for the model when the search fails, and
 * on abort.
 */
export async function runRipgrep(
  run: RipgrepRun,
  context: Pick<ToolContext, 'signal' | 'env'>,
  { ripgrepPath }: SearchOptions,
): Promise<string> {
  context.signal.throwIfAborted();
  const { findRipgrep } = await import('@turnwright/base/process/find-ripgrep.ts');
  const program = ripgrepPath === undefined ? await findRipgrep(context.env) : ripgrepPath;
  if (typeof program === 'string') {
    await runProgram(program, looksPastIgnored(run) ? await checked(run) : run, context);
    return '';
  }
  const { searchWithoutRipgrep } = await import('./without-ripgrep/search.ts');
  await searchWithoutRipgrep(run, context.signal);
  return WITHOUT_RIPGREP;
}

/** A glob that takes files in overrides the ignore files. */
const looksPastIgnored = ({ args, place }: RipgrepRun) =>
  place.input === undefined && args.some((arg, at) => args[at - 1] === '--glob' && !arg.startsWith('!'));

async function checked(run: RipgrepRun): Promise<RipgrepRun> {
  const { withoutIgnored } = await import('./without-ignored.ts');
  return { ...run, onRecord: await withoutIgnored(run) };
}

async function runProgram(
  program: string,
  run: RipgrepRun,
  { signal, env }: Pick<ToolContext, 'signal' | 'env'>,
): Promise<void> {
  const { cwd, input, without } = run.place;
  const group = spawnGroup(program, [...without, ...run.args], {
    cwd,
    env,
    ...(input !== undefined && { stdin: input }),
  });
  const onAbort = () => void group.end(KILL_GRACE_MS);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    const stderr = readStderr(group);
    const enough = await readRecords(group, run);
    if (enough) await group.end(KILL_GRACE_MS);
    const end = await group.ended;
    signal.throwIfAborted();
    if (end.kind === 'not_started') throw new Error(`The search could not be started: ${end.error.message}`);
    const complaint = await stderr;
    // 1: nothing matched; 2 without output on stderr: a file could not be read.
    if (!enough && end.code !== 0 && end.code !== 1 && complaint !== '')
      throw new Error(`The search failed: ${complaint}`);
    if (!enough && end.code === null) throw new Error(`The search was ended by ${end.signal}.`);
  } finally {
    signal.removeEventListener('abort', onAbort);
    await group.end(KILL_GRACE_MS);
  }
}

/** True when the reader stopped. */
async function readRecords({ stdout }: ProcessGroup, { separator, onRecord }: RipgrepRun): Promise<boolean> {
  if (stdout === undefined) return false;
  const decoder = new StringDecoder('utf8');
  let rest = '';
  let skipping = false;
  try {
    for await (const chunk of stdout) {
      const parts = decoder.write(chunk as Buffer).split(separator);
      for (const [at, part] of parts.entries()) {
        if (!skipping) rest += part;
        if (at < parts.length - 1) {
          const goesOn = onRecord(takeStart(rest, MAX_RECORD_CHARS));
          if (!(typeof goesOn === 'boolean' ? goesOn : await goesOn)) return true;
          rest = '';
          skipping = false;
        } else if (rest.length > MAX_RECORD_CHARS) {
          rest = takeStart(rest, MAX_RECORD_CHARS);
          skipping = true;
        }
      }
    }
  } catch {
    // The process was ended; its exit says why.
    return false;
  }
  rest += decoder.end();
  return rest !== '' && !(await onRecord(rest));
}

async function readStderr({ stderr }: ProcessGroup): Promise<string> {
  let text = '';
  try {
    for await (const chunk of stderr ?? []) if (text.length < MAX_STDERR_CHARS) text += String(chunk);
  } catch {
    // As above.
  }
  return takeStart(text.trim(), MAX_STDERR_CHARS);
}

/** A path for the model: relative within the working directory. */
export function shownPath(path: string, cwd: string): string {
  const short = relative(cwd, path);
  return short === '' || short.startsWith(`..${sep}`) || short === '..' || isAbsolute(short) ? path : short;
}
