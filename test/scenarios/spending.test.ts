/** What a session has cost, by model, provider, agent and purpose: the same sum at every level, in every process. */

import { type ModelUsage, type SpendingCounts, sessionCost } from '@turnwright/engine';
import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { costTable, runCostCommand } from '../../packages/cli/src/commands/cost-command.ts';
import type { World } from '../../packages/cli/src/world.ts';
import { MODEL, rehearse, successOf } from './rehearse.ts';

const agent = (name: string) =>
  toolUse('Agent', { description: name, prompt: `Be ${name}.`, subagent_type: name });
const agents = {
  digger: { description: 'Digs.', prompt: 'Dig.', model: 'claude-sonnet-5-5' },
  sifter: { description: 'Sifts.', prompt: 'Sift.', model: 'claude-haiku-4-5' },
};

const nested = () =>
  rehearse({
    options: { agents, engine: { maxSubagentDepth: 2 } },
    replies: [
      reply(agent('digger')),
      reply(agent('sifter')),
      // This answer breaks after its text has begun: it is paid for, and asked for again.
      reply('Some of the dust', { faults: [{ name: 'sse-error', after: 3, type: 'api_error' }] }),
      reply('Dust.'),
      reply('Dug.'),
      reply('Done.'),
    ],
  });

const total = (parts: readonly SpendingCounts[], name: keyof SpendingCounts) =>
  parts.reduce((sum, part) => sum + part[name], 0);

describe('the spending of a session', () => {
  it('F107: the sums over agents, purposes and models are the total of the result, at three levels', async () => {
    const run = await nested();
    const { total_cost_usd, modelUsage } = successOf(run);
    const { rows, totalCostUsd, unpricedModels } = await sessionCost(run.sessionId, {
      env: { TURNWRIGHT_HOME: run.home },
      cwd: run.cwd,
    });
    expect(totalCostUsd).toBe(total_cost_usd);
    expect(unpricedModels).toEqual([]);
    expect(rows.map(({ agent, purpose, model, calls }) => [agent, purpose, model, calls])).toEqual([
      ['main', 'loop', MODEL, 2],
      ['digger', 'loop', 'claude-sonnet-5-5', 2],
      ['sifter', 'retry_waste', 'claude-haiku-4-5', 1],
      ['sifter', 'loop', 'claude-haiku-4-5', 1],
    ]);
    const models: readonly ModelUsage[] = Object.values(modelUsage);
    expect(Object.keys(modelUsage)).toEqual([MODEL, 'claude-sonnet-5-5', 'claude-haiku-4-5']);
    for (const name of [
      'inputTokens',
      'outputTokens',
      'cacheReadInputTokens',
      'cacheCreationInputTokens',
    ] as const)
      expect(total(rows, name), name).toBe(total(models, name));
    expect(total(rows, 'costUSD')).toBeCloseTo(total_cost_usd, 12);
  });

  it('F111: goes on in the process that resumes the session, and counts nothing twice', async () => {
    const first = await rehearse({ replies: [reply('One.')] });
    const second = await rehearse({
      replies: [reply('Two.')],
      place: first,
      options: { resume: first.sessionId },
    });
    const { rows } = await sessionCost(first.sessionId, {
      env: { TURNWRIGHT_HOME: first.home },
      cwd: first.cwd,
    });
    expect(rows).toMatchObject([{ agent: 'main', purpose: 'loop', model: MODEL, calls: 2 }]);
    expect(total(rows, 'costUSD')).toBeCloseTo(successOf(second).total_cost_usd, 12);
    expect(successOf(second).total_cost_usd).toBeGreaterThan(successOf(first).total_cost_usd);
  });

  it('is printed by `turnwright cost`: a table for people, JSON for programs', async () => {
    const run = await nested();
    let written = '';
    const world = {
      cwd: run.cwd,
      env: { TURNWRIGHT_HOME: run.home },
      out: {
        async write(text: string) {
          written += text;
        },
      },
    } as unknown as World;
    expect(await runCostCommand(world, { session: undefined, json: false })).toBe(0);
    const [title, , head, ...lines] = written.split('\n');
    expect(title).toBe(`Session ${run.sessionId}: $${successOf(run).total_cost_usd.toFixed(4)}`);
    expect(head).toMatch(/^agent +purpose +model +calls +input +cache read +cache write +output +USD$/);
    expect(lines.find((line) => line.startsWith('sifter  retry waste'))).toContain('claude-haiku-4-5');
    expect(lines.find((line) => line.startsWith('total'))).toMatch(/ 6 /);
    expect(written).toContain('was paid for answers that broke');
    written = '';
    await runCostCommand(world, { session: run.sessionId, json: true });
    expect(JSON.parse(written)).toMatchObject({
      sessionId: run.sessionId,
      rows: [{ agent: 'main' }, {}, {}, {}],
    });
  });

  it('names models without a price, whose cost is missing and not zero (F65)', async () => {
    const run = await rehearse({
      options: { model: 'house-model' },
      server: { lenient: ['known-model'] },
      replies: [reply('Hello.')],
    });
    const cost = await sessionCost(run.sessionId, { env: { TURNWRIGHT_HOME: run.home }, cwd: run.cwd });
    expect(cost).toMatchObject({
      totalCostUsd: 0,
      unpricedModels: ['house-model'],
      rows: [{ isPriced: false }],
    });
    expect(costTable(cost)).toMatch(/house-model.* \?\n/);
    expect(costTable(cost)).toContain('Not included: what house-model cost, because no price is known.');
  });
});
