/**
 * Text of which only parts are known: what a word may be once the shell has read it, or what a rule speaks
 * of. Two of them meet when there is a text that both may be.
 */

/**
 * Known text, or a gap. `any`: any text. `name`: any text without a slash, like `*` (without a dot at the
 * beginning of a name). `part`: the same with dots. `char`: one character of a name. `digits`: a number.
 * `folders`: nothing, or folders with the slash behind them.
 */
export type Piece =
  | string
  | { readonly gap: 'any' | 'name' | 'part' | 'char' | 'digits' | 'folders' }
  | { readonly oneOf: readonly string[] };

export type TextPattern = readonly Piece[];

export const ANY: Piece = { gap: 'any' };
export const ANYTHING: TextPattern = [ANY];

/** The text, when all of it is known. */
export function knownText(pattern: TextPattern): string | undefined {
  let text = '';
  for (const piece of pattern) {
    if (typeof piece !== 'string') return undefined;
    text += piece;
  }
  return text;
}

/** Receives the number of steps that a look has taken; it throws where they are too many. */
export type Count = (steps: number) => void;

const UNCOUNTED: Count = () => {};

interface MeetOptions {
  readonly ignoreCase?: boolean;
  readonly count?: Count;
}

/** Whether some text is one that both patterns may be. */
export function meet(
  one: TextPattern,
  other: TextPattern,
  { ignoreCase = false, count = UNCOUNTED }: MeetOptions = {},
): boolean {
  // Each becomes a state, which is made before it is looked at.
  count(2 * (sizeOf(one) + sizeOf(other)));
  const fold = (text: string) => (ignoreCase ? text.normalize('NFC').toLowerCase() : text.normalize('NFC'));
  const a = automatonOf(one, fold);
  const b = automatonOf(other, fold);
  const seen = new Set<number>([0]);
  const open = [0];
  const go = (i: number, j: number) => {
    const state = i * b.length + j;
    if (seen.has(state)) return;
    seen.add(state);
    open.push(state);
  };
  let steps = 0;
  for (let state = open.pop(); state !== undefined; state = open.pop()) {
    const i = Math.floor(state / b.length);
    const j = state % b.length;
    steps += 2 + ((a[i] as Edges).length + 1) * ((b[j] as Edges).length + 1);
    if (steps > 1000) {
      count(steps);
      steps = 0;
    }
    if (i === a.length - 1 && j === b.length - 1) return true;
    for (const edge of a[i] as Edges) if (edge.on === undefined) go(edge.to, j);
    for (const edge of b[j] as Edges) if (edge.on === undefined) go(i, edge.to);
    for (const mine of a[i] as Edges)
      for (const its of b[j] as Edges)
        if (mine.on !== undefined && its.on !== undefined && overlap(mine.on, its.on)) go(mine.to, its.to);
  }
  return false;
}

/** How many characters and gaps there are. */
export function sizeOf(pattern: TextPattern): number {
  let size = 0;
  for (const piece of pattern) {
    if (typeof piece === 'string') size += piece.length;
    else if ('oneOf' in piece) for (const text of piece.oneOf) size += text.length + 1;
    else size += 3;
  }
  return size;
}

/** One character, or a class of them. */
type Char = { readonly char: string } | { readonly of: RegExp };
type Edges = { readonly on?: Char; readonly to: number }[];

const CLASS = { any: /[\s\S]/, name: /[^/]/, lead: /[^/.]/, digit: /[-\d]/ } as const;

function overlap(one: Char, other: Char): boolean {
  if ('char' in one) return 'char' in other ? one.char === other.char : other.of.test(one.char);
  return 'char' in other ? one.of.test(other.char) : true;
}

/** States with what leads out of them; the last one is the end. */
function automatonOf(pattern: TextPattern, fold: (text: string) => string): readonly Edges[] {
  const states: Edges[] = [[]];
  const last = () => states.length - 1;
  /** A new last state, reached on this; on nothing where it is left out. */
  const step = (on?: Char): void => {
    states[last()]?.push({ ...(on && { on }), to: states.length });
    states.push([]);
  };
  const loop = (of: RegExp) => {
    step();
    states[last()]?.push({ on: { of }, to: last() });
    step();
  };
  /**
   * What stands right in front of a piece, as far as that is known: a star behind a slash leaves dots out.
   */
  let before = '/';
  for (const [at, piece] of pattern.entries()) {
    if (typeof piece === 'string') {
      for (const char of fold(piece)) step({ char });
      if (piece !== '') before = piece;
      continue;
    }
    const leads = before.endsWith('/');
    if (!('gap' in piece) || piece.gap !== 'folders') before = 'x';
    if ('oneOf' in piece) {
      const from = last();
      const ends: number[] = [];
      for (const text of piece.oneOf) {
        states.push([]);
        states[from]?.push({ to: last() });
        for (const char of fold(text)) step({ char });
        ends.push(last());
      }
      states.push([]);
      for (const end of ends) states[end]?.push({ to: last() });
      continue;
    }
    switch (piece.gap) {
      case 'any':
        loop(CLASS.any);
        break;
      case 'part':
        loop(CLASS.name);
        break;
      case 'digits':
        loop(CLASS.digit);
        break;
      case 'char':
        step({ of: leads ? CLASS.lead : CLASS.name });
        break;
      case 'name': {
        if (!leads) {
          loop(CLASS.name);
          break;
        }
        // Nothing at all, but not in front of a dot; or a first character and what follows.
        const from = last();
        step({ of: CLASS.lead });
        loop(CLASS.name);
        const next = pattern[at + 1];
        if (typeof next !== 'string' || !next.startsWith('.')) states[from]?.push({ to: last() });
        break;
      }
      case 'folders': {
        const from = last();
        loop(CLASS.any);
        step({ char: '/' });
        states[from]?.push({ to: last() });
        before = '/';
        break;
      }
    }
  }
  return states;
}
