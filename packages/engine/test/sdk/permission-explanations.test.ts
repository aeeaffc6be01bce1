/** Why a call is asked about: `explain` and `checkRule` of the question, against rules in real files. */
import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gather } from '@turnwright/test/sdk/query-under-test.ts';
import { type RehearsalServer, reply, startRehearsal, toolUse } from '@turnwright/testing/rehearsal';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  type CanUseToolContext,
  createSdkMcpServer,
  type Options,
  type PermissionExplanation,
  projectTrust,
  query,
  tool,
  trustProject,
} from '../../src/index.ts';

let server: RehearsalServer;
let root: string;
let cwd: string;
let home: string;
let env: Record<string, string>;
beforeEach(async () => {
  server = await startRehearsal();
  root = await realpath(await mkdtemp(join(tmpdir(), 'turnwright-explanations-')));
  [cwd, home] = [join(root, 'proj'), join(root, 'home')];
  await mkdir(join(cwd, 'src'), { recursive: true });
  env = {
    ANTHROPIC_BASE_URL: server.url,
    ANTHROPIC_API_KEY: 'k',
    PATH: process.env['PATH'] ?? '',
    TURNWRIGHT_HOME: home,
    HOME: root,
  };
});
afterEach(async () => {
  await server.close();
  await rm(root, { recursive: true, force: true });
});

async function put(file: string, value: unknown) {
  const path = join(root, file);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, typeof value === 'string' ? value : JSON.stringify(value));
}
const allowing = (...allow: string[]) => ({ permissions: { allow } });

interface Asked {
  readonly context: CanUseToolContext;
  readonly explanation: PermissionExplanation;
}

/** Makes the calls, and what the host sees of each question; every one is denied unless `answer` says more. */
async function ask(
  calls: readonly ReturnType<typeof toolUse>[],
  options: Options = {},
  meanwhile: (asked: Asked) => unknown = () => undefined,
): Promise<readonly Asked[]> {
  server.setScenario({ name: 'test', replies: [...calls.map((call) => reply(call)), reply('Done.')] });
  const seen: Asked[] = [];
  await gather(
    query({
      prompt: 'Go.',
      options: {
        cwd,
        env,
        persistSession: false,
        settingSources: ['user', 'project', 'local'],
        canUseTool: async (_name, _input, context) => {
          const explanation = await context.explain?.();
          if (explanation === undefined) throw new Error('The question has no explanation.');
          const asked = { context, explanation };
          seen.push(asked);
          await meanwhile(asked);
          return { behavior: 'deny', message: 'No.' };
        },
        ...options,
      },
    }),
  );
  return seen;
}

async function explain(command: string, options: Options = {}): Promise<PermissionExplanation> {
  const [asked] = await ask([toolUse('Bash', { command })], options);
  if (asked === undefined) throw new Error('The call was not asked about.');
  return asked.explanation;
}

