/** The words of a line that the shell makes into names of files: patterns, and braces around them. */
import type { ParsedScript, SyntaxNode, Word, WordPart } from 'unbash';
import { readWord } from './shell-word.ts';

interface PatternWord {
  /** Its position in the line. */
  readonly pos: number;
  readonly end: number;
  /** What its braces make of it, in order. */
  readonly ways: readonly Way[];
}

/** A path in which a backslash takes a sign's meaning, and what it is where no file has such a name. */
export interface Way {
  readonly pattern: string;
  readonly plain: string;
}

interface Parser {
  parse(source: string): ParsedScript;
  forEachChild(node: SyntaxNode, callback: (child: SyntaxNode) => void): void;
}

/** More than these of one word are not gone through. */
const MOST_WAYS = 64;

/**
 * The patterns among the arguments of its commands and the words of its loops, and words with a folder that
 * is known (`places`, by how they are written); undefined: there is one that cannot be written out.
 */
export function patternWords(
  command: string,
  { parse, forEachChild }: Parser,
  places: ReadonlyMap<string, string>,
): readonly PatternWord[] | undefined {
  const found: PatternWord[] = [];
  let open = false;
  const read = (word: Word) => {
    const { value, many, may } = readWord(word);
    if (value !== undefined || /(?:^|[=:])~/.test(word.text)) return;
    const isPlaced = [...places.keys()].some((place) => word.text.includes(place));
    if (!isPlaced && !(many && /[*?[{]/.test(word.text))) return;
    const ways = may.length === 0 ? undefined : listWays(word, places);
    // What a command prints, or a variable, may hold such a sign too, and is judged as it is.
    if (ways === undefined && isPlaced) return;
    if (ways === undefined || command.slice(word.pos, word.end) !== word.text) open = true;
    else found.push({ pos: word.pos, end: word.end, ways });
  };
  const visit = (node: SyntaxNode): void => {
    if (node.type === 'Command') for (const arg of node.args) if (arg.type === 'Word') read(arg);
    if (node.type === 'For') node.wordlist?.forEach(read);
    forEachChild(node, visit);
  };
  visit(parse(command));
  return open ? undefined : found;
}

function listWays({ parts }: Word, places: ReadonlyMap<string, string>): readonly Way[] | undefined {
  let ways: readonly Way[] = [{ pattern: '', plain: '' }];
  for (const part of parts ?? []) {
    const next = listChoices(part, places);
    if (next === undefined || ways.length * next.length > MOST_WAYS) return undefined;
    ways = ways.flatMap((way) =>
      next.map(({ pattern, plain }) => ({ pattern: way.pattern + pattern, plain: way.plain + plain })),
    );
  }
  return parts === undefined ? undefined : ways;
}

const literal = (plain: string): Way => ({ pattern: plain.replace(/[\\*?[\]!^]/g, '\\$&'), plain });
const asWritten = (text: string): Way => ({ pattern: text, plain: text });

function listChoices(part: WordPart, places: ReadonlyMap<string, string>): readonly Way[] | undefined {
  const place = places.get(part.text);
  switch (part.type) {
    case 'SimpleExpansion':
    case 'CommandExpansion':
      return place === undefined ? undefined : [literal(place)];
    case 'Literal':
      return /[*?[\]{}$`]/.test(part.text) ? undefined : [literal(part.value)];
    case 'SingleQuoted':
      return [literal(part.value)];
    case 'DoubleQuoted': {
      const texts = part.parts.flatMap((each) =>
        each.type === 'Literal' ? [each.value] : (places.get(each.text) ?? []),
      );
      return texts.length === part.parts.length ? [literal(texts.join(''))] : undefined;
    }
    case 'Glob':
      return part.kind !== 'bracket' || /^\[[!^]?[\w.-]+\]$/.test(part.text)
        ? [asWritten(part.text)]
        : undefined;
    case 'BraceExpansion': {
      const options = /^\{([\w./*?-]*(?:,[\w./*?-]*)+)\}$/.exec(part.text)?.[1];
      return options?.split(',').map(asWritten);
    }
    default:
      return undefined;
  }
}
