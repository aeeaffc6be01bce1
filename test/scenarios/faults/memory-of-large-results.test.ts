import { expect, it } from 'vitest';
import { inShortAndLongForm } from '../../long-form.ts';
import { runLong } from '../long-session.ts';
import { tempFolder } from '../temp-folder.ts';

const MEGABYTE = 1024 * 1024;

it('F104 turns with results of 100 KB each: what is in memory grows by a fraction of what they say', async () => {
  const turns = inShortAndLongForm(60, 400);
  const run = await runLong({
    folder: tempFolder(),
    turns,
    resultChars: 100_000,
    sampleEvery: turns / 10,
  });
  expect(run).toMatchObject({ subtype: 'success', turns });
  const [first = 0] = run.heap;
  expect(Math.max(...run.heap) - first).toBeLessThan(40 * MEGABYTE);
}, 300_000);

it('F104 results that the model reads completely are released with each compaction', async () => {
  const turns = inShortAndLongForm(180, 500);
  const run = await runLong({
    folder: tempFolder(),
    turns,
    resultChars: 28_000,
    sampleEvery: turns / 20,
  });
  expect(run).toMatchObject({ subtype: 'success' });
  expect(run.compactions).toBeGreaterThanOrEqual(inShortAndLongForm(1, 2));
  expect(Math.max(...run.heap)).toBeLessThan(60 * MEGABYTE);
}, 300_000);