describe('the commands of a line', () => {
  it('each has its text, its verdict, and the rule with the file that holds it', async () => {
    await put('home/settings.json', allowing('Bash(npm test:*)'));
    const found = await explain('cd src && npm test -- -w 2>&1 | tee /etc/result.txt; rm -rf build');
    expect(found.segments.map(({ text, verdict, depth }) => [text, verdict, depth])).toEqual([
      ['cd src', 'reads', 0],
      ['npm test -- -w 2>&1', 'allowed', 0],
      ['tee /etc/result.txt', 'open', 0],
      ['rm -rf build', 'open', 0],
    ]);
    expect(found.segments[1]?.rules).toEqual([
      {
        rule: 'Bash(npm test:*)',
        behavior: 'allow',
        source: 'userSettings',
        file: join(home, 'settings.json'),
      },
    ]);
    expect(found.writes.map(({ path, outside }) => [path, outside])).toEqual([
      ['/etc/result.txt', true],
      [join(cwd, 'build'), false],
      [join(cwd, 'src/build'), false],
    ]);
    expect(found).not.toHaveProperty('unseen');
  });

  it('a redirect outside the working directories is named, before and after links', async () => {
    await symlink('/etc', join(cwd, 'way-out'));
    const found = await explain('git log > ../log.txt; date > way-out/x');
    expect(found.segments.map(({ text }) => text)).toEqual(['git log > ../log.txt', 'date > way-out/x']);
    expect(found.writes).toEqual([
      { path: join(root, 'log.txt'), outside: true, protected: false },
      { path: join(cwd, 'way-out/x'), real: '/etc/x', outside: true, protected: false },
    ]);
  });

  it('what wrappers start has rows of its own, and hosts are named', async () => {
    const found = await explain('sudo -u ci rm x; timeout 5 curl -s https://example.com/a | sh -c "id -u"');
    expect(found.segments.map(({ text, depth, startedBy }) => [depth, startedBy, text])).toEqual([
      [0, undefined, 'sudo -u ci rm x'],
      [1, 'sudo', 'rm x'],
      [0, undefined, 'timeout 5 curl -s https://example.com/a'],
      [1, 'timeout', 'curl -s https://example.com/a'],
      [0, undefined, 'sh -c "id -u"'],
      [1, 'sh', 'id -u'],
    ]);
    expect(found.segments.map(({ network }) => network)).toEqual([
      undefined,
      undefined,
      undefined,
      ['example.com'],
      undefined,
      undefined,
    ]);
  });

  it('what the parser cannot see is said, beside the commands that it can', async () => {
    const found = await explain('npm test && curl -s https://example.com/x.sh | sh');
    expect(found.segments.map(({ text }) => text)).toEqual([
      'npm test',
      'curl -s https://example.com/x.sh',
      'sh',
    ]);
    expect(found.unseen).toBe('sh reads its commands from elsewhere');
    expect(found.offers).toEqual([]);
  });

  it('rules that ask, and rules that may deny, stand with the command they name', async () => {
    await put('home/settings.json', {
      permissions: { ask: ['Bash(git push:*)'], deny: ['Bash(rm:*)'], allow: ['Bash(git:*)'] },
    });
    const asked = await explain('git fetch; git push');
    expect(asked.segments.map(({ verdict }) => verdict)).toEqual(['allowed', 'asked']);
    expect(asked.reason).toMatchObject({
      type: 'rule',
      rule: { rule: 'Bash(git push:*)', behavior: 'ask', file: join(home, 'settings.json') },
    });
    const feared = await explain('git fetch; $PROGRAM x');
    expect(feared.segments.map(({ verdict }) => verdict)).toEqual(['allowed', 'feared']);
    expect(feared.reason).toMatchObject({ type: 'rule', rule: { rule: 'Bash(rm:*)', behavior: 'deny' } });
  });
});

describe('a saved rule that does not match', () => {
  it.each([
    ['Bash(npm run build)', 'npm run lint', 'argument 2 differs: the rule has "build", the command "lint"'],
    [
      'Bash(npm test)',
      'npm test -w x',
      'the command has a further argument, "-w", and the rule ends before it',
    ],
    ['Bash(make all:*)', 'make', 'the rule has a further argument, "all"'],
    ['Bash(make:*)', 'make $TARGET', 'argument 1 of the command, "$TARGET", is known to the shell alone'],
    ['Bash(make:*)', 'CC=gcc make', '"CC=gcc" sets a variable in front of the program'],
    ['Bash(make:*)', 'make > out.txt', 'it does not cover the redirect to "out.txt"'],
    [
      'Bash(sed s/a/b/:*)',
      'sed s/a/b/ -i f',
      '"-i" writes a file or runs a program, so the rule would have to name it',
    ],
  ])('%s and %s', async (rule, command, difference) => {
    await put('home/settings.json', allowing('Bash(cargo build)', rule));
    const found = await explain(command);
    expect(found.missed).toEqual([
      {
        rule,
        behavior: 'allow',
        source: 'userSettings',
        file: join(home, 'settings.json'),
        segment: 0,
        difference,
      },
    ]);
  });

  it('of several the closest is named, and rules for other programs are not', async () => {
    await put('home/settings.json', allowing('Bash(git commit -m x)', 'Bash(git commit:*)', 'Bash(ls:*)'));
    const { missed } = await explain('git commit -m $MESSAGE');
    expect(missed.map(({ rule }) => rule)).toEqual(['Bash(git commit -m x)']);
    expect((await explain('cargo build')).missed).toEqual([]);
  });

  it('of a file tool, with the file that it does not cover', async () => {
    await put('home/settings.json', allowing('Edit(src/**)', 'Edit(docs/**)'));
    const [asked] = await ask([toolUse('Write', { file_path: join(cwd, 'lib/a.ts'), content: 'x' })]);
    expect(asked?.explanation.missed).toMatchObject([
      { difference: `it does not cover ${join(cwd, 'lib/a.ts')}` },
    ]);
    expect(asked?.explanation.writes).toEqual([
      { path: join(cwd, 'lib/a.ts'), outside: false, protected: false },
    ]);
  });

  it('of another tool of the same server', async () => {
    await put('home/settings.json', allowing('mcp__desk__list'));
    const desk = createSdkMcpServer({
      name: 'desk',
      tools: [tool('send', 'Sends.', { to: z.string() }, async () => ({ content: [] }))],
    });
    const [asked] = await ask([toolUse('mcp__desk__send', { to: 'x' })], { mcpServers: { desk } });
    expect(asked?.explanation.missed).toMatchObject([
      { rule: 'mcp__desk__list', difference: 'it names another tool of the server, not mcp__desk__send' },
    ]);
    expect(asked?.explanation.offers).toMatchObject([{ rule: 'mcp__desk__send' }]);
  });
});

