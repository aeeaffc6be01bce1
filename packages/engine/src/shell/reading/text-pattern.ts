/**
 * Text of which only parts are known: what a word may be once the shell has read it, or what a rule speaks
 * of. Two of them meet when there is a text that both may be.
 */

/**
 * Known text, or a gap. `any`: any text. `name`: any text without a slash, like `*` (without a dot at the
 * beginning of a name). `part`: the same with dots. `char`: one character of a name. `digits`: a number.
 * `folders`: nothing, or folders with the slash behind them.
 */
export type PatternPiece =
  | string
  | { readonly gap: 'any' | 'name' | 'part' | 'char' | 'digits' | 'folders' }
  | { readonly oneOf: readonly string[] };

export type TextPattern = readonly PatternPiece[];

export const ANY: PatternPiece = { gap: 'any' };
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
  const [mine, its] = [readPattern(one, ignoreCase), readPattern(other, ignoreCase)];
  count(1);
  if (!mayAgree(mine, its)) return false;
  if (mine.isKnown && its.isKnown) return true;
  if (takesAll(mine, its) || takesAll(its, mine)) return true;
  const [a, b] = [buildStates(mine, count), buildStates(its, count)];
  // What both begin with needs no search: each of its characters is a state of both.
  const shared = Math.min([...mine.head].length, [...its.head].length);
  const start = shared * b.length + shared;
  const seen = new Set<number>([start]);
  const open = [start];
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
    for (const edge of a[i] as Edges)
      for (const its of b[j] as Edges)
        if (edge.on !== undefined && its.on !== undefined && overlap(edge.on, its.on)) go(edge.to, its.to);
  }
  count(steps);
  return false;
}

/** A pattern as it is compared, made once. */
interface Reading {
  readonly pattern: TextPattern;
  readonly fold: (text: string) => string;
  /** The text up to the first gap, and from the last one on. */
  readonly head: string;
  readonly tail: string;
  /** There is no gap. */
  readonly isKnown: boolean;
  /** How many slashes a text may have that it speaks of. */
  readonly slashes: readonly [least: number, most: number];
  states?: readonly Edges[];
}

const readings = {
  exact: new WeakMap<TextPattern, Reading>(),
  folded: new WeakMap<TextPattern, Reading>(),
};
const exactly = (text: string): string => text.normalize('NFC');
const folded = (text: string): string => text.normalize('NFC').toLowerCase();

function readPattern(pattern: TextPattern, ignoreCase: boolean): Reading {
  const known = ignoreCase ? readings.folded : readings.exact;
  const before = known.get(pattern);
  if (before !== undefined) return before;
  const fold = ignoreCase ? folded : exactly;
  const isText = (piece: PatternPiece): piece is string => typeof piece === 'string';
  const first = pattern.findIndex((piece) => !isText(piece));
  const last = pattern.findLastIndex((piece) => !isText(piece));
  const textOf = (pieces: TextPattern) => pieces.filter(isText).map(fold).join('');
  const head = textOf(first < 0 ? pattern : pattern.slice(0, first));
  const tail = first < 0 ? head : textOf(pattern.slice(last + 1));
  const slashes = slashesIn(pattern);
  const reading: Reading = { pattern, fold, head, tail, isKnown: first < 0, slashes };
  known.set(pattern, reading);
  return reading;
}

function slashesIn(pattern: TextPattern): readonly [least: number, most: number] {
  let [least, most] = [0, 0];
  const slashes = (text: string) => (text.includes('/') ? text.split('/').length - 1 : 0);
  for (const piece of pattern) {
    if (typeof piece !== 'string' && 'gap' in piece) {
      if (piece.gap === 'any' || piece.gap === 'folders') most = Number.POSITIVE_INFINITY;
      continue;
    }
    const numbers = typeof piece === 'string' ? [slashes(piece)] : piece.oneOf.map(slashes);
    least += numbers.reduce((few, number) => Math.min(few, number), numbers[0] ?? 0);
    most += numbers.reduce((many, number) => Math.max(many, number), 0);
  }
  return [least, most];
}

/** What they begin and end with, and how deep they lead, is compared first: most patterns differ there. */
function mayAgree(one: Reading, other: Reading): boolean {
  if (one.slashes[1] < other.slashes[0] || other.slashes[1] < one.slashes[0]) return false;
  if (one.isKnown && other.isKnown) return one.head === other.head;
  if (one.isKnown) return mayBe(other, one.head);
  if (other.isKnown) return mayBe(one, other.head);
  const begins = one.head.startsWith(other.head) || other.head.startsWith(one.head);
  return begins && (one.tail.endsWith(other.tail) || other.tail.endsWith(one.tail));
}

/** Known text and anything behind it: whatever text begins with that, it may be. */
const takesAll = ({ pattern, head }: Reading, other: Reading): boolean =>
  pattern.at(-1) === ANY &&
  pattern.slice(0, -1).every((piece) => typeof piece === 'string') &&
  other.head.startsWith(head) &&
  // Of no alternatives there is no text.
  !other.pattern.some((piece) => typeof piece !== 'string' && 'oneOf' in piece && piece.oneOf.length === 0);

const mayBe = ({ head, tail }: Reading, text: string): boolean =>
  text.length >= head.length + tail.length && text.startsWith(head) && text.endsWith(tail);

function buildStates(reading: Reading, count: Count): readonly Edges[] {
  // Each character becomes a state.
  if (reading.states === undefined) count(2 * sizeOf(reading.pattern));
  reading.states ??= buildAutomaton(reading.pattern, reading.fold);
  return reading.states;
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
function buildAutomaton(pattern: TextPattern, fold: (text: string) => string): readonly Edges[] {
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
