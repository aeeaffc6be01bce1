/** Pastes and images as chips: when a paste becomes one, and what it is called. */
import { CHIP, type Chip, type DraftImage, type Piece } from './buffer.ts';

/** A paste longer than this is shown by a label (S6.6). */
const MOST_CHARS = 800;
const MOST_LINES = 8;

/** An image with what a person knows it by. */
export interface NamedImage extends DraftImage {
  /** Undefined: of the clipboard. */
  readonly name?: string | undefined;
  readonly width?: number;
  readonly height?: number;
}

/** Numbers the chips of one draft. */
export class ChipMaker {
  #pastes = 0;
  #images = 0;
  readonly #made = new Map<string, Chip>();

  /** Text as it is, or as a chip: when it is long, or holds what marks one. */
  paste(text: string): Piece {
    const lines = countLines(text);
    if (text.length <= MOST_CHARS && lines <= MOST_LINES && !text.includes(CHIP)) return { text, chips: [] };
    this.#pastes += 1;
    const size =
      lines > 1
        ? `${grouped(lines)} lines`
        : `${grouped(text.length)} character${text.length === 1 ? '' : 's'}`;
    return this.#piece({ kind: 'paste', label: `[paste ${this.#pastes}: ${size}]`, text });
  }

  images(images: readonly NamedImage[]): Piece {
    const pieces = images.map((image) => this.#image(image));
    return {
      text: pieces.map(({ text }) => `${text} `).join(''),
      chips: pieces.flatMap(({ chips }) => chips),
    };
  }

  /** Labels in a text that was edited elsewhere become the chips again that they were made for. */
  fromLabels(text: string, known: readonly Chip[]): Piece {
    const chips = new Map([...known.map((chip) => [chip.label, chip] as const), ...this.#made]);
    const found: Chip[] = [];
    const withChips = text
      .split(CHIP)
      .join('�')
      .replace(/\[(?:paste|image) \d+[^\]\n]*\]/g, (label) => {
        const chip = chips.get(label);
        if (chip === undefined) return label;
        found.push(chip);
        return CHIP;
      });
    return { text: withChips, chips: found };
  }

  /** A new draft begins. */
  reset(): void {
    this.#pastes = 0;
    this.#images = 0;
    this.#made.clear();
  }

  #image({ mediaType, data, name, width, height }: NamedImage): Piece {
    this.#images += 1;
    const size = width === undefined || height === undefined ? undefined : `${width}×${height}`;
    const about = [name, size].filter(Boolean).join(' ');
    const label = `[image ${this.#images}${about === '' ? '' : `: ${about.replace(/[\]\n]/g, '_')}`}]`;
    return this.#piece({ kind: 'image', label, image: { mediaType, data } });
  }

  #piece(chip: Chip): Piece {
    this.#made.set(chip.label, chip);
    return { text: CHIP, chips: [chip] };
  }
}

function countLines(text: string): number {
  let lines = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < text.length - 1; at = text.indexOf('\n', at + 1))
    lines += 1;
  return lines;
}

const grouped = (count: number): string => count.toLocaleString('en-US');