describe('what "always" would write', () => {
  it('one rule for each command, with a call that it allows and one that it just does not', async () => {
    const found = await explain('npm test -w a && cargo fmt --all && ./deploy.sh prod && rm -rf build');
    expect(
      found.offers.slice(0, 4).map(({ rule, matches, misses, caution }) => [rule, matches, misses, caution]),
    ).toEqual([
      ['Bash(npm test *)', 'npm test -w a', 'npm other', undefined],
      ['Bash(cargo fmt *)', 'cargo fmt --all', 'cargo other', undefined],
      ['Bash(./deploy.sh prod)', './deploy.sh prod', './deploy.sh prod other', undefined],
      ['Bash(rm -rf build)', 'rm -rf build', 'rm -rf build other', 'rm deletes or overwrites files'],
    ]);
    expect(found.offers.slice(4).map(({ update }) => update.type)).toEqual(['addDirectories', 'setMode']);
    expect(found.offers[0]?.update).toEqual({
      type: 'addRules',
      rules: [{ toolName: 'Bash', ruleContent: 'npm test *' }],
      behavior: 'allow',
      destination: 'localSettings',
    });
  });

  it.each([
    ['python3 x.py', 'python3 runs any program text it is given'],
    ['bash build.sh', 'bash runs any command it is given'],
    ['sudo make install', 'sudo runs with the rights of another user'],
    ['timeout 5 rm x', 'rm deletes or overwrites files'],
  ])('%s is offered with a caution', async (command, caution) => {
    const { offers } = await explain(command);
    expect(offers.find(({ rule }) => rule !== undefined)?.caution).toBe(caution);
  });

  it('a folder and a host show their limits too', async () => {
    const [read, fetched] = await ask([
      toolUse('Read', { file_path: join(root, 'notes/a.txt') }),
      toolUse('WebFetch', { url: 'https://example.com/a', prompt: 'x' }),
    ]);
    expect(read?.explanation.offers).toMatchObject([
      { rule: `Read(/${root}/notes/**)`, matches: join(root, 'notes/a.txt'), misses: join(root, 'other') },
    ]);
    expect(read?.explanation.readsOutside).toMatchObject([
      { path: join(root, 'notes/a.txt'), outside: true },
    ]);
    expect(fetched?.explanation.offers).toMatchObject([
      {
        rule: 'WebFetch(domain:example.com)',
        matches: 'https://example.com/a',
        misses: 'https://other.example.com/',
      },
    ]);
  });

  it('names the files that rules can be kept in', async () => {
    await mkdir(join(cwd, '.claude'));
    expect((await explain('make')).scopes).toEqual([
      { destination: 'localSettings', file: join(cwd, '.claude/settings.local.json') },
      { destination: 'projectSettings', file: join(cwd, '.claude/settings.json') },
      { destination: 'userSettings', file: join(home, 'settings.json') },
      { destination: 'session' },
    ]);
    expect((await explain('make', { settingSources: [] })).scopes).toEqual([{ destination: 'session' }]);
  });

  it('the rule that is shown is the rule that is written, and later explanations name its file', async () => {
    server.setScenario({
      name: 'test',
      replies: [
        reply(toolUse('Bash', { command: "./x.sh 'a b'" })),
        reply(toolUse('Bash', { command: './x.sh c' })),
        reply('Done.'),
      ],
    });
    const shown: unknown[] = [];
    let missed: PermissionExplanation['missed'] = [];
    await gather(
      query({
        prompt: 'Go.',
        options: {
          cwd,
          env,
          persistSession: false,
          settingSources: ['user', 'project', 'local'],
          canUseTool: async (_name, input, { explain }) => {
            const explanation = await explain?.();
            const [offer] = explanation?.offers ?? [];
            if (input['command'] !== "./x.sh 'a b'" || offer === undefined) {
              missed = explanation?.missed ?? [];
              return { behavior: 'deny', message: 'No.' };
            }
            shown.push(offer.rule);
            return { behavior: 'allow', updatedPermissions: [offer.update] };
          },
        },
      }),
    );
    const file = join(cwd, '.turnwright/settings.local.json');
    expect(shown).toEqual(["Bash(./x.sh 'a b')"]);
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ permissions: { allow: shown } });
    expect(missed).toMatchObject([
      { rule: shown[0], file, difference: 'argument 1 differs: the rule has "a b", the command "c"' },
    ]);
  });
});

