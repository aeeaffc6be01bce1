import { propertyRuns } from '@turnwright/test/long-form.ts';
import { question, TOOLS } from '@turnwright/test/permissions/ask-doubles.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createPermissions } from '../../src/permissions/permission-engine.ts';
import { parseRule } from '../../src/permissions/rules/permission-rule.ts';
import {
  formatRule,
  PERMISSION_MODES,
  type PermissionRuleSource,
} from '../../src/protocol/tools/permission.ts';

/** For as many runs as are asked for. */
const LIMIT_MS = 20 * 60_000;

/** A disk on which everything is what it says. */
const files = {
  realpath: async (path: string) => path,
  lstat: async () => undefined,
  readDir: async () => [],
};

const calls = fc.oneof(
  fc.record({
    tool: fc.constant(TOOLS.Bash),
    input: fc.record({ command: fc.constantFrom('git status', 'git push && ls', 'rm -rf x', 'echo "a"') }),
  }),
  fc.record({
    tool: fc.constantFrom(TOOLS.Read, TOOLS.Edit, TOOLS.Write),
    input: fc.record({
      path: fc.constantFrom('/proj/src/a.ts', '/proj/.env', '/proj/.git/config', '/etc/passwd'),
    }),
  }),
  fc.record({ tool: fc.constantFrom(TOOLS.TodoWrite, TOOLS.Mcp, TOOLS.AskUser), input: fc.constant({}) }),
);
const ruleTexts = fc.constantFrom(
  'Bash',
  'Bash(git:*)',
  'Bash(git status)',
  'Bash(rm:*)',
  'Read',
  'Edit',
  'Write',
  'Read(src/**)',
  'Edit(src/**)',
  'Edit(//etc/**)',
  'mcp__github',
  'TodoWrite',
  'AskUserQuestion',
  '*',
);
const sources = fc.constantFrom<PermissionRuleSource>(
  'policySettings',
  'flagSettings',
  'command',
  'userSettings',
  'projectSettings',
  'localSettings',
  'session',
  'cliArg',
);
const someRules = fc.array(ruleTexts, { maxLength: 4 });
const settings = fc.record({
  mode: fc.constantFrom(...PERMISSION_MODES),
  rules: fc.dictionary(sources, fc.record({ allow: someRules, ask: someRules, deny: someRules }), {
    maxKeys: 3,
  }),
});

const decide = (
  options: object,
  { tool, input }: { tool: (typeof TOOLS)[keyof typeof TOOLS]; input: object },
) =>
  createPermissions({ files, allowDangerouslySkipPermissions: true, hasJudge: true, ...options }).decide(
    question(tool, { ...input }, '/proj'),
  );

describe('whatever the rules, modes and sources', () => {
  it(
    'deny always wins: one that holds alone holds in any company',
    async () => {
      await fc.assert(
        fc.asyncProperty(calls, settings, ruleTexts, async (call, others, deny) => {
          const alone = await decide({ mode: 'bypassPermissions', deny: [deny] }, call);
          fc.pre(alone.kind === 'deny');
          expect((await decide({ ...others, deny: [deny] }, call)).kind).toBe('deny');
        }),
        { numRuns: propertyRuns(350, 2_000) },
      );
    },
    LIMIT_MS,
  );

  it(
    'an allow rule more never turns deny into anything else, and a deny rule more never turns it away',
    async () => {
      await fc.assert(
        fc.asyncProperty(calls, settings, ruleTexts, async (call, given, rule) => {
          const before = (await decide(given, call)).kind;
          const allowed = (await decide({ ...given, allow: [rule] }, call)).kind;
          const denied = (await decide({ ...given, deny: [rule] }, call)).kind;
          if (before === 'deny' && given.mode !== 'dontAsk') expect(allowed).toBe('deny');
          if (before === 'deny') expect(denied).toBe('deny');
          expect([before, 'deny']).toContain(denied);
        }),
        { numRuns: propertyRuns(350, 2_000) },
      );
    },
    LIMIT_MS,
  );

  it(
    'no order of the sources makes a denied call allowed',
    async () => {
      const shuffled = settings.chain((given) =>
        fc.record({
          given: fc.constant(given),
          entries: fc.shuffledSubarray(Object.entries(given.rules), {
            minLength: Object.keys(given.rules).length,
          }),
        }),
      );
      await fc.assert(
        fc.asyncProperty(calls, shuffled, async (call, { given, entries }) => {
          const first = await decide(given, call);
          const other = await decide({ ...given, rules: Object.fromEntries(entries) }, call);
          expect(other.kind).toBe(first.kind);
        }),
        { numRuns: propertyRuns(175, 1_000) },
      );
    },
    LIMIT_MS,
  );

  it(
    'F88 with allowedToolsOnly, what runs is named by an allow rule, in every mode',
    async () => {
      await fc.assert(
        fc.asyncProperty(calls, settings, async (call, given) => {
          const listed = await decide({ ...given, locks: { allowedToolsOnly: true } }, call);
          const free = await decide(given, call);
          if (free.kind === 'deny') expect(listed.kind).toBe('deny');
          const allows = Object.values(given.rules).flatMap(({ allow }) => allow);
          if (allows.length === 0 && call.tool !== TOOLS.TodoWrite && call.tool !== TOOLS.AskUser)
            expect(listed.kind).toBe('deny');
        }),
        { numRuns: propertyRuns(175, 1_000) },
      );
    },
    LIMIT_MS,
  );

  it(
    'dontAsk never asks, bypass asks only where a person must answer',
    async () => {
      await fc.assert(
        fc.asyncProperty(calls, settings, async (call, given) => {
          expect((await decide({ ...given, mode: 'dontAsk' }, call)).kind).not.toBe('ask');
          const bypassed = (await decide({ ...given, mode: 'bypassPermissions' }, call)).kind;
          if (bypassed === 'ask') expect(call.tool).toBe(TOOLS.AskUser);
        }),
        { numRuns: propertyRuns(175, 1_000) },
      );
    },
    LIMIT_MS,
  );

  it(
    'a call with a decision gets the same one again',
    async () => {
      await fc.assert(
        fc.asyncProperty(calls, settings, async (call, given) => {
          expect(await decide(given, call)).toEqual(await decide(given, call));
        }),
        { numRuns: propertyRuns(70, 1_000) },
      );
    },
    LIMIT_MS,
  );
});

it('a rule reads back as it was written', () => {
  const content = fc
    .string({ unit: 'grapheme-ascii', minLength: 1 })
    .map((text) => text.trim())
    .filter((text) => text !== '' && text !== '*' && text !== ':*');
  fc.assert(
    fc.property(content, (ruleContent) => {
      expect(parseRule(formatRule({ toolName: 'Bash', ruleContent }))).toEqual({
        toolName: 'Bash',
        ruleContent,
      });
    }),
  );
});
