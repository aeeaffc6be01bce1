/** Placeholders for arguments in the text of a file. */
import { splitArguments } from './template-parts.ts';

/** A value in a command: as one text, and as words where no quotes are around it. */
interface Filled {
  readonly text: string;
  readonly words: readonly string[];
  readonly namesProgram?: boolean;
}

interface ArgumentFiller {
  /** Fills all placeholders in one pass, so that values are not expanded again. */
  fill(text: string): string;
  /** The text between the placeholders, and their values, for a reader that keeps them apart. */
  pieces(text: string): readonly (string | Filled)[];
  /** Whether any text so far had a placeholder. */
  readonly used: boolean;
}

const PLACE = /(\\?)(?:\$ARGUMENTS(?:\[(\d{1,3})\])?(?!\w)|\$(\d)(?!\d)|\$\{([A-Z_]+)\}|\$([A-Za-z_]\w*))/g;

/**
 * `$ARGUMENTS` is replaced by all of them, `$ARGUMENTS[n]` and `$n` by the one at that index, from 0 (quotes
 * keep words together), `$name` by the one at the index of the name in `names`, '' if it is missing.
 * `${NAME}` is replaced by its value in `places`. Unknown placeholders are kept, and so are those behind a
 * backslash, which is left out.
 */
export function argumentFiller(
  args: string,
  names: readonly string[] = [],
  places: Readonly<Record<string, string>> = {},
): ArgumentFiller {
  const given = args.trim();
  const words = splitArguments(given);
  let used = false;

  /** What takes the place of a match; undefined: nothing does. */
  const filledBy = ([, , index, position, place, name]: RegExpExecArray): Filled | undefined => {
    if (place !== undefined) {
      const text = Object.hasOwn(places, place) ? places[place] : undefined;
      return text === undefined ? undefined : { text, words: [text], namesProgram: true };
    }
    const at = name === undefined ? (index ?? position) : names.indexOf(name);
    if (name !== undefined && at === -1) return undefined;
    used = true;
    if (at === undefined) return { text: given, words };
    const word = words[Number(at)];
    if (word !== undefined) return { text: word, words: [word] };
    return name === undefined ? undefined : { text: '', words: [] };
  };

  const pieces = (text: string, drops: boolean): readonly (string | Filled)[] => {
    const found: (string | Filled)[] = [];
    let from = 0;
    for (const match of text.matchAll(PLACE)) {
      const [whole, backslash = ''] = match;
      const isWithin = match[4] !== undefined && !Object.hasOwn(places, match[4]);
      const isOther = match[5] !== undefined && !names.includes(match[5]);
      if (isWithin || isOther) continue;
      if (backslash !== '') {
        found.push(text.slice(from, match.index) + (drops ? whole.slice(1) : whole));
      } else {
        const value = filledBy(match);
        if (value === undefined) continue;
        found.push(text.slice(from, match.index), value);
      }
      from = match.index + whole.length;
    }
    return [...found, text.slice(from)].filter((piece) => piece !== '');
  };

  return {
    get used() {
      return used;
    },
    fill: (text) =>
      pieces(text, true)
        .map((piece) => (typeof piece === 'string' ? piece : piece.text))
        .join(''),
    pieces: (text) => pieces(text, false),
  };
}

/** From a frontmatter field: a list, or names separated by spaces or commas. */
export function argumentNames(field: unknown): readonly string[] {
  const names = Array.isArray(field)
    ? field.map(String)
    : typeof field === 'string'
      ? field.split(/[\s,]+/)
      : [];
  return names.filter((name) => /^[A-Za-z_]\w*$/.test(name));
}
