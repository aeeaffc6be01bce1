import { rules } from '@turnwright/engine/options/kinds.ts';
import { describe, expect, test } from 'vitest';
import { type Invocation, parseArgs } from '../src/flags/args.ts';
import { optionsFrom } from '../src/run/run-options.ts';
import { UsageError } from '../src/usage-error.ts';

function parsed<C extends Invocation['command']>(
  command: C,
  ...argv: string[]
): Extract<Invocation, { command: C }> {
  const invocation = parseArgs(argv, '1.2.3 test');
  expect(invocation.command).toBe(command);
  return invocation as Extract<Invocation, { command: C }>;
}

function optionsOf(...argv: string[]) {
  const { flags } = parsed('run', ...argv);
  return optionsFrom(flags, { cwd: '/work', env: { A: 'b' }, partials: false, canUseTool: undefined });
}

test('flags take their value behind a blank or an equals sign', () => {
  for (const argv of [
    ['--model', 'opus', 'do', 'it'],
    ['--model=opus', 'do', 'it'],
    ['do', '--model', 'opus', 'it'],
  ]) {
    expect(parsed('run', ...argv)).toMatchObject({
      words: ['do', 'it'],
      flags: { options: { model: 'opus' }, outputFormat: 'text' },
    });
  }
});

test('behind -- stands the task, also when it begins with the name of a command', () => {
  expect(parsed('run', '--', 'explain', 'this').words).toEqual(['explain', 'this']);
  expect(parsed('run', '--allowedTools', 'Read', '--', 'start').words).toEqual(['start']);
  expect(parsed('run', '--', 'docter').words).toEqual(['docter']);
  expect(parsed('run', '--', 'help').words).toEqual(['help']);
  expect(parsed('run', '-p', 'help').words).toEqual(['help']);
  expect(parsed('run', 'help', 'me').words).toEqual(['help', 'me']);
  expect(parsed('start', 'start', '--', 'explain').words).toEqual(['explain']);
  expect(parsed('run', 'context matters').words).toEqual(['context matters']);
  expect(parsed('run', '-p', 'contest').words).toEqual(['contest']);
});

test('lists take several words, until the next flag or --', () => {
  const { words, flags } = parsed('run', '--allowedTools', 'Read', 'Bash(git log:*),Glob', '--', 'do it');
  expect(words).toEqual(['do it']);
  expect(flags.options.allowedTools).toEqual(['Read', 'Bash(git log:*)', 'Glob']);
  expect(parsed('run', '--allowed-tools=Read', '-p', 'x').flags.options.allowedTools).toEqual(['Read']);
});

test('rules are split outside parentheses only', () => {
  expect(rules.read?.('Bash(rm -rf, *) Read,Edit(src/**)', undefined)).toEqual([
    'Bash(rm -rf, *)',
    'Read',
    'Edit(src/**)',
  ]);
  expect(rules.read?.('', ['Read'])).toEqual(['Read']);
});

test('subcommands know the flags of a run', () => {
  expect(parsed('start', 'start', 'do', 'it', '--model=haiku')).toMatchObject({
    words: ['do', 'it'],
    flags: { options: { model: 'haiku' } },
  });
  const rehearse = parsed(
    'rehearse',
    'rehearse',
    'a.yaml',
    'go',
    '--chaos',
    '7',
    '--rate',
    '0.2',
    '--port=0',
    '--max-turns=3',
  );
  expect(rehearse).toMatchObject({ scenario: 'a.yaml', words: ['go'] });
  expect(rehearse.flags).toMatchObject({ chaos: 7, rate: 0.2, port: 0, options: { maxTurns: 3 } });
  expect(parsed('explain', 'explain', 'abc').session).toBe('abc');
  expect(parsed('explain', 'explain').session).toBeUndefined();
  parsed('doctor', 'doctor');
  expect(() => parseArgs(['doctor', 'now'], '')).toThrow(UsageError);
  expect(() => parseArgs(['start', '--modle', 'x'], '')).toThrow(/did you mean --model/);
});

