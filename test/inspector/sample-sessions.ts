/** A session that has a bit of everything: what the pictures of the docs show, and most tests. */
import type { MadeIteration, MadeSession } from './made-session.ts';

export const SAMPLE_ID = '5f2c9a10-3b7d-4c1e-9a55-0d6f1e2b3c4d';
export const AGENT_ID = 'a91c04e27f6b3d58';

const bash = (command: string, output: string, more: object = {}) => ({
  name: 'Bash',
  input: { command },
  output,
  ms: 1800,
  ...more,
});
const read = (file: string) => ({
  name: 'Read',
  input: { file_path: `/work/project/${file}` },
  output: `// ${file}\n${'const value = 1;\n'.repeat(30)}`,
  ms: 40,
});

export const SAMPLE: MadeSession = {
  sessionId: SAMPLE_ID,
  cwd: '/work/project',
  prompt: 'The test of the parser fails since yesterday. Find out why, fix it, and run all tests.',
  iterations: [
    {
      text: 'I look at the failing test first.',
      calls: [
        bash(
          'npm test -- parser',
          'FAIL  test/parser.test.ts\n  expected 3 tokens, received 2\n1 failed, 41 passed',
          { outcome: 'error', ms: 6200 },
        ),
      ],
      ms: 3100,
    },
    {
      calls: [
        read('src/parser.ts'),
        read('test/parser.test.ts'),
        { name: 'Grep', input: { pattern: 'splitTokens' }, output: 'src/parser.ts:41', ms: 60 },
      ],
      ms: 2600,
    },
    {
      attempts: [{ outcome: 'overloaded', status: 529 }, { waitedMs: 1600 }],
      calls: [
        {
          name: 'Task',
          input: { description: 'Look for other callers', prompt: 'Find all callers of splitTokens.' },
          output: 'Three callers; none depends on empty tokens.',
          ms: 14_500,
        },
      ],
      ms: 2900,
    },
    {
      calls: [
        {
          name: 'Edit',
          input: {
            file_path: '/work/project/src/parser.ts',
            old_string: 'if (token)\n  tokens.push(token);\nreturn tokens;',
            new_string: 'if (token !== undefined)\n  tokens.push(token);\nreturn tokens;',
          },
          output: 'The file is changed.',
          askedMs: 8200,
          permission: {
            verdict: 'allow',
            source: 'host',
            askedMs: 8200,
            ruled: { verdict: 'ask', source: 'mode' },
          },
        },
      ],
      ms: 3400,
    },
    { calls: [bash('npm test', '42 passed', { ms: 9100 })], ms: 1500 },
    {
      text: 'All tests pass. I check the style too.',
      calls: [
        bash('git push --force', 'Permission denied.', {
          outcome: 'denied',
          permission: {
            verdict: 'deny',
            source: 'rule',
            rule: 'Bash(git push:*)',
            ruleSource: 'projectSettings',
          },
        }),
      ],
      ms: 2000,
      idleMs: 900_000,
      usage: { cache_read_input_tokens: 0, cache_creation_input_tokens: 19_500 },
      cacheBreak: {
        kind: 'expired',
        tokens: 18_000,
        usd: 0.1035,
        why: 'The last request was 15 minutes before.',
      },
    },
    {
      prepare: [
        {
          step: 'microcompact',
          ran: true,
          why: '21000 tokens, not below 20000',
          tokensBefore: 21_000,
          tokensAfter: 14_200,
          ms: 12,
          replaced: ['a', 'b'],
        },
      ],
      calls: [bash('npm run lint', 'No problems.', { ms: 3100 })],
      usage: { cache_read_input_tokens: 9000, cache_creation_input_tokens: 5200 },
      cacheBreak: {
        kind: 'message_changed',
        tokens: 4700,
        usd: 0.027,
        uuid: 'x',
        why: 'Old tool results were cleared (microcompact).',
      },
      ms: 1700,
    },
    {
      text: 'The parser dropped empty tokens, as `if (token)` is false for an empty text. It keeps them now; all 42 tests pass, and the linter has nothing to say.',
      calls: [],
      ms: 4100,
      usage: { output_tokens: 610 },
    },
  ] satisfies readonly MadeIteration[],
};

export const AGENT: MadeSession = {
  sessionId: AGENT_ID,
  cwd: '/work/project',
  prompt: 'Find all callers of splitTokens.',
  agentType: 'explorer',
  startMs: Date.UTC(2026, 10, 30, 9, 0, 21),
  iterations: [
    {
      calls: [
        {
          name: 'Grep',
          input: { pattern: 'splitTokens\\(' },
          output: 'src/a.ts\nsrc/b.ts\nsrc/c.ts',
          ms: 90,
        },
      ],
      ms: 2100,
    },
    {
      calls: [
        { name: 'Read', input: { file_path: '/work/project/src/a.ts' }, ms: 30 },
        { name: 'Read', input: { file_path: '/work/project/src/b.ts' }, ms: 35 },
      ],
      ms: 3000,
    },
    { text: 'Three callers; none depends on empty tokens.', calls: [], ms: 2400 },
  ],
};
