import type { Assignment, Command, For, ParsedScript, Redirection, SyntaxNode } from 'unbash';
import { unwrap } from '../programs/unwrap.ts';
import { coversSubstitutions, goesOnBehind, type Span, whyUnreadable } from './guard.ts';
import { differsInPosix, looksLikeBash } from './posix-reading.ts';
import {
  type CommandLine,
  type RedirectTarget,
  type Segment,
  type ShellLanguage,
  type ShellWord,
  wordsFromElsewhere,
} from './segment.ts';
import { type KnownVariables, readWord } from './shell-word.ts';
import { ANYTHING, type TextPattern } from './text-pattern.ts';
import { whyUnseen } from './unseen-node.ts';
import { isHarmlessAssignment } from './variables.ts';

interface Parser {
  parse(source: string): ParsedScript;
  forEachChild(node: SyntaxNode, callback: (child: SyntaxNode) => void): void;
}

/** More commands, places, or scripts within scripts than this are not followed. */
const MAX_COMMANDS = 200;
const MAX_FOLDERS = 8;
const MAX_SCRIPTS = 5;

const NOT_POSIX = 'sh may read it differently than bash does';

/** The simple commands of a line, those in substitutions included. */
export function readSegments(
  command: string,
  { parse, forEachChild }: Parser,
  language: ShellLanguage = 'bash',
): CommandLine {
  let segments: Segment[] = [];
  let unseen: string | undefined;
  let folders: readonly string[] | undefined = [''];
  let variables: KnownVariables = new Map();
  let loops = 0;
  let scripts = 0;
  let commands = 0;
  /** `word`: what of the line is the reason. */
  const hide = (reason: string, word?: string) => {
    unseen ??= word === undefined ? reason : `${reason}: ${shown(word)}`;
  };

  /** Each script has its own text, and positions in it. */
  const readScript = (text: string, language: ShellLanguage) => {
    const odd = whyUnreadable(text);
    if (odd !== undefined || ++scripts > MAX_SCRIPTS) return hide(odd ?? 'it holds scripts within scripts');
    const substitutions: Span[] = [];
    const inert: Span[] = [];
    const hereDocEnds: number[] = [];
    let arithmetic = false;
    const outer = variables;
    variables = new Map();
    const posix = language === 'sh';

    const visit = (node: SyntaxNode): void => {
      const why = whyUnseen(node);
      if (why !== undefined) hide(why, node.type === 'Script' ? undefined : text.slice(node.pos, node.end));
      if (posix && differsInPosix(node, text)) hide(NOT_POSIX, text.slice(node.pos, node.end));
      switch (node.type) {
        case 'Command':
          addCommand(node, text);
          break;
        case 'Redirected':
          add({
            text: writtenRedirects(node.redirects, text),
            words: [],
            redirects: targetsOf(node.redirects, variables),
          });
          break;
        case 'ProcessSubstitution':
          if (/[^\s;&|(<>]/.test(`${text[node.pos - 1] ?? ''}${text[node.end]?.replace(')', '') ?? ''}`))
            hide('a process substitution is part of a word', text.slice(node.pos, node.end));
          substitutions.push(node);
          break;
        case 'CommandExpansion':
          substitutions.push(node);
          break;
        case 'ArithmeticExpansion':
          substitutions.push(node);
          arithmetic = true;
          break;
        case 'SingleQuoted':
          inert.push(node);
          break;
        case 'HereDoc':
          if (node.delimiter?.quoted === true) inert.push(node.body);
          if (node.closing !== undefined) hereDocEnds.push(node.closing.end);
          break;
        case 'For':
          visitFor(node);
          return;
        default:
          break;
      }
      const looping = /^(?:Select|While|ArithmeticFor)$/.test(node.type);
      if (looping) loops++;
      forEachChild(node, visit);
      if (looping) loops--;
    };

    /** In its body the variable is one of the words, unless something else sets it too. */
    const visitFor = (node: For): void => {
      const { name, wordlist } = node;
      const words = wordlist?.map((word) => readWord(word, variables)) ?? [];
      const held =
        wordlist === undefined || name.text === '_' || setTwice(script, name.text)
          ? undefined
          : oneOfWords(words);
      const before = variables;
      loops++;
      visit(name);
      for (const word of wordlist ?? []) visit(word);
      if (held !== undefined) variables = new Map([...before, [name.text, held]]);
      visit(node.body);
      variables = before;
      loops--;
    };

    /** How often the script sets each name: a loop once, everything else twice. */
    let settings: Map<string, number> | undefined;
    const setTwice = (script: SyntaxNode, name: string): boolean => {
      settings ??= settingsIn(script);
      return (settings.get(name) ?? 0) > 1;
    };

    const settingsIn = (script: SyntaxNode): Map<string, number> => {
      const times = new Map<string, number>();
      const count = (each: SyntaxNode) => {
        const add = (name: string, more: number) => times.set(name, (times.get(name) ?? 0) + more);
        if (each.type === 'For' || each.type === 'Select') add(each.name.text, 1);
        if (each.type === 'Assignment' && each.name !== undefined) add(each.name, 2);
        if (each.type === 'ParameterExpansion' && each.operation !== undefined) add(each.parameter, 2);
        forEachChild(each, count);
      };
      count(script);
      return times;
    };

    const script = parse(text);
    if (posix && looksLikeBash(text)) hide(NOT_POSIX);
    visit(script);
    variables = outer;
    if (goesOnBehind(hereDocEnds, substitutions, text))
      hide('more follows a here-document in a substitution');
    if (!coversSubstitutions(text, substitutions, inert))
      hide('it holds a substitution that is not understood');
    if (arithmetic && substitutions.some(({ pos }) => !text.startsWith('$((', pos)))
      hide('it mixes arithmetic and substitutions');
  };

  const addCommand = (node: Command, text: string) => {
    const args = node.args.map((arg) =>
      arg.type === 'Word' ? readWord(arg, variables) : { ...wordsFromElsewhere(arg.text), many: false },
    );
    const words = node.name === undefined ? [] : [readWord(node.name, variables), ...args];
    const assigned = node.prefix.filter((each) => each.type === 'Assignment');
    const assigns = assigned.find((each) => !isHarmless(each));
    const end = node.name?.end ?? 0;
    add({
      text: text.slice(node.pos, node.end),
      ...(text === command && text.slice(node.name?.pos, end) === node.name?.text && { at: end }),
      words,
      ...(assigns !== undefined && { assigns: assigns.text }),
      redirects: targetsOf(node.redirects, variables),
      fed: textFed(node.redirects),
    });
  };

  const add = (
    command: Pick<Segment, 'at' | 'text' | 'words' | 'assigns' | 'redirects' | 'fed' | 'fedWords'>,
  ) => {
    if (++commands > MAX_COMMANDS) return hide(`it holds more than ${MAX_COMMANDS} commands`);
    const here = folders;
    const inner = innerOf(command.words);
    segments.push({ ...command, folders: here, inner: inner.segments, transparent: inner.transparent });
    if (command.words[0]?.value === 'cd') changeFolder(command.words);
  };

  const innerOf = (words: readonly ShellWord[]) => {
    if (words.length > 0 && words[0]?.value === undefined)
      hide('the name of a program is not written out', words[0]?.text);
    const wrapped = unwrap(words);
    if (wrapped.kind === 'unseen') hide(wrapped.reason);
    if (wrapped.kind === 'nothing' || wrapped.kind === 'unseen') return { segments: [], transparent: false };
    const outer = segments;
    segments = [];
    const from = folders;
    if (wrapped.elsewhere !== undefined) folders = foldersBelow(wrapped.elsewhere.path);
    if (wrapped.kind === 'script') readScript(wrapped.text, wrapped.language);
    else {
      const fed = wrapped.fedWords && { fedWords: wrapped.fedWords };
      for (const command of wrapped.commands) add({ words: command, redirects: [], ...fed });
    }
    if (wrapped.elsewhere !== undefined) folders = from;
    const inner = segments;
    segments = outer;
    return { segments: inner, transparent: wrapped.transparent };
  };

  const foldersBelow = (path: string | undefined): readonly string[] | undefined =>
    path === undefined
      ? undefined
      : folders?.map((from) => (path.startsWith('/') || from === '' ? path : `${from}/${path}`));

  /** A `cd` may fail, or happen in a subshell: what follows may run in the old place or the new one. */
  const changeFolder = ([, target, ...more]: readonly ShellWord[]) => {
    const path = target?.value;
    if (loops > 0) hide('it changes the folder in a loop', `cd ${target?.text ?? ''}`.trim());
    if (
      folders === undefined ||
      path === undefined ||
      more.length > 0 ||
      path === '' ||
      path.startsWith('-')
    ) {
      folders = undefined;
      return;
    }
    const all = [...new Set([...folders, ...(foldersBelow(path) ?? [])])];
    folders = all.length > MAX_FOLDERS ? undefined : all;
  };

  try {
    readScript(command, language);
  } catch {
    hide('it is nested too deeply');
  }
  return { segments, ...(unseen === undefined ? {} : { unseen }) };
}

const MOST_SHOWN = 60;

function shown(word: string): string {
  const cut = word.length > MOST_SHOWN ? `${word.slice(0, MOST_SHOWN)}…` : word;
  return JSON.stringify(cut);
}

function isHarmless({ name, value, append, index }: Assignment): boolean {
  if (name === undefined || append === true || index !== undefined || value?.type === 'ArrayValue')
    return false;
  return isHarmlessAssignment(name, value === undefined ? '' : readWord(value).value);
}

/** The redirects of a compound command, which has commands of its own. */
function writtenRedirects(redirects: readonly Redirection[], text: string): string {
  return redirects.map(({ pos, end }) => text.slice(pos, end)).join(' ');
}

/** What here-documents and here-strings give it to read. */
function textFed(redirects: readonly Redirection[]): string {
  return redirects
    .map((redirect) => {
      if (redirect.type === 'HereDoc') return redirect.body.text;
      return redirect.type === 'HereString' ? (redirect.target?.text ?? '') : '';
    })
    .join('\n');
}

/** What a word is that is one of these. */
function oneOfWords(words: readonly ShellWord[]): TextPattern | undefined {
  const values = words.flatMap(({ value }) => value ?? []);
  if (values.length === words.length) return [{ oneOf: values }];
  return words.length === 1 ? words[0]?.may : undefined;
}

function targetsOf(redirects: readonly Redirection[], variables: KnownVariables): readonly RedirectTarget[] {
  return redirects.flatMap((redirect): readonly RedirectTarget[] => {
    if (redirect.type !== 'Redirect') return [];
    const word = redirect.target === undefined ? undefined : readWord(redirect.target, variables);
    const path = word?.value;
    const may = word?.may ?? ANYTHING;
    switch (redirect.operator) {
      case '<':
        return [{ direction: 'read', path, may }];
      case '<>':
        return [
          { direction: 'read', path, may },
          { direction: 'write', path, may },
        ];
      case '<&':
      case '>&':
        // A number is a descriptor, which opens nothing.
        return path !== undefined && /^(?:\d+-?|-)$/.test(path) ? [] : [{ direction: 'write', path, may }];
      default:
        return [{ direction: 'write', path, may }];
    }
  });
}
