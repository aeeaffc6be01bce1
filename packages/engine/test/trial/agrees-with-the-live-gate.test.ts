/** What the gate decided live, a trial under the recorded policy decides again. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import { propertyRuns } from '@turnwright/test/long-form.ts';
import { tempFolder } from '@turnwright/test/permissions/ask-doubles.ts';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { placeOfCommand } from '../../src/engine/sandbox/open-sandbox.ts';
import { readCalls } from '../../src/trial/recorded-calls.ts';
import { recordedVerdict, TrialGate } from '../../src/trial/trial-gate.ts';
import { type LiveSession, liveSession, recordSession } from './live-calls.ts';

const RUNS = propertyRuns(12, 1_000);
const folder = await tempFolder();
afterAll(() => folder.remove());

const cwd = join(folder.path, 'project');
beforeAll(async () => {
  await mkdir(join(cwd, 'd'), { recursive: true });
  await writeFile(join(cwd, 'a.txt'), 'a');
  await writeFile(join(cwd, '.env'), 'KEY=1');
});

async function differences(session: LiveSession): Promise<readonly unknown[]> {
  const entries = await recordSession(session, cwd);
  const read = readCalls(entries);
  const gate = new TrialGate({ files: nodeFiles, placeOf: placeOfCommand });
  const found: unknown[] = [];
  for (const call of read.calls) {
    const { permission, policy } = call;
    if (permission?.source === 'hook' && permission.askedMs === undefined && permission.verdict === 'deny')
      continue;
    if (permission === undefined || policy === undefined) {
      found.push({ call, why: 'no policy' });
      continue;
    }
    const judged = await gate.judge(call, policy);
    const { verdict, source, rule } = judged ?? {};
    // What a person wrote instead and a rule denied is not recorded.
    const last = call.answer === 'unknown' ? undefined : judged?.last;
    const now = { verdict, source, rule, last };
    const recorded = recordedVerdict(permission);
    const then = {
      verdict: recorded.verdict,
      source: recorded.source,
      rule: recorded.rule,
      last: call.answer === 'unknown' ? undefined : permission.verdict,
    };
    if (JSON.stringify(now) !== JSON.stringify(then))
      found.push({ tool: call.tool, input: call.input, permission, now, then });
  }
  return found;
}

it(`in ${RUNS} generated sessions`, async () => {
  await fc.assert(
    fc.asyncProperty(liveSession, async (session) => {
      expect(await differences(session)).toEqual([]);
    }),
    { numRuns: RUNS },
  );
}, 600_000);
