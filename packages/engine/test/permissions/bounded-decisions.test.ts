/** Whatever a line and the rules are made of, a decision about them takes a bounded number of steps, and is made. */

import { inForm } from '@turnwright/test/long-form.ts';
import { question, TOOLS } from '@turnwright/test/permissions/ask-doubles.ts';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createCase } from '../../src/permissions/decide/case-of.ts';
import { decideCall } from '../../src/permissions/decide/decide-call.ts';
import type { PermissionState } from '../../src/permissions/decide/evaluation.ts';
import { MOST_AT_ONCE, Steps } from '../../src/permissions/decide/steps.ts';
import { createPermissions } from '../../src/permissions/permission-engine.ts';
import { createRuleSet } from '../../src/permissions/rules/rule-set.ts';
import { usableSettings } from '../../src/settings/read/usable-settings.ts';
import { type NastyCase, nastyCases } from './nasty-lines.ts';

/** A disk on which everything is what it says, and nothing is there. */
const files = {
  realpath: async (path: string) => path,
  lstat: async () => undefined,
  readDir: async () => [],
};

async function decided({ command, options }: NastyCase, tool = TOOLS.Bash) {
  const state: PermissionState = {
    mode: options.mode ?? 'default',
    rules: createRuleSet([['cliArg', options]]),
    directories: [],
    readableDirectories: () => [],
    home: '/home/u',
    ignoreCase: false,
    files,
    blockReadsOutside: false,
    blockWritesOutside: false,
    allowedToolsOnly: false,
    searchPath: undefined,
    protection: { home: '/home/u', folders: () => [], memoryImportsAnywhere: false },
  };
  const asked = question(tool, { command, path: command, pattern: command }, '/proj');
  const each = createCase(asked, state);
  const verdict = await decideCall(asked, state, each);
  return { verdict, steps: each.context.steps };
}

const times = (text: string, number: number) => text.repeat(number);

/** What blocked a process for seconds, each in a form of its own. */
const HEAVY: readonly (readonly [string, NastyCase['options'], boolean])[] = [
  [
    `cat ${times('$x ', 1900)}`,
    { deny: Array.from({ length: 200 }, (_, at) => `Read(s${at}/**/k*)`) },
    false,
  ],
  [`cat ${times('*a', 2000)}b`, { deny: [`Read(${times('a', 950)})`] }, true],
  [`cat ${times('*a', 2000)}b`, { deny: [`Bash(cat ${times('a', 950)}:*)`] }, true],
  [`cat ${times('[a-z]*', 1500)}b`, { deny: ['Read(.env)', 'Read(**/*.pem)'] }, false],
  [`cat ${times('{a,b}', 1900)}`, { deny: [`Read(${times('?', 950)})`] }, false],
  [`cat ${times('=a/b', 2400)}`, { deny: [`Read(${times('*a', 450)}c)`] }, false],
  [`git commit -m "${times('ab', 4900)}"`, { allow: [`Bash(git commit -m "${times('*a', 450)}c")`] }, true],
  [
    `x ${times('a', 500_000)}`,
    { deny: Array.from({ length: 300 }, () => `Bash(${times('a', 900)}:*)`) },
    true,
  ],
  [times('for a in b; do :; done; ', 400), { deny: ['Read(.env)'] }, false],
  [`find . -exec cat ${times('"$x" < a ', 900)}`, { deny: ['Read(.env)'] }, false],
  [
    `${Array.from({ length: 20 }, (_, at) => `for v${at} in "${at === 0 ? 'x*' : times(`$v${at - 1}`, 8)}"; do `).join('')}cat "$v19"${times('; done', 20)}`,
    { deny: ['Read(.env)'] },
    true,
  ],
];

describe('a line that costs much', () => {
  it.each(
    HEAVY.map(([command, options, over]) => [command.slice(0, 30), { command, options }, over] as const),
  )('%s… is decided within the bound', async (_, each, over) => {
    const { verdict, steps } = await decided(each);
    expect(verdict.kind).toBe('ask');
    expect(steps.longest).toBeLessThan(2 * MOST_AT_ONCE);
    expect(steps.taken > steps.most || steps.longest > MOST_AT_ONCE).toBe(over);
    if (over) expect(JSON.stringify(verdict)).toContain('more steps than one decision may take');
  });

  const [, , heavy] = HEAVY;
  const over: NastyCase = { command: heavy?.[0] ?? '', options: heavy?.[1] ?? {} };

  it('is denied in dontAsk and in plan mode', async () => {
    for (const mode of ['dontAsk', 'plan'] as const) {
      const { verdict } = await decided({ ...over, options: { ...over.options, mode } });
      expect(verdict.kind).toBe('deny');
    }
  });

  it('is asked about in bypassPermissions too, as what a rule may forbid is', async () => {
    const permissions = createPermissions({
      files,
      ...over.options,
      mode: 'bypassPermissions',
      allowDangerouslySkipPermissions: true,
    });
    const verdict = await permissions.decide(question(TOOLS.Bash, { command: over.command }, '/proj'));
    expect(verdict).toMatchObject({ kind: 'ask', reasonType: 'safetyCheck', suggestions: [] });
  });

  it('has an explanation', async () => {
    const asked = question(TOOLS.Bash, { command: over.command }, '/proj');
    const permissions = createPermissions({ files, ...over.options });
    const said = await permissions.explain({ ...asked, message: 'why' }, {
      locate: async () => undefined,
      scopes: async () => [],
    } as never);
    expect(said).toMatchObject({ verdict: 'ask', segments: [], unseen: expect.stringContaining('steps') });
  });
});

