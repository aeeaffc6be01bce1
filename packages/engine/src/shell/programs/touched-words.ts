/**
 * The words of a command that may be paths of files it opens: for rules that forbid, so too many rather than
 * too few. A program that is not known may open whatever it is given.
 */

import { pathsRead, readingForm } from '../reading/plain-reader.ts';
import { pathsWritten } from '../reading/plain-writer.ts';
import { beginningOf, literalWords, programOf, type Segment, type ShellWord } from '../reading/segment.ts';
import { ANY, ANYTHING, meet, type TextPattern } from '../reading/text-pattern.ts';
import { pathOfAddress } from './git-trees.ts';

export interface TouchedWord {
  readonly may: TextPattern;
  /** The command says that it opens it; otherwise it may. */
  readonly certain: boolean;
}

/** They make, remove or describe files, and read none. */
const WRITE_ONLY = /^(?:touch|mkdir|rmdir|rm|unlink|shred|truncate|chmod|chown|chgrp)$/;

/** Their operands name no files. */
const NO_FILES =
  /^(?:kill|pkill|killall|pgrep|sleep|seq|expr|test|\[|true|false|:|cd|id|exit|return|break|continue|shift|wait|umask|ulimit|nproc|hostname|export|ping|dig|host|nslookup)$/;

/** What they are given to run they hold against the rules themselves; their own operands name no files. */
const STARTERS = /^(?:xargs|find|nohup|nice|timeout|setsid|stdbuf|command|builtin|exec|sudo|doas|env|watch)$/;

const WRITERS =
  /^(?:tee|touch|truncate|rm|rmdir|unlink|shred|mkdir|mv|chmod|chown|chgrp|sponge|cp|ln|install|rsync|scp|sed|perl|ruby|dd|curl|wget|sort|uniq|find|tar|unzip|patch|split|git)$/;

/** What it may read, redirects left out: found one by one, since a line may have very many words. */
export function* wordsRead(segment: Segment): Iterable<TouchedWord> {
  const program = programOf(segment);
  if (segment.words.length === 0 || WRITE_ONLY.test(program) || NO_FILES.test(program)) return;
  const args = segment.words.slice(1);
  if (STARTERS.test(program) && segment.inner.length > 0 && program !== 'xargs' && program !== 'find') return;
  const known = literalWords(segment);
  const form = readingForm(known ?? [program, segment.words[1]?.value ?? '']);
  if (form?.words !== undefined && (known === undefined || pathsRead(known) !== undefined)) return;
  if (isScripted(program)) {
    yield* candidatesAmong(args, true);
    return;
  }
  const patterns =
    SEARCHES.test(program) && !args.some((arg) => GIVES_PATTERN.test(beginningOf(arg))) ? 1 : 0;
  const scripts = args
    .filter((arg) => !beginningOf(arg).startsWith('-'))
    .slice(0, known === undefined ? patterns : (form?.scripts ?? patterns));
  const messages = VERSIONING.test(program) ? messagesAmong(args) : [];
  const texts = new Set([...scripts, ...messages].filter(({ value }) => value !== undefined));
  const lists = TAKES_RESPONSE_FILES.test(program)
    ? /^@/
    : Object.hasOwn(LISTS, program)
      ? LISTS[program]
      : undefined;
  if (args.some((arg) => lists?.test(beginningOf(arg)))) yield ANY_FILE;
  yield* candidatesAmong(
    args.filter((word) => !texts.has(word)),
    false,
  );
}

/** The first operand is what they look for, unless an option says so. */
const SEARCHES = /^(?:[ef]?grep|rg|ag|ack)$/;
const GIVES_PATTERN = /^-[A-Za-z]*[ef]|^--(?:reg|file)/;

/** Their `-m` is a message; to `sort` it is an option without a value. */
const VERSIONING = /^(?:git|hg|svn|jj|gh)$/;

/** Options by which they read what files they open, in a file or in the input. */
const GIVES_LIST = /^--fi(?!eld)/;
const LISTS: Readonly<Record<string, RegExp>> = {
  sort: GIVES_LIST,
  wc: GIVES_LIST,
  du: GIVES_LIST,
  rsync: GIVES_LIST,
  tar: /^--files|^-\w*T/,
  curl: /^-[A-Za-z]*K|^--conf|^@/,
};

/** `@x` is a file with more of their words. */
const TAKES_RESPONSE_FILES =
  /^(?:[\w.]+-)*(?:addr2line|ar|as|c\+\+|c\+\+filt|cc|clang(?:\+\+)?|cpp|dlltool|elfedit|g\+\+|gcc|gfortran|gold|gprof|ld(?:\.\w+)?|lld|nm|objcopy|objdump|ranlib|readelf|size|strings|strip|windres|java|javac|javadoc|jar|jdeps|jlink|jpackage|kotlinc|scalac|rustc|swiftc|ghc|ldc2|dmd)(?:-[\d.]+)?$/;

/** `-m 'about .env'` */
const messagesAmong = (args: readonly ShellWord[]): readonly ShellWord[] =>
  args.filter((_, at) => /^(?:-[a-z]*m|--message|--grep|--author)$/.test(args[at - 1]?.value ?? ''));

/** Their scripts can open files. */
const isScripted = (program: string): boolean =>
  /^(?:sed|[gmn]?awk|python|perl|ruby|node|deno|bun|php|lua|osascript|ssh|su|script|expect|flock|vim?|nvim|ed|ex)[\d.]*$/.test(
    program,
  );

/** What it may write, redirects left out: found one by one, too. */
export function* wordsWritten(segment: Segment): Iterable<TouchedWord> {
  const program = programOf(segment);
  if (segment.words.length === 0 || NO_FILES.test(program)) return;
  const all = segment.words.slice(1);
  const messages = new Set(VERSIONING.test(program) ? messagesAmong(all) : []);
  const args = all.filter((word) => !messages.has(word));
  const known = literalWords(segment);
  const words = known ?? segment.words.flatMap(({ value }) => value ?? []);
  const form = readingForm(known ?? [program, segment.words[1]?.value ?? '']);
  if (form?.words !== undefined && (known === undefined ? program !== 'git' : form.reads)) return;
  for (const path of pathsWritten([program, ...words.slice(1)])) yield { may: [path], certain: true };
  if (known !== undefined && form?.reads === true) return;
  const isScript = isScripted(program);
  if (WRITERS.test(program)) {
    if (known !== undefined && !/^(?:sed|perl|ruby|git|tar|unzip|patch|split)$/.test(program)) return;
    if (program === 'git' || program === 'patch' || program === 'split' || isScript) {
      yield* unsure(candidatesAmong(args, isScript));
      return;
    }
    const open = args.filter(({ value }) => value === undefined);
    if (!DOWNLOADERS.test(program)) yield* candidatesAmong(open, false);
    else if (open.length > 0) yield ANY_FILE;
    return;
  }
  if (STARTERS.test(program) && segment.inner.length > 0) return;
  // Its options are known, and none of them writes.
  const reads = () => readingForm([program, ...words.slice(1)])?.reads === true;
  if (form !== undefined && known === undefined && !isScript && reads()) return;
  yield* unsure(candidatesAmong(args, isScript));
}

/** They name files by the ends of addresses. */
const DOWNLOADERS = /^(?:curl|wget)$/;
const ANY_FILE: TouchedWord = { may: ANYTHING, certain: false };

/** Of programs that are known to write, the words that say where and that only the shell knows. */
export function openTargets(segment: Segment): readonly TextPattern[] {
  const args = segment.words.slice(1);
  const isOpen = ({ value }: ShellWord) => value === undefined;
  const opens = (words: readonly ShellWord[]) => words.filter(isOpen).flatMap(({ may }) => [...tails(may)]);
  switch (programOf(segment)) {
    case 'tee':
    case 'touch':
    case 'truncate':
    case 'rm':
    case 'unlink':
    case 'shred':
    case 'mv':
    case 'chmod':
    case 'chown':
    case 'sponge':
    case 'dd':
      return opens(args);
    case 'cp':
    case 'ln':
    case 'install':
    case 'rsync':
    case 'scp':
      return opens(args.some((arg) => /^-\w*t|^--t/.test(beginningOf(arg))) ? args : args.slice(-1));
    case 'sed':
    case 'perl':
      return args.some((arg) => /^-\w*i|^--i/.test(beginningOf(arg))) ? opens(args) : [];
    case 'find':
      // A word that may be several may bring the option along.
      return opens(
        args.some(({ value, many, may }) => value === undefined && many && meet(may, ['-f', ANY]))
          ? args
          : args.filter((_, at) => /^-f(?:print[0f]?|ls)$/.test(args[at - 1]?.value ?? '')),
      );
    case 'sort':
    case 'curl':
    case 'wget':
    case 'git':
      return opens(
        args.filter(
          (arg, at) =>
            /^-[A-Za-z]*[oO]|^--o/.test(beginningOf(arg)) ||
            /^(?:-[A-Za-z]*[oO]|--o[a-z-]*)$/.test(args[at - 1]?.value ?? ''),
        ),
      );
    default:
      return [];
  }
}

/** No path is longer. */
const MOST_CHARS = 4096;
/** A path may begin behind each of so many signs; a word with more of them may name any file. */
const MOST_SIGNS = 64;

function* unsure(words: Iterable<TouchedWord>): Iterable<TouchedWord> {
  for (const { may } of words) yield { may, certain: false };
}

/** Of each word; what is alike is looked at once. */
function* candidatesAmong(words: readonly ShellWord[], isText: boolean): Iterable<TouchedWord> {
  const seen = new Set<string>();
  for (const word of words) {
    if (word.value !== undefined && seen.has(word.value)) continue;
    if (word.value !== undefined) seen.add(word.value);
    yield* candidates(word, isText);
  }
}

/**
 * A word itself, and what is written together with an option or a sign in front: `-fx`, `--file=x`, `@x`,
 * `HEAD:x`.
 */
function candidates({ value, may, many }: ShellWord, isText: boolean): readonly TouchedWord[] {
  if (value === undefined) {
    // In a script a gap may hold any name.
    if ((many && may === ANYTHING) || (isText && may.includes(ANY))) return [ANY_FILE];
    return [...tails(may)].map((each) => ({ may: each, certain: false }));
  }
  const found = new Set([value]);
  const address = pathOfAddress(value);
  // curl reads patterns in addresses.
  if (address !== undefined && /[[{]/.test(address)) return [ANY_FILE];
  if (address !== undefined) found.add(address);
  const signs = [...value.matchAll(/[=@:,]/g)];
  for (const { index } of signs.slice(-MOST_SIGNS))
    if (value.length - index <= MOST_CHARS) found.add(value.slice(index + 1));
  for (const piece of value.split(/[=@:,]/)) found.add(piece);
  if (/^-[^-]/.test(value))
    for (let at = 2; at < Math.min(value.length, 12); at++) found.add(value.slice(at));
  if (isText) {
    for (const piece of value.split(/[\s=@:,;'"()<>|&{}[\]`$!\\]+/)) {
      found.add(piece);
      // sed: `1r.env`
      for (const { index } of piece.matchAll(/(?<![A-Za-z._-])[rRwW]/g)) found.add(piece.slice(index + 1));
    }
  }
  found.delete('');
  const named = [...found].map((text) => ({ may: [text], certain: true }));
  return signs.length > MOST_SIGNS ? [...named, ANY_FILE] : named;
}

/** A pattern, and what is left of it behind the signs that a path may follow. */
function* tails(may: TextPattern): Iterable<TextPattern> {
  yield may;
  for (const [at, piece] of may.entries()) {
    if (typeof piece !== 'string') continue;
    for (const { index } of piece.matchAll(/[=@:,]/g)) yield [piece.slice(index + 1), ...may.slice(at + 1)];
    if (at === 0 && /^-[^-]/.test(piece)) yield [piece.slice(2), ...may.slice(1)];
  }
}
