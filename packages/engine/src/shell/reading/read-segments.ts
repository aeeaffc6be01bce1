import type { Assignment, Command, Redirection } from 'unbash';
import { unwrap } from '../programs/unwrap.ts';
import { whyUnreadable } from './parser-guard.ts';
import { type EnclosingLine, type Parser, ScriptReader } from './read-script.ts';
import {
  type CommandLine,
  type RedirectTarget,
  type Segment,
  type ShellLanguage,
  type ShellWord,
  wordsFromElsewhere,
} from './segment.ts';
import { type KnownVariables, readWord } from './shell-word.ts';
import { ANYTHING } from './text-pattern.ts';
import { isHarmlessAssignment } from './variables.ts';

/** More commands, places, or scripts within scripts than this are not followed. */
const MAX_COMMANDS = 200;
const MAX_FOLDERS = 8;
const MAX_SCRIPTS = 5;

/** The simple commands of a line, those in substitutions included. */
export function readSegments(command: string, parser: Parser, language: ShellLanguage = 'bash'): CommandLine {
  return new LineReader(command, parser).read(language);
}

type FoundCommand = Pick<Segment, 'at' | 'text' | 'words' | 'assigns' | 'redirects' | 'fed' | 'fedWords'>;

class LineReader implements EnclosingLine {
  readonly #command: string;
  readonly #parser: Parser;
  #segments: Segment[] = [];
  #unseen: string | undefined;
  #folders: readonly string[] | undefined = [''];
  #loops = 0;
  #scripts = 0;
  #commands = 0;

  constructor(command: string, parser: Parser) {
    this.#command = command;
    this.#parser = parser;
  }

  read(language: ShellLanguage): CommandLine {
    try {
      this.#readScript(this.#command, language);
    } catch {
      this.hide('it is nested too deeply');
    }
    return { segments: this.#segments, ...(this.#unseen === undefined ? {} : { unseen: this.#unseen }) };
  }

  hide(reason: string, word?: string): void {
    this.#unseen ??= word === undefined ? reason : `${reason}: ${shown(word)}`;
  }

  addCommand(node: Command, text: string, variables: KnownVariables): void {
    const args = node.args.map((arg) =>
      arg.type === 'Word' ? readWord(arg, variables) : { ...wordsFromElsewhere(arg.text), many: false },
    );
    const words = node.name === undefined ? [] : [readWord(node.name, variables), ...args];
    const assigned = node.prefix.filter((each) => each.type === 'Assignment');
    const assigns = assigned.find((each) => !isHarmless(each));
    const end = node.name?.end ?? 0;
    const isAtTop = text === this.#command && text.slice(node.name?.pos, end) === node.name?.text;
    this.#add({
      text: text.slice(node.pos, node.end),
      ...(isAtTop && { at: end }),
      words,
      ...(assigns !== undefined && { assigns: assigns.text }),
      redirects: readTargets(node.redirects, variables),
      fed: textFed(node.redirects),
    });
  }

  addRedirects(redirects: readonly Redirection[], text: string, variables: KnownVariables): void {
    this.#add({
      text: redirects.map(({ pos, end }) => text.slice(pos, end)).join(' '),
      words: [],
      redirects: readTargets(redirects, variables),
    });
  }

  inLoop(read: () => void): void {
    this.#loops++;
    read();
    this.#loops--;
  }

  /** Each script has its own text, and positions in it. */
  #readScript(text: string, language: ShellLanguage): void {
    const odd = whyUnreadable(text);
    if (odd !== undefined || ++this.#scripts > MAX_SCRIPTS)
      this.hide(odd ?? 'it holds scripts within scripts');
    else new ScriptReader(text, language, this.#parser, this).read();
  }

  #add(command: FoundCommand): void {
    if (++this.#commands > MAX_COMMANDS) {
      this.hide(`it holds more than ${MAX_COMMANDS} commands`);
      return;
    }
    const folders = this.#folders;
    const inner = this.#readInner(command.words);
    this.#segments.push({ ...command, folders, inner: inner.segments, transparent: inner.transparent });
    if (command.words[0]?.value === 'cd') this.#changeFolder(command.words);
  }

  /** What the command runs in its turn. */
  #readInner(words: readonly ShellWord[]): Pick<Segment, 'transparent'> & { readonly segments: Segment[] } {
    if (words.length > 0 && words[0]?.value === undefined)
      this.hide('the name of a program is not written out', words[0]?.text);
    const wrapped = unwrap(words);
    if (wrapped.kind === 'unseen') this.hide(wrapped.reason);
    if (wrapped.kind === 'nothing' || wrapped.kind === 'unseen') return { segments: [], transparent: false };
    const outer = this.#segments;
    this.#segments = [];
    const from = this.#folders;
    if (wrapped.elsewhere !== undefined) this.#folders = this.#foldersBelow(wrapped.elsewhere.path);
    if (wrapped.kind === 'script') this.#readScript(wrapped.text, wrapped.language);
    else {
      const fed = wrapped.fedWords && { fedWords: wrapped.fedWords };
      for (const command of wrapped.commands) this.#add({ words: command, redirects: [], ...fed });
    }
    if (wrapped.elsewhere !== undefined) this.#folders = from;
    const inner = this.#segments;
    this.#segments = outer;
    return { segments: inner, transparent: wrapped.transparent };
  }

  #foldersBelow(path: string | undefined): readonly string[] | undefined {
    return path === undefined
      ? undefined
      : this.#folders?.map((from) => (path.startsWith('/') || from === '' ? path : `${from}/${path}`));
  }

  /** A `cd` may fail, or happen in a subshell: what follows may run in the old place or the new one. */
  #changeFolder([, target, ...more]: readonly ShellWord[]): void {
    const path = target?.value;
    if (this.#loops > 0) this.hide('it changes the folder in a loop', `cd ${target?.text ?? ''}`.trim());
    if (
      this.#folders === undefined ||
      path === undefined ||
      more.length > 0 ||
      path === '' ||
      path.startsWith('-')
    ) {
      this.#folders = undefined;
      return;
    }
    const all = [...new Set([...this.#folders, ...(this.#foldersBelow(path) ?? [])])];
    this.#folders = all.length > MAX_FOLDERS ? undefined : all;
  }
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

/** What here-documents and here-strings give it to read. */
function textFed(redirects: readonly Redirection[]): string {
  return redirects
    .map((redirect) => {
      if (redirect.type === 'HereDoc') return redirect.body.text;
      return redirect.type === 'HereString' ? (redirect.target?.text ?? '') : '';
    })
    .join('\n');
}

function readTargets(
  redirects: readonly Redirection[],
  variables: KnownVariables,
): readonly RedirectTarget[] {
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
