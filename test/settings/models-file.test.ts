/** The setting `modelsFile`: prices with a version and a source, from a file that can be replaced. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { listModels } from '@turnwright/engine';
import { expect, it } from 'vitest';
import { modelsTable } from '../../packages/cli/src/commands/models-command.ts';
import { tempFolder } from '../scenarios/temp-folder.ts';

const signal = new AbortController().signal;
const price = (input: number) => ({ input, output: 9, cacheRead: 0.1, cacheWrite5m: 1, cacheWrite1h: 2 });

/** A home whose settings name `prices.json`, and what `listModels` says there. */
function homeWith(prices: string | undefined, models: object = {}) {
  const home = tempFolder();
  if (prices !== undefined) writeFileSync(join(home, 'prices.json'), prices);
  writeFileSync(
    join(home, 'settings.json'),
    JSON.stringify({ modelsFile: join(home, 'prices.json'), models }),
  );
  return { home, list: () => listModels({ cwd: home, env: { TURNWRIGHT_HOME: home }, signal }) };
}

it('gives a price to models of any name; the settings beat it, and each price says where it is from', async () => {
  const file = {
    version: '2026-12-01',
    source: 'the price list of the house',
    models: {
      'claude-opus-5-5': { price: price(3) },
      'house-model': { contextWindow: 32_000, maxOutputTokens: 4_000, price: price(1) },
      'own-model': { price: price(1) },
    },
  };
  const { list } = homeWith(JSON.stringify(file), { 'own-model': { price: price(7) } });
  const available = await list();
  const info = (id: string) => available.models.find((model) => model.id === id);
  const from = { asOf: '2026-12-01', publishedAt: 'the price list of the house' };
  expect(info('claude-opus-5-5')).toMatchObject({ price: { input: 3, ...from }, contextWindow: 1_000_000 });
  expect(info('house-model')).toMatchObject({ price: { input: 1, ...from }, contextWindow: 32_000 });
  expect(info('own-model')?.price).toEqual(price(7));
  expect(info('claude-sonnet-5-5')?.price).toMatchObject({ asOf: '2026-11-24' });
  const table = modelsTable(available);
  expect(table).toMatch(/claude-opus-5-5 \* +settings +1\.00M +128\.0k +3 +0\.1 +9/);
  expect(table).toContain('Prices: the price list of the house, 2026-12-01.');
  expect(table).toContain('No credentials are configured, so the endpoint was not asked.');
});

it.each([
  [undefined, 'it cannot be read'],
  ['{', 'it is not JSON'],
  ['{"version":"1","source":"x","models":{"m":{"price":{"input":"1"}}}}', 'models.m.price.input'],
  ['{"models":{}}', 'version'],
])('stops the start with a sentence that names the file and what is wrong: %j', async (text, problem) => {
  const { home, list } = homeWith(text);
  await expect(list()).rejects.toMatchObject({
    code: 'invalid_settings',
    message: expect.stringContaining(problem),
  });
  await expect(list()).rejects.toThrow(join(home, 'prices.json'));
});
