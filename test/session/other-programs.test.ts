/** What `explain`, `cost` and the lists say of transcripts that another program wrote, and of folders that share one. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { explainSession, listSessions, sessionCost } from '@turnwright/engine';
import { describe, expect, it } from 'vitest';
import { costTable } from '../../packages/cli/src/commands/cost-command.ts';
import { projectSlug } from '../../packages/engine/src/session/paths.ts';
import { tempFolder } from '../scenarios/temp-folder.ts';

const ID = '0a6c8a1e-0000-4000-8000-000000000001';

async function transcript(records: readonly object[], folder = 'work') {
  const root = tempFolder({});
  const cwd = join(root, folder);
  const home = join(root, 'home');
  const place = join(home, 'projects', projectSlug(cwd));
  await mkdir(place, { recursive: true });
  await mkdir(cwd, { recursive: true });
  const lines = records.map(
    (record) =>
      `${JSON.stringify({ sessionId: ID, cwd, timestamp: '2026-01-01T00:00:00.000Z', ...record })}\n`,
  );
  await writeFile(join(place, `${ID}.jsonl`), lines.join(''));
  return { root, cwd, env: { TURNWRIGHT_HOME: home, HOME: root } };
}

const asked = { type: 'user', uuid: 'u1', parentUuid: null, message: { role: 'user', content: 'Hello.' } };
const answered = (model: string, n: number, usage = { input_tokens: 1_000_000, output_tokens: 100_000 }) => ({
  type: 'assistant',
  uuid: `a${n}`,
  parentUuid: n === 1 ? 'u1' : `a${n - 1}`,
  message: { id: `m${n}`, role: 'assistant', model, content: [{ type: 'text', text: 'Hi.' }], usage },
});

describe('a transcript of another program', () => {
  it('has a cost that is computed, and says on what', async () => {
    const { cwd, env } = await transcript([
      asked,
      answered('claude-haiku-5-5', 1),
      answered('house-model', 2),
    ]);
    const cost = await sessionCost(ID, { cwd, env });
    expect(cost.totalCostUsd).toBeGreaterThan(0);
    expect(cost).toMatchObject({ computedUsd: cost.totalCostUsd, unpricedModels: ['house-model'] });
    const table = costTable(cost);
    expect(table).toContain('is computed from usage that another program recorded, at list prices.');
    expect(table).toContain('Not included: what house-model cost, because no price is known.');
  });

  it('counts a response once, whose blocks repeat its usage, and nothing for one without usage', async () => {
    const twice = answered('claude-haiku-5-5', 1);
    const { cwd, env } = await transcript([asked, twice, { ...twice, uuid: 'a1b', parentUuid: 'a1' }]);
    const once = await transcript([asked, twice]);
    expect((await sessionCost(ID, { cwd, env })).totalCostUsd).toBe(
      (await sessionCost(ID, once)).totalCostUsd,
    );
    const none = await transcript([asked, answered('house-model', 1, { input_tokens: 0, output_tokens: 0 })]);
    expect(await sessionCost(ID, none)).toMatchObject({ totalCostUsd: 0, unpricedModels: [] });
  });

  it('has no record of iterations, which is said', async () => {
    const written = await transcript([asked, answered('claude-haiku-5-5', 1)]);
    expect(await explainSession(ID, written)).toBe(
      'This session was written by another program: 1 record of an answer, and no record of iterations. Why each of them ended is not known; turnwright cost computes what they cost.',
    );
    const more = await transcript([asked, answered('m', 1), answered('m', 2)]);
    expect(await explainSession(ID, more)).toContain('2 records of answers');
    const empty = await transcript([{ type: 'summary', summary: 'Empty' }]);
    expect(await explainSession(ID, empty)).toBe('Nothing was asked in this session yet.');
  });
});

describe('two folders whose sessions share one', () => {
  it.each([
    ['Projekt-ä', 'Projekt-ö'],
    ['日本', '中国'],
    ['a_b', 'a-b'],
  ])('%s and %s list their own', async (one, other) => {
    const { root, cwd, env } = await transcript([asked, answered('m', 1)], one);
    expect(await listSessions({ dir: cwd, env })).toHaveLength(1);
    expect(await listSessions({ dir: join(root, other), env })).toEqual([]);
    expect(await listSessions({ env })).toHaveLength(1);
  });
});
