/**
 * A shell command with placeholders for untrusted text: the argument of a command file, the folder of a
 * plugin. The text reaches the shell in variables, so that no quote, bracket or line break in it is ever
 * read as program. What judges and shows the command sees the text itself, in quotes.
 */

import type { Span } from '../reading/parser-guard.ts';
import { whyUnreadable } from '../reading/parser-guard.ts';
import { readSegments } from '../reading/read-segments.ts';
import { type CommandLine, everySegment, programOf } from '../reading/segment.ts';
import { placesIn, type QuotingPlace } from './quoting-places.ts';
import { findRoles, type Role } from './roles.ts';

type CommandPiece = string | ForeignText;

interface ForeignText {
  /** The value within quotes, or where a shell takes one word. */
  readonly text: string;
  /** The values without quotes: each is one word, whatever it holds; an empty list is nothing. */
  readonly words: readonly string[];
  /** May be (the beginning of) the name of a program: a folder that the command's own file comes from. */
  readonly namesProgram?: boolean;
}

export type FilledCommand =
  | {
      readonly ok: true;
      /** With the text in quotes, for rules, hooks and people. */
      readonly shown: string;
      /** With variables in its place; this is what runs. */
      readonly text: string;
      /** Their values. */
      readonly variables: Readonly<Record<string, string>>;
    }
  /** A sentence. */
  | { readonly ok: false; readonly why: string };

interface Mark {
  readonly name: string;
  readonly span: Span;
  readonly piece: ForeignText;
}

/** An operating system passes no longer variables. */
const MAX_CHARS = 100_000;
/** Text that every shell reads as one word and nothing else. */
const PLAIN = /^[\w./:@%+,=-]*$/;
const PLAIN_WORDS = /^[\w./:@%+,=-]*(?: [\w./:@%+,=-]+)*$/;
/** What other languages read as a word at most. */
const WORD = /^[\w.-]*$/;
/** Why the reading of a command knows only a part of it. */
const INCOMPLETE = /more than|within scripts|too deeply/;

/** `pieces`: the command as its author wrote it, and the text that was handed over, in order. */
export async function fillCommand(pieces: readonly CommandPiece[]): Promise<FilledCommand> {
  const foreign = pieces.flatMap((piece) => (typeof piece === 'string' ? [] : [piece]));
  if (foreign.length === 0) {
    const text = pieces.join('');
    return { ok: true, shown: text, text, variables: {} };
  }
  if (foreign.some(({ text }) => text.includes('\0'))) return refused('it holds a NUL character');
  if (foreign.some(({ text }) => text.length > MAX_CHARS))
    return refused(`it is longer than ${MAX_CHARS} characters`);
  const parser = await import('unbash');
  const { template, marks } = withMarks(pieces);
  const before = readSegments(template, parser);
  const isRead = whyUnreadable(template) === undefined && !INCOMPLETE.test(before.unseen ?? '');
  const places = isRead
    ? placesIn(
        template,
        marks.map(({ span }) => span),
        parser,
      )
    : [];
  const roles = findRoles(
    everySegment(before.segments),
    marks.map(({ name }) => name),
  );
  const variables: Record<string, string> = {};
  let shown = '';
  let text = '';
  let at = 0;
  for (const [i, mark] of marks.entries()) {
    const place = places[i] ?? 'unknown';
    const why = whyNot(mark.piece, place, roles.get(mark.name));
    if (why !== undefined) return refused(why);
    const lead = template.slice(at, mark.span.pos);
    at = mark.span.end;
    shown += lead + shownAs(mark.piece, place);
    text += lead + runAs(mark, place, variables);
  }
  shown += template.slice(at);
  text += template.slice(at);
  const inWords = places.some((place) => place !== 'document');
  const steers =
    whyUnreadable(shown) === undefined
      ? listPrograms(before, marks, inWords) !== listPrograms(readSegments(shown, parser), [], inWords)
      : marks.some(({ piece: { words } }) => words.length > 1 || words[0]?.startsWith('-') === true);
  return steers ? refused('it may have another program run') : { ok: true, shown, text, variables };
}

const refused = (why: string): FilledCommand => ({
  ok: false,
  why: `What it was given cannot be filled in: ${why}.`,
});

