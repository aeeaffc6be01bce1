/**
 * Names of files that one command finds, and that `xargs` or `find -exec` gives to another: with what makes
 * them safe whatever they are (`find … -type f -print0 | xargs -0 …`).
 */
import type { Command, ParsedScript, SyntaxNode } from 'unbash';
import { pathsRead } from './plain-reader.ts';
import { readWord } from './shell-word.ts';

export interface Edit {
  readonly pos: number;
  readonly end: number;
  readonly text: string;
}

export interface PipedNames {
  readonly edits: readonly Edit[];
  /** Where the name of the program ends that passes the names on. */
  readonly at: number;
  /** Commands that have to read only inside: what is started with a name, and what finds the names. */
  readonly readers: readonly (readonly string[])[];
  /** A name may be that of a link. */
  readonly mayBeLinks?: true;
}

interface Parser {
  parse(source: string): ParsedScript;
  forEachChild(node: SyntaxNode, callback: (child: SyntaxNode) => void): void;
}

/** A command whose words are known, with where they stand. */
interface Told {
  readonly words: readonly string[];
  readonly spans: readonly { readonly pos: number; readonly end: number }[];
}

interface Given {
  readonly edits: readonly Edit[];
  /** A name may begin with a dash. */
  readonly bare: boolean;
  readonly mayBeLinks?: true;
}

export function pipedNames(command: string, { parse, forEachChild }: Parser): readonly PipedNames[] {
  const found: PipedNames[] = [];
  const visit = (node: SyntaxNode): void => {
    if (node.type === 'Pipeline' && node.operators.every((operator) => operator === '|')) {
      const told = node.commands.map((each) => (each.type === 'Command' ? toldBy(each, command) : undefined));
      const at = told.findIndex((each) => each?.words[0] === 'xargs');
      const taker = told[at];
      const given = givenBy(told.slice(0, Math.max(at, 0)));
      const taken = taker && given && takenBy(taker, given);
      if (taken !== undefined) found.push(taken);
    }
    if (node.type === 'Command') {
      const executed = executedBy(toldBy(node, command));
      if (executed !== undefined) found.push(executed);
    }
    forEachChild(node, visit);
  };
  visit(parse(command));
  return found;
}

/** One `-exec` at the end, of a program that reads what it is given. */
function executedBy(told: Told | undefined): PipedNames | undefined {
  if (told?.words[0] !== 'find') return undefined;
  const { words, spans } = told;
  const at = words.indexOf('-exec');
  const span = spans[at];
  if (at < 0 || span === undefined || !/^[;+]$/.test(words.at(-1) ?? '')) return undefined;
  const started = words.slice(at + 1, -2);
  if (words.at(-2) !== '{}' || started.some((word) => word.includes('{}') || word === ';')) return undefined;
  const tests = words.slice(0, at);
  const isSafe =
    !tests.some((word) => ACTION.test(word)) && pathsRead(tests) !== undefined && isTaker(started);
  if (!isSafe) return undefined;
  const edits = [{ pos: span.pos, end: span.pos, text: '-type f ' }];
  return { at: spans[0]?.end ?? 0, readers: [tests, [...started, '.']], edits };
}

/** To it a name is nothing else: in the place of a script that is missing it would be the script. */
const isTaker = (started: readonly string[]): boolean =>
  TAKERS.test(started[0] ?? '') && (!SCRIPTED.test(started[0] ?? '') || pathsRead(started)?.length === 0);

function toldBy({ name, args, prefix, redirects }: Command, command: string): Told | undefined {
  if (name === undefined || prefix.length > 0) return undefined;
  const isSilenced = redirects.every(({ pos, end }) => /^2>\s?\/dev\/null$/.test(command.slice(pos, end)));
  const spans = [name, ...args];
  const words = spans.flatMap((word) => (word.type === 'Word' ? (readWord(word).value ?? []) : []));
  const isWritten = spans.every(({ pos, end, text }) => command.slice(pos, end) === text);
  return isSilenced && isWritten && words.length === spans.length ? { words, spans } : undefined;
}

const behind = ({ spans }: Told, at: number, text: string): Edit => {
  const end = spans.at(at)?.end ?? 0;
  return { pos: end, end, text };
};

/** What prints the names, and what leaves some of them out or sorts them. */
function givenBy(commands: readonly (Told | undefined)[]): Given | undefined {
  const [first, ...filters] = commands;
  const names = first && findNames(first);
  if (names === undefined) return undefined;
  const edits = [...names.edits];
  for (const filter of filters) {
    if (filter === undefined || !isFilter(filter.words)) return undefined;
    edits.push(behind(filter, -1, ' -z'));
  }
  return { ...names, edits };
}

/** Only those of GNU take `-z`. None of them has a file of its own, which would say other names. */
function isFilter([program = '', ...args]: readonly string[]): boolean {
  if (process.platform !== 'linux') return false;
  if (program === 'sort') return args.every((arg) => /^-[urn]+$/.test(arg));
  if (program === 'head' || program === 'tail') return /^(?:-n ?)?-?\d+$|^-n\d+$|^$/.test(args.join(' '));
  return (
    program === 'grep' && /^(?:-[vEFiwx]+ )*[^-]/.test(`${args.join(' ')}`) && listOperands(args).length === 1
  );
}

