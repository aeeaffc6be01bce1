/** Drafts that were sent or queued: one that comes back is the text with its chips again. */
import { type Buffer, CHIP, type Chip, type Draft } from './buffer.ts';

const MOST_DRAFTS = 50;

export class TakenDrafts {
  readonly #buffers: { readonly draft: Draft; readonly buffer: Buffer }[] = [];

  note(draft: Draft, buffer: Buffer): void {
    this.#buffers.push({ draft, buffer });
    if (this.#buffers.length > MOST_DRAFTS) this.#buffers.shift();
  }

  bufferOf(draft: Draft): Buffer {
    const known = this.#buffers.findLast(({ draft: one }) => isSame(one, draft))?.buffer;
    return known === undefined ? plainBuffer(draft) : { ...known, cursor: known.text.length };
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
