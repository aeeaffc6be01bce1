import { describe, expect, it } from 'vitest';
import { mediaLimitsFor } from '../../src/context/media/media-limits.ts';
import { mediaBudget } from '../../src/context/steps/media-budget.ts';
import type { ViewMessage } from '../../src/protocol/model/messages.ts';
import type { UserBlock } from '../../src/protocol/model/wire.ts';
import { applied, call, input, prompt, result, run, text } from './conversation.ts';
import { png } from './images.ts';

async function reduced(view: readonly ViewMessage[], limits: Parameters<typeof mediaLimitsFor>[1] = {}) {
  const step = mediaBudget(() => mediaLimitsFor({ contextWindow: 200_000 }, limits));
  const { outcome } = await run(step.run(input(view)));
  return { outcome, after: applied(view, outcome) };
}

const shots = (count: number, make: (at: number) => UserBlock): ViewMessage[] =>
  Array.from({ length: count }, (_, at) => [
    prompt(`shot-${at}`, [make(at)]),
    text(`seen-${at}`, 'Seen.'),
  ]).flat();
const holdingImages = (view: readonly ViewMessage[]) =>
  view.filter((message) => JSON.stringify(message).includes('"type":"image"')).map(({ uuid }) => uuid);

describe('media-budget', () => {
  it('does nothing while everything fits', async () => {
    const { outcome } = await reduced(shots(20, () => png(3_000, 10)));
    expect(outcome).toEqual({ kind: 'skip', why: 'images and documents fit' });
  });

  it('F10: with more than 20 images those above 2 000 pixels go, and no others', async () => {
    const { outcome, after } = await reduced(shots(21, (at) => png(at === 3 ? 3_000 : 1_000, 10)));
    expect(outcome).toMatchObject({ kind: 'edits', source: 'replacement' });
    expect(holdingImages(after)).toHaveLength(20);
    expect(holdingImages(after)).not.toContain('shot-3');
  });

  it('above the number of images that are taken the oldest go, some more than must', async () => {
    const { after } = await reduced(
      shots(9, () => png(10, 10)),
      { maxImages: 8 },
    );
    expect(holdingImages(after)).toEqual(['shot-3', 'shot-4', 'shot-5', 'shot-6', 'shot-7', 'shot-8']);
    expect(JSON.stringify(after[0])).toContain('image removed to make room for later ones');
  });

  it('F12: a body of too many bytes loses its oldest media, named by their files, whatever the tokens', async () => {
    const view = [
      call('r', 'a', 'Read', { file_path: '/shots/one.png' }),
      result('a', [png(10, 10, 300_000)]),
      ...shots(3, () => png(10, 10, 300_000)),
    ];
    const { outcome, after } = await reduced(view, { maxRequestBytes: 1_500_000 });
    expect(outcome).toMatchObject({ kind: 'edits', why: expect.stringContaining('bytes') });
    expect(holdingImages(after)).toEqual(['shot-1', 'shot-2']);
    expect(JSON.stringify(after)).toContain('/shots/one.png');
    expect((await reduced(after, { maxRequestBytes: 1_500_000 })).outcome.kind).toBe('skip');
  });
});
