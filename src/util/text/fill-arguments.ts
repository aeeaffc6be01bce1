/** Placeholders for arguments in the text of a file. */
import { splitArguments } from './template-parts.ts';

interface ArgumentFiller {
  /** Fills all placeholders in one pass, so that values are not expanded again. */
  fill(text: string): string;
  /** Whether any text so far had a placeholder. */
  readonly used: boolean;
}

const PLACE = /\$ARGUMENTS(?:\[(\d{1,3})\])?(?!\w)|\$(\d)(?!\d)|\$\{([A-Z_]+)\}|\$([A-Za-z_]\w*)/g;

/**
 * `$ARGUMENTS` is replaced by all of them, `$ARGUMENTS[n]` and `$n` by the one at that index, from 0 (quotes
 * keep words together), `$name` by the one at the index of the name in `names`, '' if it is missing.
 * `${NAME}` is replaced by its value in `places`. Unknown placeholders are kept.
 */
export function argumentFiller(
  args: string,
  names: readonly string[] = [],
  places: Readonly<Record<string, string>> = {},
): ArgumentFiller {
  const given = args.trim();
  const words = splitArguments(given);
  let used = false;
  const noting = (value: string) => {
    used = true;
    return value;
  };
  return {
    get used() {
      return used;
    },
    fill: (text) =>
      text.replace(
        PLACE,
        (whole: string, index?: string, position?: string, place?: string, name?: string) => {
          if (place !== undefined) return Object.hasOwn(places, place) ? (places[place] as string) : whole;
          if (name !== undefined) {
            const at = names.indexOf(name);
            return at < 0 ? whole : noting(words[at] ?? '');
          }
          const at = index ?? position;
          return noting(at === undefined ? given : (words[Number(at)] ?? whole));
        },
      ),
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
