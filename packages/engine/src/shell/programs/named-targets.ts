/**
 * The words of a command by which it may write a file that they name, for what no rule may allow: a program
 * that is not known to only read what it is given may write it.
 */
import { readingForm } from '../reading/plain-reader.ts';
import { knownWord, literalWords, programOf, type Segment, type ShellWord } from '../reading/segment.ts';
import type { TextPattern } from '../reading/text-pattern.ts';
import { wordsWritten } from './touched-words.ts';

/** What they write is known from their words alone (`pathsWritten`). */
const KNOWN =
  /^(?:tee|touch|truncate|rm|rmdir|unlink|shred|mkdir|mv|chmod|chown|chgrp|sponge|cp|ln|install|scp|rsync|dd|curl|wget|sort|uniq|find|sed)$/;
/** They show or check what they are given, and run what they start by rules of its own. */
const ONLY_READ = /^(?:ssh-add|shellcheck|yamllint|actionlint|source|\.)$/;
/** Of git, what changes nothing but the history and its names. */
const GIT_KEEPS =
  /^(?:add|stage|commit|diff|log|show|status|blame|branch|tag|push|fetch|remote|ls-files|ls-tree|rev-parse|rev-list|grep|check-ignore|check-attr|update-index|describe|cat-file|shortlog|reflog|notes|merge-base|name-rev|whatchanged)$/;
/** Their first operand is a program that they read and run. */
const INTERPRETERS =
  /^(?:python|node|nodejs|deno|bun|ruby|perl|php|lua|tsx|ts-node|Rscript|java|bash|sh|zsh|dash|uv|pipx|npx|bunx)[\d.]*$/;
/** Their first word says what they do. */
const SUBCOMMANDED = /^(?:npm|pnpm|yarn|cargo|go|make|kubectl|helm|terraform|pip3?|gh|gradlew?|mvn)$/;
const UNPACKERS = /^(?:tar|bsdtar|gtar|unzip)$/;
/** The word behind these is a file that is read. */
const READ_BEHIND = /^(?:-i|-F|--env-file|--ignore-path)$/;

export function* namedTargets(segment: Segment): Iterable<TextPattern> {
  const program = programOf(segment);
  if (KNOWN.test(program) || ONLY_READ.test(program)) return;
  if (program === 'git' && GIT_KEEPS.test(verbOf(segment))) return;
  const known = literalWords(segment);
  if (program === 'tar' && known !== undefined && !extracts(known)) return;
  if (known !== undefined && readingForm(known)?.reads === true) return;
  const read = new Set(wordsOnlyRead(segment, program));
  const rest = segment.words.filter((word) => !read.has(word));
  // Of what they unpack, the folder is what counts.
  if (UNPACKERS.test(program)) rest[0] = knownWord('unpack');
  for (const { may } of wordsWritten({ ...segment, words: rest })) yield may;
}

const verbOf = ({ words }: Segment): string =>
  words.slice(1).find(({ value }, at) => !/^-/.test(value ?? '') && words[at]?.value !== '-C')?.value ?? '';

const extracts = (words: readonly string[]): boolean =>
  words.some((word, at) => (at === 1 ? /^-?\w*x/ : /^-\w*x|^--(?:extract|get)/).test(word));

function wordsOnlyRead({ words }: Segment, program: string): readonly ShellWord[] {
  if (SUBCOMMANDED.test(program)) return words.slice(1, 2);
  const behind = /^(?:ssh|sftp|docker|podman|npx)$/.test(program)
    ? words.filter((_, at) => READ_BEHIND.test(words[at - 1]?.value ?? ''))
    : [];
  if (!INTERPRETERS.test(program)) return behind;
  const first = words.slice(1).find(({ value }) => !/^(?:-|run$|x$|exec$)/.test(value ?? ''));
  const isScript = !words.some(({ value }) => /^-(?:[a-zA-Z]*[cem])$|^--(?:eval|print)/.test(value ?? ''));
  return first !== undefined && isScript ? [...behind, first] : behind;
}
