/** Changes in a repository, as parts for the viewer: with line numbers and colours, one file each. */
import { execFile } from 'node:child_process';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { diffRows, type Hunk } from '@turnwright/terminal/markup/diff-rows.ts';
import type { ConversationCommandContext } from '../command-context.ts';
import { CommandMistake } from '../commands/command-type.ts';
import type { ViewPart } from '../overlay.ts';

/** Neither programs that a repository names, nor a pager, take part. */
const QUIETLY = [
  '--no-pager',
  '-c',
  'core.fsmonitor=false',
  '-c',
  'core.hooksPath=/dev/null',
  '-c',
  'core.quotePath=false',
];
const SAFELY = ['--no-ext-diff', '--no-textconv', '--no-color', '--no-renames'];
const MOST_BYTES = 32 * 1024 * 1024;
/** Of a new file, what is shown; and how many of them. */
const MOST_NEW_BYTES = 64 * 1024;
const MOST_NEW_FILES = 100;
/** More lines than this begin folded. */
const UNFOLDED_LINES = 200;

type Place = Pick<ConversationCommandContext, 'columns' | 'cwd' | 'env' | 'theme'>;

/** Against `base`: a commit, a branch, a range, `--staged`; '': the last commit, and new files too. */
export async function readChanges(base: string, place: Place): Promise<readonly ViewPart[] | undefined> {
  const { cwd, env } = place;
  const git = async (...args: readonly string[]) => {
    const options = { cwd, env: { ...env, GIT_OPTIONAL_LOCKS: '0' }, maxBuffer: MOST_BYTES };
    const { stdout } = await promisify(execFile)('git', [...QUIETLY, ...args], options);
    return stdout.trimEnd();
  };
  const root = await git('rev-parse', '--show-toplevel').catch(() => undefined);
  if (root === undefined) return undefined;
  if (base !== '') return changedParts(await namedChanges(base, git), place);
  // Before the first commit there is no HEAD.
  const changed = await git('diff', ...SAFELY, 'HEAD').catch(() => git('diff', ...SAFELY));
  const added = await git('ls-files', '--others', '--exclude-standard', '-z', '--', root);
  const names = added.split('\0').filter(Boolean);
  const fresh = await Promise.all(names.slice(0, MOST_NEW_FILES).map((name) => newPart(name, place)));
  const left = names.length - fresh.length;
  const more = left <= 0 ? [] : [{ heading: `… ${left} more new files`, lines: [] }];
  return [...changedParts(changed, place), ...fresh, ...more];
}

async function namedChanges(
  base: string,
  git: (...args: readonly string[]) => Promise<string>,
): Promise<string> {
  const isStaged = base === '--staged' || base === '--cached';
  if (base.startsWith('-') && !isStaged)
    throw new CommandMistake(`/diff takes a commit, a branch, a range or --staged, not ${base}.`);
  try {
    return await git('diff', ...SAFELY, ...(isStaged ? ['--cached'] : ['--end-of-options', base]), '--');
  } catch {
    throw new CommandMistake(`git knows no commit, branch or range "${base}".`);
  }
}

function changedParts(text: string, place: Place): readonly ViewPart[] {
  if (text === '') return [];
  return text.split(/^(?=diff --git )/m).map((file) => {
    const lines = file.trimEnd().split('\n');
    const first = lines.findIndex((line) => line.startsWith('@@ '));
    const head = first < 0 ? lines : lines.slice(0, first);
    const hunks = first < 0 ? [] : readHunks(lines.slice(first));
    // Modes, and files that are no text.
    const facts = head.filter((line) => /^(?:old mode|new mode|deleted|new file|Binary)/.test(line));
    return part(nameOf(head), hunks, facts, place);
  });
}

function nameOf(head: readonly string[]): string {
  const named = [/^\+\+\+ b\/(.*)$/, /^--- a\/(.*)$/].flatMap((mark) =>
    head.flatMap((line) => mark.exec(line)?.[1] ?? []),
  );
  return (named[0] ?? head[0]?.replace(/^diff --git a\/.* b\//, '') ?? '').replace(/\t$/, '');
}

function readHunks(lines: readonly string[]): readonly Hunk[] {
  const hunks: { oldStart: number; newStart: number; lines: string[] }[] = [];
  for (const line of lines) {
    const [, before, after] = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(line) ?? [];
    if (before !== undefined) hunks.push({ oldStart: Number(before), newStart: Number(after), lines: [] });
    else hunks.at(-1)?.lines.push(line);
  }
  return hunks;
}

function part(
  name: string,
  hunks: readonly Hunk[],
  facts: readonly string[],
  { columns, theme }: Place,
): ViewPart {
  const all = hunks.flatMap((hunk) => hunk.lines);
  const count = (sign: string) => all.filter((line) => line.startsWith(sign)).length;
  return {
    heading: `${name}  +${count('+')} −${count('-')}`,
    lines: [...facts.map((fact) => theme.dim(fact)), ...diffRows(hunks, columns - 4, theme)],
    folded: all.length > UNFOLDED_LINES,
  };
}

/** All of it is new. */
async function newPart(name: string, place: Place): Promise<ViewPart> {
  const bytes = await readStart(join(place.cwd, name)).catch(() => undefined);
  if (bytes === undefined || bytes.includes(0)) return { heading: `${name}  new`, lines: [] };
  if (bytes.length === 0) return part(name, [], ['new file, empty'], place);
  const lines = bytes.toString('utf8').replace(/\n$/, '').split('\n');
  const hunk = { oldStart: 0, newStart: 1, lines: lines.map((line) => `+${line}`) };
  const facts = bytes.length === MOST_NEW_BYTES ? ['new file, its beginning'] : ['new file'];
  return part(name, [hunk], facts, place);
}

/** Not through a link, nor from what is no file. */
async function readStart(path: string): Promise<Buffer> {
  const { constants } = await import('node:fs');
  const file = await open(
    path,
    constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0),
  );
  try {
    if (!(await file.stat()).isFile()) throw new Error('no file');
    const buffer = Buffer.alloc(MOST_NEW_BYTES);
    const { bytesRead } = await file.read(buffer, 0, MOST_NEW_BYTES, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
