/** Ten thousand recorded calls, most of them commands, no two alike: each goes through the gate. */

import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import { isLong } from '@turnwright/test/long-form.ts';
import { tempFolder } from '@turnwright/test/permissions/ask-doubles.ts';
import { afterAll, expect, it } from 'vitest';
import { placeOfCommand } from '../../src/engine/sandbox/open-sandbox.ts';
import type { PolicyInForce } from '../../src/protocol/session/policy-in-force.ts';
import { checkedChange } from '../../src/trial/changed-policy.ts';
import type { RecordedCall } from '../../src/trial/recorded-call.ts';
import { tryCalls } from '../../src/trial/try-calls.ts';

const folder = await tempFolder();
afterAll(() => folder.remove());

const policy: PolicyInForce = {
  mode: 'default',
  agentMode: null,
  allow: [['userSettings', 'Bash(npm run lint:*)', 'Bash(git diff:*)', 'Edit(docs/**)']],
  ask: [['userSettings', 'Bash(git push:*)']],
  deny: [['projectSettings', 'Read(.env)', 'Bash(rm -rf:*)']],
  directories: [],
  locks: {},
  sandbox: null,
  place: {
    root: folder.path,
    home: folder.path,
    searchPath: '/usr/bin:/bin',
    additionalDirectories: [],
    readable: [],
    protected: [],
  },
};

const LINES: readonly ((n: number) => string)[] = [
  (n) => `npm test -- --grep "case ${n}" && git diff HEAD~${n}`,
  (n) => `grep -rn word${n} src | head -${(n % 40) + 1}`,
  (n) => `cd packages/p${n} && npm run build > build-${n}.log 2>&1`,
  (n) => `for f in a${n} b${n}; do node scripts/run.mjs $f; done`,
  (n) => `git commit -m "Change ${n}"`,
  (n) => `rm -rf build/${n}`,
];
/** By the line's number: what the policy says of it. */
const RECORDED = ['ask', 'allow', 'ask', 'ask', 'ask', 'deny'] as const;

function callAt(n: number): RecordedCall {
  const isRead = n % 5 === 4;
  const verdict = isRead ? 'allow' : RECORDED[n % LINES.length];
  const input = isRead ? { file_path: `src/file-${n}.ts` } : { command: LINES[n % LINES.length]?.(n) ?? '' };
  return {
    sessionId: 's',
    agentId: undefined,
    toolUseId: `toolu_${n}`,
    tool: isRead ? 'Read' : 'Bash',
    input,
    root: folder.path,
    cwd: folder.path,
    policy,
    answeredInput: undefined,
    ...(verdict === 'ask'
      ? {
          answer: 'approved',
          permission: {
            verdict: 'allow',
            source: 'host',
            askedMs: 1,
            ruled: { verdict: 'ask', source: 'other' },
          },
        }
      : { answer: 'not-asked', permission: { verdict: verdict ?? 'allow', source: 'rule' } }),
  };
}

it.runIf(isLong)('takes less than half a millisecond of CPU for a call', async () => {
  const calls = Array.from({ length: 10_000 }, (_, n) => callAt(n));
  const before = process.cpuUsage();
  const report = await tryCalls(calls, {
    files: nodeFiles,
    placeOf: placeOfCommand,
    smallest: false,
    change: checkedChange({ allow: ['Bash(npm test:*)', 'Bash(grep:*)'], deny: ['Bash(git commit:*)'] }),
    basisFor: async () => policy,
  });
  const { user, system } = process.cpuUsage(before);
  expect(report).toMatchObject({ calls: 10_000, newlyAsked: 0 });
  expect((user + system) / 1_000 / 10_000).toBeLessThan(0.5);
});
