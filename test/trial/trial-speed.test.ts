/** Ten thousand recorded calls, most of them commands, no two alike. */
import { afterAll, expect, it } from 'vitest';
import { placeOfCommand } from '../../src/engine/sandbox/open-sandbox.ts';
import type { PolicyInForce } from '../../src/protocol/session/policy-in-force.ts';
import { checkedChange } from '../../src/trial/changed-policy.ts';
import type { RecordedCall } from '../../src/trial/recorded-call.ts';
import { tryCalls } from '../../src/trial/try-calls.ts';
import { nodeFiles } from '../../src/util/files/node-files.ts';
import { tempFolder } from '../permissions/ask-doubles.ts';

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
const LINES = [
  (n: number) => `npm test -- --grep "case ${n}" && git diff HEAD~${n}`,
  (n: number) => `grep -rn word${n} src | head -${(n % 40) + 1}`,
  (n: number) => `cd packages/p${n} && npm run build > build-${n}.log 2>&1`,
  (n: number) => `for f in a${n} b${n}; do node scripts/run.mjs $f; done`,
  (n: number) => `git commit -m "Change ${n}"`,
  (n: number) => `rm -rf build/${n}`,
];
const calls: RecordedCall[] = Array.from({ length: 10_000 }, (_, n) => {
  const input =
    n % 5 === 4 ? { file_path: `src/file-${n}.ts` } : { command: LINES[n % LINES.length]?.(n) ?? '' };
  return {
    sessionId: 's',
    agentId: undefined,
    toolUseId: `t${n}`,
    tool: n % 5 === 4 ? 'Read' : 'Bash',
    input,
    root: folder.path,
    cwd: folder.path,
    policy,
    answer: 'approved',
    answeredInput: undefined,
    permission: {
      verdict: 'allow',
      source: 'host',
      askedMs: 1,
      ruled: { verdict: 'ask', source: 'other' },
      policy: 'p',
    },
  };
});

it('takes less than half a millisecond for a call', async () => {
  const t = performance.now();
  const report = await tryCalls(calls, {
    files: nodeFiles,
    placeOf: placeOfCommand,
    smallest: process.env.SMALL === '1',
    change: checkedChange({ allow: ['Bash(npm test:*)', 'Bash(grep:*)'], deny: ['Bash(git commit:*)'] }),
    basisFor: async () => policy,
  });
  const ms = performance.now() - t;
  console.log(ms, JSON.stringify({ ...report, changed: report.changed.length }).slice(0, 3000));
  expect(report.calls).toBe(10_000);
}, 600_000);