const listOperands = (args: readonly string[]) => args.filter((arg) => !/^-[vEFiwx]+$/.test(arg));

function findNames(told: Told): Given | undefined {
  const [program = '', ...args] = told.words;
  const paths = pathsRead(told.words);
  if (paths === undefined) return undefined;
  switch (program) {
    case 'find':
      return foundBy(told);
    case 'grep':
    case 'egrep':
    case 'fgrep':
      return args.some((arg) => /^-[A-Za-z]*r/.test(arg)) &&
        args.some((arg) => /^-[A-Za-z]*l|^--files-with-matches$/.test(arg)) &&
        !args.some((arg) => /^-[A-Za-z]*[cZz]|^--(?:null|count)$/.test(arg))
        ? { edits: [behind(told, 0, ' --null')], bare: paths.length === 0 }
        : undefined;
    case 'rg':
      return args.some((arg) => /^-[inwFSsP]*l$|^--files(?:-with-matches)?$/.test(arg)) &&
        !args.some((arg) =>
          /^-[A-Za-z]*[crq0]|^--(?:count|json|stats|null|quiet|type-list|replace|vimgrep)/.test(arg),
        )
        ? { edits: [behind(told, 0, ' --null')], bare: true }
        : undefined;
    case 'fd':
    case 'fdfind':
      return args.some((arg) => /^-[A-Za-z]*[t0]|^--(?:type|print0)/.test(arg))
        ? undefined
        : { edits: [behind(told, 0, ' -0 -t f')], bare: true };
    case 'git': {
      const at = told.words.indexOf('ls-files');
      return at > 0 && paths.length >= 0 && !args.some((arg) => /^-[A-Za-z]*[stz]|^--(?:stage|eol)/.test(arg))
        ? { edits: [behind(told, at, ' -z')], bare: true, mayBeLinks: true }
        : undefined;
    }
    default:
      return undefined;
  }
}

/** In front of the tests it may only stand first. */
const GLOBAL = /^-(?:maxdepth|mindepth|xdev|mount|depth|daystart)$/;
const ACTION = /^-(?:print0?|printf|ls|quit)$/;

/** Only files, so that no link leads out, and their names apart by what no name holds. */
function foundBy(told: Told): Given | undefined {
  const { words, spans } = told;
  const last = words.at(-1) ?? '';
  const isPrinted = /^-print0?$/.test(last);
  const tests = isPrinted ? words.slice(0, -1) : words;
  const types = tests.filter((_, at) => tests[at - 1] === '-type');
  if (tests.some((word) => ACTION.test(word)) || types.some((type) => type !== 'f')) return undefined;
  const edits: Edit[] = [];
  const files = ' -type f -print0';
  if (isPrinted) {
    const { pos, end } = spans.at(-1) ?? { pos: 0, end: 0 };
    edits.push({ pos, end, text: files.trim() });
  } else if (!tests.some((word) => /^(?:-o|-or|,)$/.test(word))) edits.push(behind(told, -1, files));
  else {
    let from = words.findIndex((word, at) => at > 0 && /^[-(!]/.test(word));
    while (GLOBAL.test(words[from] ?? '')) from += /^-m(?:ax|in)depth$/.test(words[from] ?? '') ? 2 : 1;
    const pos = spans[from]?.pos;
    if (pos === undefined) return undefined;
    edits.push({ pos, end: pos, text: '\\( ' }, behind(told, -1, ` \\)${files}`));
  }
  return { edits, bare: false };
}

/** Programs to which a file's name is nothing else, wherever it stands. */
const TAKERS =
  /^(?:wc|[ef]?grep|head|tail|cat|nl|tac|ls|stat|file|du|cksum|md5sum|sha(?:1|256|512)sum|basename|dirname|realpath|readlink|sed|[gmn]?awk)$/;
const SCRIPTED = /^(?:sed|[gmn]?awk)$/;

function takenBy(taker: Told, { edits, bare, mayBeLinks }: Given): PipedNames | undefined {
  const { words } = taker;
  let at = 1;
  let isZero = false;
  for (; (words[at] ?? '').startsWith('-'); at++) {
    const option = words[at] ?? '';
    if (/^-r?0r?$/.test(option)) isZero = true;
    else if (/^-[nP]$/.test(option)) at++;
    else if (!/^-(?:r|[nP]\d+)$/.test(option)) return undefined;
  }
  const started = words.slice(at);
  const program = started[0] ?? '';
  if (!isTaker(started)) return undefined;
  const isScript = /awk$/.test(program);
  return {
    at: taker.spans[0]?.end ?? 0,
    readers: [[...started, '.']],
    ...(mayBeLinks && { mayBeLinks }),
    edits: [
      ...edits,
      ...(isZero ? [] : [behind(taker, 0, ' -0')]),
      ...(bare && !isScript ? [behind(taker, -1, ' --')] : []),
    ],
  };
}