it.each([
  [10, 'deny'],
  [63, 'deny'],
  [200, 'ask'],
] as const)(
  'a word with %i signs behind which a path may begin: the denied file is found, or may be any',
  async (signs, kind) => {
    // No piece between the signs is the path, which has one itself.
    const command = `tool k=x=y/${times('a=', signs - 2)}`;
    const options = { allow: ['Bash(tool:*)'] };
    expect((await decided({ command, options })).verdict.kind).toBe('allow');
    expect((await decided({ command, options: { ...options, deny: ['Read(x=y/**)'] } })).verdict.kind).toBe(
      kind,
    );
  },
);

describe('a pause', () => {
  it('is made after 10 ms, however little was counted', () => {
    const now = vi.spyOn(performance, 'now').mockReturnValue(0);
    onTestFinished(() => now.mockRestore());
    const steps = new Steps();
    expect(steps.pause()).toBeUndefined();
    now.mockReturnValue(10);
    expect(steps.pause()).toBeInstanceOf(Promise);
  });

  it('is one for all that goes on side by side', async () => {
    const steps = new Steps();
    steps.take(5_000);
    const [first, second] = [steps.pause(), steps.pause()];
    expect(second).toBe(first);
    await first;
    expect(steps.pause()).toBeUndefined();
  });
});

describe('rules', () => {
  const long = times('a', 1000);

  it.each([
    ['a deny rule', { deny: [`Read(${long})`] }],
    ['an ask rule', { ask: [`Bash(${long}:*)`] }],
    ['an allow rule with a star', { allow: [`Bash(${long} *)`] }],
  ])('%s of more than 1,000 characters is refused', (_, rules) => {
    expect(() => createPermissions({ files, ...rules })).toThrow('longer than the 1000 characters');
  });

  it('an allow rule without a star may have any length', async () => {
    const command = `node -e '${times('a', 3000)}'`;
    const permissions = createPermissions({ files, allow: [`Bash(${command})`] });
    const verdict = await permissions.decide(question(TOOLS.Bash, { command }, '/proj'));
    expect(verdict.kind).toBe('allow');
  });

  it.each<readonly [string, object, RegExp]>([
    ['deny', { deny: [`Read(${long})`] }, /permissions\.deny\.0: expected a rule of at most 1000 characters/],
    ['ask', { ask: [`Read(${long})`] }, /permissions\.ask\.0: expected a rule of at most 1000/],
    [
      'deny',
      { deny: Array.from({ length: 5001 }, () => 'Read(x)') },
      /permissions\.deny: expected at most 5000 rules/,
    ],
  ])('a settings file with too much of %s closes, and is named', (_, permissions, said) => {
    expect(() => usableSettings({ permissions }, '/p/settings.json')).toThrow(said);
  });

  it('an allow rule of a settings file that is too long is passed over, and named', () => {
    const { settings, skipped } = usableSettings(
      { permissions: { allow: [`Bash(${long} *)`, 'Bash(ls)'], deny: ['Read(x)'] } },
      '/p/settings.json',
    );
    expect(settings.permissions).toMatchObject({ allow: ['Bash(ls)'], deny: ['Read(x)'] });
    expect(skipped.join()).toContain('permissions.allow.0');
  });
});

it('words that are alike are decided once', async () => {
  const deny = ['Read(secrets/**/k*)', 'Read(**/*.pem)'];
  const of = async (command: string) => (await decided({ command, options: { deny } })).steps.taken;
  const once = await of('cat a*b');
  expect(await of(`cat ${times('a*b ', 1000)}`)).toBeLessThan(3 * once + 2000);
});

it('what people write is decided far below the bound, beside many rules', async () => {
  const deny = Array.from({ length: 100 }, (_, at) => `Read(packages/pkg-${at}/secrets/**/*.key)`);
  for (const command of [
    'grep -rn import src --include=*.ts',
    'for f in docs/*.ts; do wc -l "$f"; done && cp test/server.test.ts{,.bak}',
  ]) {
    const { steps } = await decided({ command, options: { deny } });
    expect(steps.taken, command).toBeLessThan(steps.most / 10);
    expect(steps.longest, command).toBeLessThan(MOST_AT_ONCE / 2);
  }
});

it('a path of any length is decided', async () => {
  for (const path of [times('a/', 400_000), times('[a]*', 1000), times('{a,b}', 22), times('../', 2000)])
    for (const tool of [TOOLS.Read, TOOLS.Grep, TOOLS.Write]) {
      const { verdict } = await decided(
        { command: path, options: { deny: [`Read(${times('*a', 400)}b)`] } },
        tool,
      );
      expect(['ask', 'deny', 'allow']).toContain(verdict.kind);
    }
});

it('lines and rules that are made to cost much are decided within the bound', async () => {
  for (const each of nastyCases(1, inForm(60, 10_000, 500))) {
    const { verdict, steps } = await decided(each);
    expect(['allow', 'ask', 'deny'], each.command).toContain(verdict.kind);
    expect(steps.longest, each.command).toBeLessThan(2 * MOST_AT_ONCE);
  }
}, 900_000);
