/** One script of a command line, node by node: the line itself, or the text that a shell in it is given. */
import type { Command, For, ParsedScript, Redirection, SyntaxNode } from 'unbash';
import { coversSubstitutions, goesOnBehind, type Span } from './parser-guard.ts';
import { differsInPosix, looksLikeBash } from './posix-reading.ts';
import type { ShellLanguage, ShellWord } from './segment.ts';
import { type KnownVariables, readWord } from './shell-word.ts';
import type { TextPattern } from './text-pattern.ts';
import { whyUnseen } from './unseen-node.ts';

export interface Parser {
  parse(source: string): ParsedScript;
  forEachChild(node: SyntaxNode, callback: (child: SyntaxNode) => void): void;
}

/** What the script is part of. */
export interface EnclosingLine {
  /** The line cannot be understood. `word`: what of it is the reason. */
  hide(reason: string, word?: string): void;
  addCommand(node: Command, text: string, variables: KnownVariables): void;
  /** Those of a compound command, which has commands of its own. */
  addRedirects(redirects: readonly Redirection[], text: string, variables: KnownVariables): void;
  /** Reads what may run more than once. */
  inLoop(read: () => void): void;
}

const NOT_POSIX = 'sh may read it differently than bash does';
const LOOP = /^(?:Select|While|ArithmeticFor)$/;

export class ScriptReader {
  readonly #text: string;
  readonly #isPosix: boolean;
  readonly #parser: Parser;
  readonly #line: EnclosingLine;
  readonly #script: ParsedScript;
  readonly #substitutions: Span[] = [];
  readonly #inert: Span[] = [];
  readonly #hereDocEnds: number[] = [];
  #hasArithmetic = false;
  #variables: KnownVariables = new Map();
  #settings: ReadonlyMap<string, number> | undefined;
  readonly #visitChild = (child: SyntaxNode) => this.#visit(child);

  constructor(text: string, language: ShellLanguage, parser: Parser, line: EnclosingLine) {
    this.#text = text;
    this.#isPosix = language === 'sh';
    this.#parser = parser;
    this.#line = line;
    this.#script = parser.parse(text);
  }

  read(): void {
    const text = this.#text;
    if (this.#isPosix && looksLikeBash(text)) this.#line.hide(NOT_POSIX);
    this.#visit(this.#script);
    if (goesOnBehind(this.#hereDocEnds, this.#substitutions, text))
      this.#line.hide('more follows a here-document in a substitution');
    if (!coversSubstitutions(text, this.#substitutions, this.#inert))
      this.#line.hide('it holds a substitution that is not understood');
    if (this.#hasArithmetic && this.#substitutions.some(({ pos }) => !text.startsWith('$((', pos)))
      this.#line.hide('it mixes arithmetic and substitutions');
  }

  #visit(node: SyntaxNode): void {
    const why = whyUnseen(node);
    if (why !== undefined) this.#line.hide(why, node.type === 'Script' ? undefined : this.#written(node));
    if (this.#isPosix && differsInPosix(node, this.#text)) this.#line.hide(NOT_POSIX, this.#written(node));
    this.#note(node);
    if (node.type === 'For') this.#visitFor(node);
    else if (LOOP.test(node.type)) this.#line.inLoop(() => this.#visitChildren(node));
    else this.#visitChildren(node);
  }

  #visitChildren(node: SyntaxNode): void {
    this.#parser.forEachChild(node, this.#visitChild);
  }

  #note(node: SyntaxNode): void {
    switch (node.type) {
      case 'Command':
        this.#line.addCommand(node, this.#text, this.#variables);
        break;
      case 'Redirected':
        this.#line.addRedirects(node.redirects, this.#text, this.#variables);
        break;
      case 'ProcessSubstitution':
        if (this.#isPartOfWord(node))
          this.#line.hide('a process substitution is part of a word', this.#written(node));
        this.#substitutions.push(node);
        break;
      case 'CommandExpansion':
        this.#substitutions.push(node);
        break;
      case 'ArithmeticExpansion':
        this.#substitutions.push(node);
        this.#hasArithmetic = true;
        break;
      case 'SingleQuoted':
        this.#inert.push(node);
        break;
      case 'HereDoc':
        if (node.delimiter?.quoted === true) this.#inert.push(node.body);
        if (node.closing !== undefined) this.#hereDocEnds.push(node.closing.end);
        break;
      default:
        break;
    }
  }

  /** In its body the variable is one of the words, unless something else sets it too. */
  #visitFor({ name, wordlist, body }: For): void {
    const words = wordlist?.map((word) => readWord(word, this.#variables)) ?? [];
    const held =
      wordlist === undefined || name.text === '_' || this.#isSetTwice(name.text)
        ? undefined
        : oneOfWords(words);
    const before = this.#variables;
    this.#line.inLoop(() => {
      this.#visit(name);
      for (const word of wordlist ?? []) this.#visit(word);
      if (held !== undefined) this.#variables = new Map([...before, [name.text, held]]);
      this.#visit(body);
    });
    this.#variables = before;
  }

  #isSetTwice(name: string): boolean {
    this.#settings ??= countSettings(this.#script, this.#parser);
    return (this.#settings.get(name) ?? 0) > 1;
  }

  #isPartOfWord({ pos, end }: Span): boolean {
    const text = this.#text;
    return /[^\s;&|(<>]/.test(`${text[pos - 1] ?? ''}${text[end]?.replace(')', '') ?? ''}`);
  }

  #written({ pos, end }: Span): string {
    return this.#text.slice(pos, end);
  }
}

/** How often the script sets each name: a loop once, everything else twice. */
function countSettings(script: SyntaxNode, { forEachChild }: Parser): ReadonlyMap<string, number> {
  const times = new Map<string, number>();
  const add = (name: string, more: number) => times.set(name, (times.get(name) ?? 0) + more);
  const count = (each: SyntaxNode) => {
    if (each.type === 'For' || each.type === 'Select') add(each.name.text, 1);
    if (each.type === 'Assignment' && each.name !== undefined) add(each.name, 2);
    if (each.type === 'ParameterExpansion' && each.operation !== undefined) add(each.parameter, 2);
    forEachChild(each, count);
  };
  count(script);
  return times;
}

/** What a word is that is one of these. */
function oneOfWords(words: readonly ShellWord[]): TextPattern | undefined {
  const values = words.flatMap(({ value }) => value ?? []);
  if (values.length === words.length) return [{ oneOf: values }];
  return words.length === 1 ? words[0]?.may : undefined;
}