/** The command with a word of our own in each place. */
function withMarks(pieces: readonly CommandPiece[]): {
  readonly template: string;
  readonly marks: readonly Mark[];
} {
  let prefix = 'TURNWRIGHT_ARGUMENT_';
  while (pieces.some((piece) => typeof piece === 'string' && piece.includes(prefix))) prefix = `X${prefix}`;
  let template = '';
  const marks: Mark[] = [];
  for (const piece of pieces) {
    if (typeof piece === 'string') {
      template += piece;
      continue;
    }
    const name = `${prefix}${marks.length}_`;
    marks.push({ name, piece, span: { pos: template.length, end: template.length + name.length } });
    template += name;
  }
  return { template, marks };
}

function whyNot(
  { text, namesProgram = false }: ForeignText,
  place: QuotingPlace,
  role: Role | undefined,
): string | undefined {
  switch (role) {
    case 'name':
      return namesProgram ? undefined : 'it would be the name of a program';
    case 'named':
      if (!namesProgram && !WORD.test(text)) return 'it would be a part of the name of a program';
      break;
    case 'script':
      if (!PLAIN_WORDS.test(text)) return 'another shell would read it as program';
      break;
    case 'language':
      if (!(namesProgram ? PLAIN : WORD).test(text)) return 'another program would read it as program';
      break;
    case undefined:
      break;
  }
  if (place === 'unknown' && !PLAIN.test(text)) return 'the shell would do more there than pass it on';
  return undefined;
}

/** The text in quotes that fit the place. */
function shownAs({ text, words }: ForeignText, place: QuotingPlace): string {
  switch (place) {
    case 'bare':
      return words.map(quoted).join(' ');
    case 'word':
      return quoted(text);
    case 'double':
      return UNUSUAL.test(text) || /[\\"$`]/.test(text) ? `"${quoted(text)}"` : text;
    case 'single':
      return UNUSUAL.test(text) ? `'${quoted(text)}'` : text.replaceAll("'", "'\\''");
    case 'ansi':
      return `'${quoted(text)}$'`;
    case 'document':
      return text.replace(/[\\$`]/g, '\\$&');
    case 'unknown':
      return text;
  }
}

/** Variables in quotes that fit the place. */
function runAs(
  { name, piece: { text, words } }: Mark,
  place: QuotingPlace,
  variables: Record<string, string>,
): string {
  const variable = (value: string, of = name): string => {
    variables[of] = value;
    return `\${${of}}`;
  };
  switch (place) {
    case 'bare':
      return words.map((word, i) => `"${variable(word, `${name}${i}`)}"`).join(' ');
    case 'word':
      return `"${variable(text)}"`;
    case 'double':
    case 'document':
      return variable(text);
    case 'single':
      return `'"${variable(text)}"'`;
    case 'ansi':
      return `'"${variable(text)}"$'`;
    case 'unknown':
      return text;
  }
}

/** Characters that people do not see, or not as they are. */
const UNUSUAL = /[^\P{C}\t\n]|\p{Zl}|\p{Zp}|[^\P{Zs} ]|\p{Default_Ignorable_Code_Point}/u;

function quoted(word: string): string {
  if (word !== '' && PLAIN.test(word)) return word;
  if (!UNUSUAL.test(word)) return `'${word.replaceAll("'", "'\\''")}'`;
  const escaped = [...word].map((char) => {
    if (char === "'" || char === '\\') return `\\${char}`;
    if (char === '\n') return '\\n';
    return UNUSUAL.test(char) ? inBytes(char) : char;
  });
  return `$'${escaped.join('')}'`;
}

/** Works in every locale. */
const inBytes = (char: string): string =>
  [...Buffer.from(char)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('');

/**
 * Which programs run, in order. `marks`: the placeholders in their names. `inWords`: values are words, which
 * may be options.
 */
function listPrograms({ segments, unseen }: CommandLine, marks: readonly Mark[], inWords: boolean): string {
  const names = everySegment(segments).map((segment) => {
    let name = programOf(segment);
    for (const { name: mark, piece } of marks) name = name.replaceAll(mark, piece.text);
    return name;
  });
  return JSON.stringify([names, inWords && unseen !== undefined]);
}
