import { describe, expect, it } from 'vitest';
import { parseArgs } from '../src/flags/args.ts';
import { optionsFrom } from '../src/run/run-options.ts';

function parsed(...argv: string[]) {
  const invocation = parseArgs(argv, '1.2.3 test');
  if (invocation.command !== 'run') throw new Error(`is ${invocation.command}`);
  const { words, flags } = invocation;
  const options = optionsFrom(flags, { cwd: '/work', env: {}, partials: false, canUseTool: undefined });
  return { words, flags, options };
}

const STREAM = ['--output-format', 'stream-json', '--verbose', '--input-format', 'stream-json'];

describe('what the published client puts on the command line', () => {
  it('is all taken', () => {
    const { words, flags, options } = parsed(
      ...STREAM,
      '--max-thinking-tokens=2000',
      '--effort=low',
      '--max-turns=3',
      '--max-budget-usd=1',
      '--task-budget=50000',
      '--model=sonnet',
      '--agent=a',
      '--betas=context-1m-2025-08-07,other',
      '--json-schema={"type":"object"}',
      '--permission-prompt-tool=stdio',
      '--permission-prompts=host',
      '--allowedTools=Read,Bash(ls:*),Skill(s)',
      '--disallowedTools=Write',
      '--tools=Read,Bash',
      '--mcp-config',
      '{"mcpServers":{"st":{"command":"x","args":["y"]}}}',
      '--setting-sources=',
      '--strict-mcp-config',
      '--permission-mode=manual',
      '--fallback-model=haiku',
      '--include-hook-events',
      '--include-partial-messages',
      '--project-config-root=/conf',
      '--add-dir=/tmp',
      '--plugin-dir=/tmp/p',
      '--session-id=11111111-1111-4111-8111-111111111111',
      '--no-session-persistence',
      '--replay-user-messages',
      '--await-initialize',
      '--settings',
      '{"a":1}',
      '',
    );
    expect(words.filter((word) => word !== '')).toEqual([]);
    expect(flags).toMatchObject({
      inputFormat: 'stream-json',
      options: { permissionPromptToolName: 'stdio' },
    });
    expect(options).toMatchObject({
      maxThinkingTokens: 2_000,
      effort: 'low',
      maxTurns: 3,
      maxBudgetUsd: 1,
      taskBudget: { total: 50_000 },
      model: 'sonnet',
      betas: ['context-1m-2025-08-07', 'other'],
      outputFormat: { type: 'json_schema', schema: { type: 'object' } },
      allowedTools: ['Read', 'Bash(ls:*)', 'Skill(s)'],
      disallowedTools: ['Write'],
      tools: ['Read', 'Bash'],
      mcpServers: { st: { command: 'x', args: ['y'] } },
      settingSources: [],
      permissionMode: 'manual',
      fallbackModel: 'haiku',
      projectConfigRoot: '/conf',
      additionalDirectories: ['/tmp'],
      persistSession: false,
      replayUserMessages: true,
    });
  });

  it('takes values behind an equals sign and behind a blank', () => {
    for (const argv of [['--thinking=disabled'], ['--thinking', 'disabled']])
      expect(parsed(...argv).options.thinking).toEqual({ type: 'disabled' });
    expect(parsed('--thinking=adaptive', '--thinking-display=omitted').options.thinking).toEqual({
      type: 'adaptive',
      display: 'omitted',
    });
    for (const argv of [['--tools='], ['--tools', '']]) expect(parsed(...argv).options.tools).toEqual([]);
    expect(parsed('--tools=default').options.tools).toBeUndefined();
  });

  it('resume, fork and bypass', () => {
    const id = '11111111-1111-4111-8111-111111111111';
    expect(
      parsed(`--resume=${id}`, '--fork-session', '--allow-dangerously-skip-permissions').options,
    ).toMatchObject({ resume: id, forkSession: true, allowDangerouslySkipPermissions: true });
  });

  it('resume at a message, and a name', () => {
    expect(
      parsed('--resume=a', '--resume-session-at=b', '--resume-drops-turn=c', '--name', 'A name').options,
    ).toMatchObject({ resume: 'a', resumeSessionAt: 'b', resumeDropsTurn: 'c', title: 'A name' });
  });

  it('what would loosen or cut unseen is refused, not passed over', () => {
    for (const flag of ['--initialize-fields=x', '--sandbox'])
      expect(() => parsed(flag)).toThrow(/unknown option|settings and disallowedTools/i);
  });
});