test('version and help are said', () => {
  expect(parsed('say', '-v').text).toBe('1.2.3 test\n');
  expect(parsed('say', 'doctor', '--help').text).toContain('turnwright doctor');
});

describe('as options', () => {
  test('the command line has defaults of its own, and leaves the rest to the engine', () => {
    const options = Object.entries(optionsOf('x')).filter(([, value]) => value !== undefined);
    expect(Object.fromEntries(options)).toMatchObject({
      cwd: '/work',
      env: { A: 'b' },
      includePartialMessages: false,
      persistSession: true,
      projectTrusted: false,
      systemPrompt: { type: 'preset', preset: 'turnwright' },
      settingSources: ['user', 'project', 'local'],
    });
    for (const name of ['model', 'tools', 'permissionMode', 'maxTurns', 'resume', 'settings']) {
      expect(Object.fromEntries(options)).not.toHaveProperty(name);
    }
  });

  test('each flag has its option', () => {
    const argv = [
      ['-r', 'abc'],
      ['--fallback-model', 'a,b'],
      ['--max-turns', '3'],
      ['--max-budget-usd', '0.5'],
      ['--disallowedTools', 'Bash(rm:*)'],
      ['--add-dir', '../other', '/abs'],
      ['--session-id', '0B8F7A52-5d0e-4d0c-9a39-6f1f2a3b4c5d'],
      ['--json-schema', '{"type":"object"}'],
      ['--setting-sources', 'user'],
      ['--no-session-persistence'],
    ].flat();
    expect(optionsOf(...argv, '-p', 'x')).toMatchObject({
      resume: 'abc',
      fallbackModel: 'a,b',
      maxTurns: 3,
      maxBudgetUsd: 0.5,
      disallowedTools: ['Bash(rm:*)'],
      additionalDirectories: ['/other', '/abs'],
      sessionId: '0b8f7a52-5d0e-4d0c-9a39-6f1f2a3b4c5d',
      outputFormat: { type: 'json_schema', schema: { type: 'object' } },
      settingSources: ['user'],
      persistSession: false,
    });
  });

  test('tools: names, none, all', () => {
    expect(optionsOf('--tools', 'Read,Bash', '-p', 'x').tools).toEqual(['Read', 'Bash']);
    expect(optionsOf('--tools', '', '-p', 'x').tools).toEqual([]);
    expect(optionsOf('--tools=default', 'x').tools).toBeUndefined();
  });

  test('skipping permissions is said twice, as the engine asks', () => {
    expect(optionsOf('--dangerously-skip-permissions', 'x')).toMatchObject({
      permissionMode: 'bypassPermissions',
      allowDangerouslySkipPermissions: true,
    });
    expect(optionsOf('--permission-mode=plan', 'x')).toMatchObject({ permissionMode: 'plan' });
  });

  test('the system prompt: Turnwright’s own, longer, or another', () => {
    expect(optionsOf('--append-system-prompt', 'More.', 'x').systemPrompt).toMatchObject({ append: 'More.' });
    expect(optionsOf('--system-prompt', 'Mine.', 'x').systemPrompt).toBe('Mine.');
    expect(
      optionsOf('--system-prompt', 'Mine.', '--append-system-prompt', 'More.', 'x').systemPrompt,
    ).toEqual(['Mine.', 'More.']);
  });

  test('no settings files at all', () => {
    expect(optionsOf('--setting-sources', '', 'x').settingSources).toEqual([]);
    expect(optionsOf('--setting-sources=', 'x').settingSources).toEqual([]);
  });
});

test('rules keep what is inside their parentheses', () => {
  expect(rules.read?.('Read, Bash(git log:*) Bash(echo $(date), x)', ['Glob'])).toEqual([
    'Glob',
    'Read',
    'Bash(git log:*)',
    'Bash(echo $(date), x)',
  ]);
  expect(rules.read?.('', undefined)).toEqual([]);
  for (const open of ['Bash(git', 'Bash(a))', ')'])
    expect(() => rules.read?.(open, undefined)).toThrow('parenthesis');
});
