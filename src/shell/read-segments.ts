import type { Command, ParsedScript, Redirection, SyntaxNode } from 'unbash';
import { coversSubstitutions, type Span, whyUnreadable } from './guard.ts';
import type { CommandLine, RedirectTarget, Segment, ShellWord } from './segment.ts';
import { readWord } from './shell-word.ts';
import { unwrap } from './unwrap.ts';

export interface Parser {
  parse(source: string): ParsedScript;
  forEachChild(node: SyntaxNode, callback: (child: SyntaxNode) => void): void;
}

/** More commands, places, or scripts within scripts than this are not followed. */
const MAX_COMMANDS = 200;
const MAX_FOLDERS = 8;
const MAX_SCRIPTS = 5;

/** The simple commands of a line, those in substitutions included. */
export function readSegments(command: string, { parse, forEachChild }: Parser): CommandLine {
  let segments: Segment[] = [];
  let unseen: string | undefined;
  let folders: readonly string[] | undefined = [''];
  let loops = 0;
  let scripts = 0;
  let commands = 0;
  const hide = (reason: string) => {
    unseen ??= reason;
  };

  /** Each script has its own text, and positions in it. */
  const readScript = (text: string) => {
    const odd = whyUnreadable(text);
    if (odd !== undefined || ++scripts > MAX_SCRIPTS) return hide(odd ?? 'it holds scripts within scripts');
    const substitutions: Span[] = [];
    const inert: Span[] = [];
    let arithmetic = false;

    const visit = (node: SyntaxNode): void => {
      switch (node.type) {
        case 'Script':
          if (node.errors !== undefined && node.errors.length > 0) hide('it does not parse');
          if (node.source !== undefined) hide('it holds escaped backticks');
          break;
        case 'Command':
          addCommand(node);
          break;
        case 'Redirected':
          add({ words: [], assigns: false, redirects: targetsOf(node.redirects) });
          break;
        case 'Function':
        case 'Coproc':
          hide('it defines functions or coprocesses');
          break;
        case 'CommandExpansion':
        case 'ProcessSubstitution':
          substitutions.push(node);
          if (node.script === undefined) hide('a substitution does not parse');
          break;
        case 'ArithmeticExpansion':
          substitutions.push(node);
          arithmetic = true;
          if (!/^[\s\d+\-*/%()<>=!&|^?:$]*$/.test(node.text)) hide('arithmetic may evaluate variables');
          break;
        case 'ArithmeticCommand':
        case 'ArithmeticFor':
        case 'ArithmeticCommandExpansion':
        case 'ArrayValue':
          hide('arithmetic and arrays may evaluate variables');
          break;
        case 'Assignment':
          if (node.index !== undefined) hide('arithmetic and arrays may evaluate variables');
          break;
        case 'ParameterExpansion':
          if (
            node.prefix === '!' ||
            node.index !== undefined ||
            /^(?:Slice|Transform|Names|Unknown)$/.test(node.operation?.type ?? '')
          )
            hide('an expansion may evaluate what a variable holds');
          break;
        case 'TestUnary':
        case 'TestBinary':
          if (/^-(?:[vR]|eq|ne|[lg][te])$/.test(node.operator))
            hide('a test may evaluate what a variable holds');
          break;
        case 'FileDescriptorVariable':
          hide('a redirect sets a variable');
          break;
        case 'HereDoc':
          if (node.closing === undefined) hide('a here-document does not end');
          if (node.delimiter?.quoted === true) inert.push(node.body);
          break;
        case 'For':
        case 'Select':
          if (!/^[a-z_][a-z0-9_]*$/.test(node.name.text))
            hide('a loop may set a variable that steers programs');
          break;
        default:
          break;
      }
      const looping = /^(?:For|Select|While|ArithmeticFor)$/.test(node.type);
      if (looping) loops++;
      forEachChild(node, visit);
      if (looping) loops--;
    };

    visit(parse(text));
    if (!coversSubstitutions(text, substitutions, inert))
      hide('it holds a substitution that is not understood');
    if (arithmetic && substitutions.some(({ pos }) => !text.startsWith('$((', pos)))
      hide('it mixes arithmetic and substitutions');
  };

  const addCommand = (node: Command) => {
    const args = node.args.map((arg) =>
      arg.type === 'Word' ? readWord(arg) : { value: undefined, text: arg.text },
    );
    const words = node.name === undefined ? [] : [readWord(node.name), ...args];
    const assigns = node.prefix.some(({ type }) => type === 'Assignment');
    if (/\$['"]/.test(node.name?.text ?? '')) hide('the name of a program is written in escapes');
    add({ words, assigns, redirects: targetsOf(node.redirects), fed: textFed(node.redirects) });
  };

  const add = (command: Pick<Segment, 'words' | 'assigns' | 'redirects' | 'fed'>) => {
    if (++commands > MAX_COMMANDS) return hide(`it holds more than ${MAX_COMMANDS} commands`);
    const here = folders;
    const inner = innerOf(command.words);
    segments.push({ ...command, folders: here, inner: inner.segments, transparent: inner.transparent });
    if (command.words[0]?.value === 'cd') changeFolder(command.words);
  };

  const innerOf = (words: readonly ShellWord[]) => {
    if (words.length > 0 && words[0]?.value === undefined) hide('the name of a program is not written out');
    const wrapped = unwrap(words);
    if (wrapped.kind === 'unseen') hide(wrapped.reason);
    if (wrapped.kind === 'nothing' || wrapped.kind === 'unseen') return { segments: [], transparent: false };
    const outer = segments;
    segments = [];
    const from = folders;
    if (wrapped.kind === 'script') readScript(wrapped.text);
    else {
      if (wrapped.elsewhere) folders = undefined;
      for (const command of wrapped.commands) add({ words: command, assigns: false, redirects: [] });
      if (wrapped.elsewhere) folders = from;
    }
    const inner = segments;
    segments = outer;
    return { segments: inner, transparent: wrapped.kind === 'script' || wrapped.transparent };
  };

  /** A `cd` may fail, or happen in a subshell: what follows may run in the old place or the new one. */
  const changeFolder = ([, target, ...more]: readonly ShellWord[]) => {
    const path = target?.value;
    if (loops > 0) hide('it changes the folder in a loop');
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
    const reached = folders.map((from) => (path.startsWith('/') || from === '' ? path : `${from}/${path}`));
    const all = [...new Set([...folders, ...reached])];
    folders = all.length > MAX_FOLDERS ? undefined : all;
  };

  try {
    readScript(command);
  } catch {
    hide('it is nested too deeply');
  }
  return { segments, ...(unseen === undefined ? {} : { unseen }) };
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

function targetsOf(redirects: readonly Redirection[]): readonly RedirectTarget[] {
  return redirects.flatMap((redirect): readonly RedirectTarget[] => {
    if (redirect.type !== 'Redirect') return [];
    const path = redirect.target === undefined ? undefined : readWord(redirect.target).value;
    switch (redirect.operator) {
      case '<':
        return [{ direction: 'read', path }];
      case '<&':
      case '>&':
        // A number is a descriptor, which opens nothing.
        return path !== undefined && /^(?:\d+-?|-)$/.test(path) ? [] : [{ direction: 'write', path }];
      default:
        return [{ direction: 'write', path }];
    }
  });
}
