/** The fewest offers, beside every choice of a few of them. */

import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import { propertyRuns } from '@turnwright/test/long-form.ts';
import { tempFolder } from '@turnwright/test/permissions/ask-doubles.ts';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { placeOfCommand } from '../../src/engine/sandbox/open-sandbox.ts';
import type { PolicyInForce } from '../../src/protocol/session/policy-in-force.ts';
import type { PolicyChange } from '../../src/protocol/session/policy-trial.ts';
import { formatRule } from '../../src/protocol/tools/permission.ts';
import { changePolicy } from '../../src/trial/changed-policy.ts';
import { chooseFewest } from '../../src/trial/hitting-set.ts';
import type { RecordedCall } from '../../src/trial/recorded-call.ts';
import { findSmallestSet } from '../../src/trial/smallest-set.ts';
import { TrialGate } from '../../src/trial/trial-gate.ts';

const folder = await tempFolder();
afterAll(() => folder.remove());

const policy: PolicyInForce = {
  mode: 'default',
  agentMode: null,
  allow: [],
  ask: [],
  deny: [],
  directories: [],
  locks: {},
  sandbox: null,
  place: { root: folder.path, additionalDirectories: [], readable: [], protected: [] },
};

const LINES = [
  'npm test',
  'npm test -- --bail',
  'npm run build && npm test',
  'make all',
  'make all && npm run build',
  'git commit -m a',
  'git commit -m b && make all',
  'touch x.txt',
  'touch y.txt && npm test',
  'npm run build > out.txt',
  'curl $X',
  'ls',
];

const callOf = (command: string, answer: 'approved' | 'refused'): RecordedCall => ({
  sessionId: 's',
  agentId: undefined,
  toolUseId: command,
  tool: command.startsWith('/') ? 'Read' : 'Bash',
  input: command.startsWith('/') ? { file_path: command } : { command },
  root: folder.path,
  cwd: folder.path,
  permission: undefined,
  policy,
  answer,
  answeredInput: undefined,
});

const newGate = () => new TrialGate({ files: nodeFiles, placeOf: placeOfCommand });

interface Best {
  readonly allowed: number;
  readonly size: number;
}

/** By trying every choice of what the dialog offers. */
async function tryEveryChoice(yes: readonly RecordedCall[], no: readonly RecordedCall[]): Promise<Best> {
  const gate = newGate();
  const offers: PolicyChange[] = [];
  for (const call of yes)
    for (const update of (await gate.judge(call, policy))?.suggestions ?? []) {
      if (update.type === 'addRules')
        offers.push(...update.rules.map((rule) => ({ allow: [formatRule(rule)] })));
      if (update.type === 'addDirectories')
        offers.push(...update.directories.map((each) => ({ directories: [each] })));
      if (update.type === 'setMode') offers.push({ mode: update.mode });
    }
  const distinct = [...new Map(offers.map((each) => [JSON.stringify(each), each])).values()];
  let best: Best = { allowed: 0, size: 0 };
  for (let bits = 0; bits < 2 ** distinct.length; bits++) {
    const chosen = distinct.filter((_, at) => (bits >> at) & 1);
    const changed = changePolicy(policy, {
      allow: chosen.flatMap(({ allow = [] }) => allow),
      directories: chosen.flatMap(({ directories = [] }) => directories),
      mode: chosen.find(({ mode }) => mode !== undefined)?.mode,
    });
    const allows = async (call: RecordedCall) => (await gate.judge(call, changed))?.verdict === 'allow';
    if ((await Promise.all(no.map(allows))).includes(true)) continue;
    const allowed = (await Promise.all(yes.map(allows))).filter(Boolean).length;
    const size = chosen.length;
    if (allowed > best.allowed || (allowed === best.allowed && size < best.size)) best = { allowed, size };
  }
  return best;
}

describe('the fewest offers', () => {
  it('are as few as any choice that allows as much', async () => {
    const lines = fc.shuffledSubarray(LINES, { minLength: 2, maxLength: 6 });
    let proven = 0;
    await fc.assert(
      fc.asyncProperty(lines, fc.integer({ min: 0, max: 2 }), async (drawn, refusals) => {
        const no = drawn.slice(0, refusals).map((line) => callOf(line, 'refused'));
        const asked = drawn.slice(refusals).map((line) => callOf(line, 'approved'));
        const gate = newGate();
        const yes: RecordedCall[] = [];
        for (const call of asked) if ((await gate.judge(call, policy))?.verdict === 'ask') yes.push(call);
        const weighed = (calls: readonly RecordedCall[]) => calls.map((call) => ({ call, policy, times: 1 }));
        const found = await findSmallestSet(weighed(yes), weighed(no), gate);
        if (!found.isSmallest) return;
        proven++;
        const { allowed, offers } = found;
        expect({ allowed, size: offers.length }).toEqual(await tryEveryChoice(yes, no));
      }),
      { numRuns: propertyRuns(12, 300) },
    );
    expect(proven).toBeGreaterThan(5);
  });
});

describe('a choice among candidates', () => {
  const set = fc.uniqueArray(fc.integer({ min: 0, max: 7 }), { minLength: 1, maxLength: 4 });
  const sets = fc.array(
    set.map((each): ReadonlySet<number> => new Set(each)),
    { maxLength: 8 },
  );

  it('is as small as any that meets the demands', () => {
    fc.assert(
      fc.property(sets, sets, (atLeastOne, notAll) => {
        let best: number | undefined;
        for (let bits = 0; bits < 256; bits++) {
          const chosen = new Set([...Array(8).keys()].filter((each) => (bits >> each) & 1));
          const isMet =
            atLeastOne.every((each) => [...each].some((one) => chosen.has(one))) &&
            notAll.every((each) => [...each].some((one) => !chosen.has(one)));
          if (isMet && (best === undefined || chosen.size < best)) best = chosen.size;
        }
        const found = chooseFewest({ atLeastOne, notAll });
        expect(found?.chosen.size).toBe(best);
        if (found !== undefined) expect(found).toMatchObject({ isSmallest: true, atLeast: best });
      }),
      { numRuns: propertyRuns(500, 20_000) },
    );
  });

  it('says how many are needed at least where the search was cut off', () => {
    const atLeastOne = Array.from(
      { length: 60 },
      (_, at) => new Set([at, (at * 7 + 1) % 60, (at * 11 + 5) % 60]),
    );
    const found = chooseFewest({ atLeastOne, notAll: [] }, 50);
    expect(found?.isSmallest).toBe(false);
    expect(found?.atLeast).toBeLessThanOrEqual(found?.chosen.size ?? 0);
    expect(found?.atLeast).toBeGreaterThan(5);
  });
});
