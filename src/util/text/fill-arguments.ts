/** Places for arguments in a text that people keep in a file. */
import { splitArguments } from './template-parts.ts';

export interface ArgumentFiller {
  /** All places at once, so that nothing filled in is filled in again. */
  fill(text: string): string;
  /** Whether any text so far had a place for arguments. */
  readonly used: boolean;
}

const PLACE = /\$ARGUMENTS(?:\[(\d{1,3})\])?(?!\w)|\$(\d)(?!\d)|\$\{([A-Z_]+)\}|\$([A-Za-z_]\w*)/g;

/**
 * `$ARGUMENTS` is all of them, `$ARGUMENTS[n]` and `$n` the one at that place, counted from 0 (quotes keep words
 * together), `$name` the one whose name stands at that place in `names`, empty when it is not given. `${NAME}` stands for
 * what `places` holds. What has no value stays as it is.
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

/** Of a frontmatter field: a list, or names with spaces or commas between them. */
export function argumentNames(field: unknown): readonly string[] {
  const names = Array.isArray(field)
    ? field.map(String)
    : typeof field === 'string'
      ? field.split(/[\s,]+/)
      : [];
  return names.filter((name) => /^[A-Za-z_]\w*$/.test(name));
}
