/** Select Graphic Rendition: the only escape sequences that text on the screen may contain. */

const ESC = '\x1b';
/** Source of an expression for one sequence, in both forms: `\x1b[1;38;5;110m`, `\x1b[38:5:110m`. */
export const SGR_SOURCE = String.raw`${ESC}\[[\d;:]*m`;
const SGR = new RegExp(SGR_SOURCE, 'g');
const SPLIT_AT_SGR = new RegExp(`(${SGR_SOURCE})`);

export const RESET = '\x1b[0m';

export function withoutSgr(text: string): string {
  return text.includes(ESC) ? text.replace(SGR, '') : text;
}

/** Text and sequences of a row, in order. */
export function sgrParts(text: string): readonly { readonly isSgr: boolean; readonly text: string }[] {
  if (!text.includes(ESC)) return [{ isSgr: false, text }];
  return text
    .split(SPLIT_AT_SGR)
    .filter((part) => part !== '')
    .map((part) => ({ isSgr: part.startsWith(ESC), text: part }));
}

/** The sequence without what hides text (8), blinks, or is unknown; empty when nothing is left. */
export function harmlessSgr(sequence: string): string {
  const changes = parseChanges(sequence);
  return changes.length === 0 ? '' : `\x1b[${changes.map(({ text }) => text).join(';')}m`;
}

/**
 * Follows the sequences of a text, so that a row can end plain and the next one go on as the last one ended.
 */
export class SgrState {
  readonly #on = new Map<Attribute, string>();

  apply(sequence: string): void {
    for (const { on, off, text } of parseChanges(sequence)) {
      for (const attribute of off) this.#on.delete(attribute);
      if (on !== undefined) this.#on.set(on, text);
    }
  }

  get isPlain(): boolean {
    return this.#on.size === 0;
  }

  /** One sequence that switches on what is on; empty when nothing is. */
  get text(): string {
    return this.isPlain ? '' : `\x1b[${[...this.#on.values()].join(';')}m`;
  }
}

/** Nothing that the row switches on is on at its end. */
export function endsPlain(row: string): boolean {
  if (!row.includes(ESC)) return true;
  const state = new SgrState();
  for (const [sequence] of row.matchAll(SGR)) state.apply(sequence);
  return state.isPlain;
}

const ATTRIBUTES = [
  'bold',
  'dim',
  'italic',
  'underline',
  'inverse',
  'struck',
  'color',
  'background',
] as const;
type Attribute = (typeof ATTRIBUTES)[number];

/** What a part of a sequence does, and that part. */
interface Change {
  readonly on?: Attribute;
  readonly off: readonly Attribute[];
  readonly text: string;
}

const SWITCHES_ON: Readonly<Record<number, Attribute>> = {
  1: 'bold',
  2: 'dim',
  3: 'italic',
  4: 'underline',
  7: 'inverse',
  9: 'struck',
  21: 'underline',
};

const SWITCHES_OFF: Readonly<Record<number, readonly Attribute[]>> = {
  0: ATTRIBUTES,
  22: ['bold', 'dim'],
  23: ['italic'],
  24: ['underline'],
  27: ['inverse'],
  29: ['struck'],
  39: ['color'],
  49: ['background'],
};

/** Of what follows 38 and 48: one of 256 colours (5), or red, green and blue (2). */
const COLOR_LENGTHS: Readonly<Record<number, number>> = { 5: 3, 2: 5 };

function parseChanges(sequence: string): readonly Change[] {
  const numbers = sequence
    .replace(/^[^\d;:]*/, '')
    .slice(0, -1)
    .split(/[;:]/)
    .map(Number);
  const changes: Change[] = [];
  for (let at = 0; at < numbers.length; at += 1) {
    const number = numbers[at] ?? 0;
    if (number === 38 || number === 48) {
      const color = numbers.slice(at, at + (COLOR_LENGTHS[numbers[at + 1] ?? 0] ?? 0));
      if (color.length === 0 || color.some((part) => part > 255)) break;
      changes.push({ on: number === 38 ? 'color' : 'background', off: [], text: color.join(';') });
      at += color.length - 1;
      continue;
    }
    const on = findAttribute(number);
    const off = SWITCHES_OFF[number];
    if (on !== undefined) changes.push({ on, off: [], text: String(number) });
    else if (off !== undefined) changes.push({ off, text: String(number) });
  }
  return changes;
}

function findAttribute(number: number): Attribute | undefined {
  const base = number >= 90 ? number - 60 : number;
  if (base >= 30 && base <= 37) return 'color';
  if (base >= 40 && base <= 47) return 'background';
  return SWITCHES_ON[number];
}