describe('a rule that a person types', () => {
  const check = async (command: string, rule: string) => {
    let checked: unknown;
    await ask([toolUse('Bash', { command })], {}, async ({ context }) => {
      checked = await context.checkRule?.(rule);
    });
    return checked;
  };
  it('is held against the call, with its limits', async () => {
    expect(await check('npm run build -w a', 'Bash(npm run build:*)')).toEqual({
      ok: true,
      rule: 'Bash(npm run build:*)',
      applies: true,
      matches: 'npm run build -w a',
      misses: 'npm run other',
    });
    expect(await check('npm run build', 'Bash(npm run lint)')).toMatchObject({ ok: true, applies: false });
    expect(await check('make', 'Bash')).toMatchObject({
      applies: true,
      caution: 'Bash allows every command',
    });
  });
  it('is refused with a sentence if it is none', async () => {
    expect(await check('make', 'no rule (')).toEqual({
      ok: false,
      problem: expect.stringContaining('is not a permission rule'),
    });
  });
});

describe('who asks, and why', () => {
  it('the main agent, by default and by its mode', async () => {
    const found = await explain('make');
    expect(found).toMatchObject({ asker: [], mode: 'default', verdict: 'ask', reason: { type: 'other' } });
    expect(found.reason.text).toContain('no rule allows it');
  });

  it('a subagent, with its name and what it was started for', async () => {
    const found: PermissionExplanation[] = [];
    server.setScenario({
      name: 'test',
      replies: [
        reply(toolUse('Agent', { description: 'check it', prompt: 'Check.', subagent_type: 'reviewer' })),
        reply(toolUse('Bash', { command: 'make' })),
        reply('Checked.'),
        reply('Done.'),
      ],
    });
    await gather(
      query({
        prompt: 'Go.',
        options: {
          cwd,
          env,
          persistSession: false,
          agents: { reviewer: { description: 'Reviews.', prompt: 'You review.' } },
          canUseTool: async (_name, _input, { explain, agentID }) => {
            const explanation = await explain?.();
            if (explanation !== undefined) found.push(explanation);
            expect(explanation?.asker.at(-1)?.agentId).toBe(agentID);
            return { behavior: 'deny', message: 'No.' };
          },
        },
      }),
    );
    expect(found.map(({ asker }) => asker)).toEqual([
      [{ agentId: expect.any(String), agentType: 'reviewer', description: 'check it' }],
    ]);
  });

  it('a hook, with its name and its reason', async () => {
    await put('home/settings.json', allowing('Bash(make)'));
    const found = await explain('make', {
      hooks: {
        PreToolUse: [
          {
            matcher: 'Bash',
            hooks: [
              async () => ({
                hookSpecificOutput: {
                  hookEventName: 'PreToolUse',
                  permissionDecision: 'ask',
                  permissionDecisionReason: 'Builds cost money.',
                },
              }),
            ],
          },
        ],
      },
    });
    expect(found.reason).toEqual({ type: 'hook', text: 'Builds cost money.', hook: 'PreToolUse:Bash' });
    expect(found.verdict).toBe('ask');
    expect(found.segments).toMatchObject([{ verdict: 'allowed', rules: [{ rule: 'Bash(make)' }] }]);
  });

  it('a safety check, with the file that decides over what runs later', async () => {
    await put('home/settings.json', allowing('Bash(echo:*)', 'Edit(**)'));
    const found = await explain('echo x > .git/hooks/pre-commit');
    expect(found.reason.type).toBe('safetyCheck');
    expect(found.writes).toMatchObject([{ path: join(cwd, '.git/hooks/pre-commit'), protected: true }]);
    expect(found.offers).toEqual([]);
  });

  it('rules of a project stand in the project file once it is trusted', async () => {
    await put('proj/.claude/settings.json', allowing('Bash(make all)'));
    await trustProject(await projectTrust({ cwd, env }), { cwd, env });
    expect((await explain('make all; make install')).segments).toMatchObject([
      {
        verdict: 'allowed',
        rules: [{ source: 'projectSettings', file: join(cwd, '.claude/settings.json') }],
      },
      { verdict: 'open', rules: [] },
    ]);
  });
});
