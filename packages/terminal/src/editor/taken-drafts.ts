/** Drafts that were sent or queued: one that comes back is the text with its chips again. */
import { type Buffer, CHIP, type Chip, type Draft, joined } from './buffer.ts';
import type { ChipMaker } from './chips.ts';

const MOST_DRAFTS = 50;
const MOST_TEXT_CHARS = 20_000;

export class TakenDrafts {
  readonly #buffers: { readonly draft: Draft; readonly buffer: Buffer }[] = [];

  note(draft: Draft, buffer: Buffer): void {
    this.#buffers.push({ draft, buffer });
    if (this.#buffers.length > MOST_DRAFTS) this.#buffers.shift();
  }

  /** `chips` makes one of a text of another process that is too long to be edited in a few rows. */
  bufferOf(draft: Draft, chips: ChipMaker): Buffer {
    const known = this.#buffers.findLast(({ draft: one }) => isSame(one, draft))?.buffer;
    if (known !== undefined) return { ...known, cursor: known.text.length };
    if (draft.text.length <= MOST_TEXT_CHARS) return plainBuffer(draft);
    const images = plainBuffer({ text: '', images: draft.images });
    return joined(images, { ...chips.paste(draft.text), cursor: CHIP.length });
  }
}

function isSame(one: Draft, other: Draft): boolean {
  return (
    one.text === other.text &&
    one.images.length === other.images.length &&
    one.images.every(({ data }, index) => data === other.images[index]?.data)
  );
}

/** Of another process: images are at the places of their labels, else in front. */
function plainBuffer({ text, images }: Draft): Buffer {
  const plain = text.replaceAll(CHIP, '�');
  const chips: Chip[] = [];
  const labelled = plain.replace(/\[image \d+[^\]\n]*\]/g, (label) => {
    const image = images[chips.length];
    if (image === undefined) return label;
    chips.push({ kind: 'image', label, image });
    return CHIP;
  });
  const others = images.slice(chips.length).map((image, index): Chip => {
    return { kind: 'image', label: `[image ${chips.length + index + 1}]`, image };
  });
  const whole = `${others.map(() => `${CHIP} `).join('')}${labelled}`;
  return { text: whole, chips: [...others, ...chips], cursor: whole.length };
}
