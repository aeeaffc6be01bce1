/** Commands that show and change what a session is made with: models, rules, servers, hooks, files. */
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createSdkMcpServer, getSessionInfo, tool } from '@turnwright/engine';
import {
  commandsUnderTest,
  type Harness,
  type HarnessOptions,
} from '@turnwright/test/conversation/commands/command-under-test.ts';
import { reply } from '@turnwright/testing/rehearsal';
import { afterEach, describe, expect, it } from 'vitest';
import { modelItems } from '../../../src/conversation/commands/model-command.ts';

let harness: Harness | undefined;
afterEach(() => harness?.close());
const start = async (options?: HarnessOptions) => {
  harness = await commandsUnderTest(options);
  return harness;
};

describe('/model', () => {
  it('lists the models with window and price, marks the current one, and switches', async () => {
    const { ask, run, screens, printed, server } = await start();
    await run('/model', ["'haiku", 'enter']);
    expect(screens[0]).toMatchInlineSnapshot(`
      "Model (now claude-opus-5-5) · 11 below
      search: 
          Default (Claude Opus 5.5)   1M · $4 in, $20 out
      ❯ ✓ Claude Opus 5.5 (opus)      1M · $4 in, $20 out
          Claude Sonnet 5.5 (sonnet)  1M · $2 in, $10 out
          Claude Haiku 5.5 (haiku)    1M · $0.1 in, $0.5 out
          Claude Fable 5.2 (fable)    1M · $8 in, $40 out
          Claude Fable 5.1            1M · $10 in, $50 out
          Claude Fable 5              1M · $10 in, $50 out
          Claude Mythos 5.2           1M · $8 in, $40 out
          Claude Mythos 5.1           1M · $10 in, $50 out
          Claude Mythos 5             1M · $10 in, $50 out
          Claude Opus 5               1M · $5 in, $25 out
        claude-opus-5-5
      effort: [default] low medium high xhigh max  ← →
      type to search · ↑↓ choose · Enter switches · Esc leaves"
    `);
    expect(printed.at(-1)).toMatch(/^The model is now claude-haiku-/);
    await ask('hello', [reply('Hi.')]);
    expect(server.requests.at(-1)?.body).toMatchObject({ model: expect.stringMatching(/^claude-haiku-/) });
    await run('/model', ['escape']);
    expect(screens[1]?.split('\n').find((row) => row.includes('✓'))).toContain('Haiku');
  });

  it('switches to the model that is named, and back to the default', async () => {
    const { run, printed, query } = await start();
    await run('/model sonnet');
    await run('/model default');
    expect(printed[0]).toMatch(/^The model is now claude-sonnet-/);
    expect((await query.getSettings()).applied.model).toMatch(/^claude-opus-/);
  });

  it('adds what the endpoint offers besides, once', () => {
    const choice = {
      value: 'default',
      resolvedModel: 'a',
      displayName: 'Default (A)',
      description: '',
      supportsEffort: false,
      supportsAdaptiveThinking: false,
      contextWindow: 128_000,
    };
    const info = { id: 'a', displayName: 'A', contextWindow: 128_000, source: 'endpoint' };
    const models = [info, { ...info, id: 'b', displayName: 'B' }] as never;
    expect(modelItems([choice], 'b', models)).toEqual([
      expect.objectContaining({ value: 'default', detail: '128k · no price known', isCurrent: false }),
      expect.objectContaining({ value: 'b', about: ['b · sizes from: endpoint'], isCurrent: true }),
    ]);
    expect(modelItems([choice], 'a')).toHaveLength(1);
  });

  it('lists the models of other configured providers under their qualified names', async () => {
    const { run, screens, query, printed } = await start({
      columns: 100,
      rows: 60,
      async prepare({ home, server }) {
        const spare = { type: 'anthropic', baseUrl: server.url, apiKeyEnv: 'ANTHROPIC_API_KEY' };
        const silent = { type: 'openai-compatible', baseUrl: 'http://127.0.0.1:9' };
        await writeFile(join(home, 'settings.json'), JSON.stringify({ providers: { spare, silent } }));
      },
    });
    await run('/model', ["'spare claude haiku 5.5", 'enter']);
    expect(screens[0]).toContain('search: ');
    expect(printed.at(-1)).toMatch(/^The model is now spare:claude-haiku-/);
    expect((await query.getSettings()).applied.model).toMatch(/^spare:claude-haiku-/);
  });

  it('fits in 40 columns', async () => {
    const { run, screens } = await start({ columns: 40, rows: 12 });
    await run('/model');
    expect(screens[0]).toMatchInlineSnapshot(`
      "Model (now claude-opus-5-5) · 19 below
      search: 
          Default (Claude …  1M · $4 in, $20…
      ❯ ✓ Claude Opus 5.5 …  1M · $4 in, $20…
          Claude Sonnet 5.…  1M · $2 in, $10…
        Claude Opus 5.5 (opus)
        1M · $4 in, $20 out
        claude-opus-5-5
      effort: [default]  ← →
      ↑↓ · Enter switches · Esc"
    `);
  });
});

describe('/effort', () => {
  it('sets the effort of the next prompts, and gives it back to the model', async () => {
    const { ask, run, screens, printed, query, server } = await start();
    await run('/effort', ["'low", 'enter']);
    expect(screens[0]).toMatchInlineSnapshot(`
      "Effort
      search: 
      ❯ ✓ default  the model’s own
          low
          medium
          high
          xhigh
          max
      type to search · ↑↓ choose · Enter sets it · Esc leaves"
    `);
    expect(printed).toEqual(['The effort is low, from the next prompt on.']);
    await ask('hello', [reply('Hi.')]);
    expect(JSON.stringify(server.requests.at(-1)?.body)).toContain('"effort":"low"');
    await run('/effort default');
    expect((await query.getSettings()).applied.effort).toBeNull();
    await run('/effort HIGH');
    expect((await query.getSettings()).applied.effort).toBe('high');
  });
});

describe('/permissions', () => {
  const rules = { allow: ['Bash(git status)'], deny: ['Read(.env)'] };
  const withRules: HarnessOptions = {
    options: { allowedTools: ['WebFetch'] },
    async prepare({ cwd, home }) {
      await mkdir(join(cwd, '.claude'));
      await writeFile(join(cwd, '.claude', 'settings.json'), JSON.stringify({ permissions: rules }, null, 2));
      await writeFile(join(home, 'settings.json'), '{}');
    },
  };

  it('lists the rules by what they do, with the file of each, and the folders', async () => {
    const { run, screens, cwd } = await start(withRules);
    await run('/permissions');
    expect(screens[0]?.replaceAll(cwd, '<cwd>')).toMatchInlineSnapshot(`
      "Permission rules
      search: 
      ❯ + Add a rule
        deny Read(.env)                                        .claude/settings.json
        allow Bash(git status)                                 .claude/settings.json
        allow WebFetch                                         a flag
        folder <cwd>  where it was started
      type to search · ↑↓ choose · Enter opens it · Esc leaves"
    `);
  });

  it('adds a rule to the file that it named, byte for byte, in force at once', async () => {
    const { run, screens, printed, cwd, query } = await start(withRules);
    const rule = 'Bash(npm run "test all":*)';
    await run('/permissions', ["'add a", 'enter', 'enter', `'${rule}`, 'enter', "'in this project", 'enter']);
    const shown = screens.find((screen) => screen.includes('where is it kept?'));
    expect(shown).toContain('.claude/settings.local.json');
    expect(JSON.parse(await readFile(join(cwd, '.claude', 'settings.local.json'), 'utf8'))).toEqual({
      permissions: { allow: [rule] },
    });
    expect(printed).toEqual([`Added: allow ${rule} (.claude/settings.local.json).`]);
    expect((await query.listPermissionRules()).rules).toContainEqual(
      expect.objectContaining({ rule, source: 'localSettings', behavior: 'allow' }),
    );
    // The list comes back with the new rule.
    expect(screens.at(-1)).toContain('npm run "test all"');
  });

  it('says what is wrong with a rule before anything is written', async () => {
    const { run, printed, query } = await start();
    await run('/permissions', ['enter', 'enter', "'no rule(", 'enter', 'escape', 'escape']);
    expect(printed).toEqual([]);
    expect((await query.listPermissionRules()).rules).toEqual([]);
  });

  it('removes a rule from its file, and leaves the others as they are', async () => {
    const { run, printed, cwd } = await start(withRules);
    await run('/permissions', ["'git status", 'enter', 'enter']);
    expect(JSON.parse(await readFile(join(cwd, '.claude', 'settings.json'), 'utf8'))).toEqual({
      permissions: { allow: [], deny: ['Read(.env)'] },
    });
    expect(printed).toEqual(['Removed: allow Bash(git status) (.claude/settings.json).']);
  });

  it('does not change a rule that is from elsewhere, and keeps one that is kept', async () => {
    const { run, printed, query } = await start({
      options: { settings: { permissions: { deny: ['Write'] } }, allowedTools: ['WebFetch'] },
    });
    await run('/permissions', ["'deny write", 'enter', "'webfetch", 'enter', "'keep", 'enter']);
    expect(printed).toEqual(['Write is from --settings, and cannot be changed here.']);
    expect((await query.listPermissionRules()).rules).toHaveLength(2);
  });
});

describe('/add-dir', () => {
  it('adds a folder to this session, which /permissions removes', async () => {
    const { run, printed, query, cwd, home } = await start();
    const folders = async () =>
      (await query.listPermissionRules()).workspaceDirectories.map(({ path }) => path);
    await run('/add-dir ../home');
    expect(await folders()).toEqual([home]);
    await run('/permissions', ["'folder this session", 'enter', 'enter']);
    expect(await folders()).toEqual([]);
    await run('/add-dir nowhere');
    await run('/add-dir');
    expect(printed).toEqual([
      `Tools may use ${home} in this session. /permissions removes it.`,
      `Removed: folder ${home} (this session).`,
      `${join(cwd, 'nowhere')} is no folder.`,
      'Name the folder: /add-dir ../shared',
    ]);
  });
});

describe('/rename', () => {
  it('gives the session a title, from the argument or asked for', async () => {
    const { ask, run, printed, env, state } = await start();
    await ask('hello', [reply('Hi.')]);
    await run('/rename The old harbour');
    await run('/rename', ["'Bridges", 'enter']);
    await run('/rename', ['escape']);
    expect(printed).toEqual(['This session is now "The old harbour".', 'This session is now "Bridges".']);
    expect((await getSessionInfo(state.current.session.id, { env }))?.customTitle).toBe('Bridges');
  });
});

describe('/mcp', () => {
  const mcpServers = {
    sums: createSdkMcpServer({
      name: 'sums',
      tools: [
        tool('add', 'Adds two numbers', {}, async () => ({ content: [{ type: 'text', text: '3' }] }), {
          annotations: { readOnlyHint: true },
        }),
      ],
    }),
    broken: { command: '/nonexistent/server' },
  };

  it('shows servers and tools, and switches one off and on', async () => {
    const { ask, run, screens, printed, query } = await start({ options: { mcpServers } });
    await ask('hello', [reply('Hi.')]);
    await run('/mcp', ["'sums", 'enter', "'tools", 'enter', 'escape', "'sums", 'enter', "'off", 'enter']);
    expect(screens.slice(0, 3).map((screen) => screen.replaceAll(/✗ .*/g, '✗ …'))).toMatchInlineSnapshot(`
      [
        "MCP servers
      search: 
      ❯ ✓ sums    connected · 1 tool · dynamic
        ✗ …
      type to search · ↑↓ choose · Enter opens it · Esc leaves",
        "sums: connected · 1 tool · dynamic
      search: 
      ❯ Show its tools  1 tool
        Connect again
        Switch it off   for this session
      type to search · ↑↓ choose · Enter does it · Esc leaves",
        "Tools of sums
      search: 
      ❯ add  reads only
        Adds two numbers
      type to search · ↑↓ choose · Enter goes back · Esc leaves",
      ]
    `);
    expect(printed).toEqual(['sums is switched off.']);
    const status = async () => (await query.mcpServerStatus()).find(({ name }) => name === 'sums')?.status;
    expect(await status()).toBe('disabled');
    await run('/mcp', ["'sums", 'enter', 'enter']);
    expect(await status()).toBe('connected');
  });

  it('says why a server does not connect', async () => {
    const { ask, run, printed } = await start({ options: { mcpServers } });
    await ask('hello', [reply('Hi.')]);
    await run('/mcp', ["'broken", 'enter', 'enter']);
    expect(printed).toHaveLength(1);
    expect(printed[0]).toContain('"broken" is not connected');
  });
});

describe('/hooks, /agents, /skills and /memory', () => {
  const files: HarnessOptions = {
    options: { tools: ['Skill', 'Agent'] },
    async prepare({ cwd }) {
      const write = async (path: string, text: string) => {
        await mkdir(join(cwd, path, '..'), { recursive: true });
        await writeFile(join(cwd, path), text);
      };
      await write('CLAUDE.md', 'Use tabs.');
      await write(
        '.claude/agents/reviewer.md',
        '---\nname: reviewer\ndescription: Reviews a diff\n---\nReview.',
      );
      await write(
        '.claude/skills/haiku/SKILL.md',
        '---\nname: haiku\ndescription: Writes a haiku\n---\nFive.',
      );
      const hook = { type: 'command', command: 'true', timeout: 5 };
      await write(
        '.claude/settings.json',
        JSON.stringify({ hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [hook] }] } }),
      );
    },
  };

  it('show what the folder brings', async () => {
    const { run, screens, drafts, openedFiles, cwd } = await start({ ...files, hasHome: true });
    await run('/hooks');
    await run('/agents', ["'reviewer", 'enter']);
    await run('/skills', ["'haiku", 'enter']);
    await run('/memory', ['enter']);
    expect(screens.map((screen) => screen.replaceAll(cwd, '<cwd>'))).toMatchInlineSnapshot(`
      [
        "Hooks
      search: 
      ❯ PreToolUse Bash  true
        command from Project settings
        timeout 5 s
        true
      type to search · ↑↓ choose · Enter goes back · Esc leaves",
        "Agents
      search: 
      ❯ general-purpose
        Explore
        Plan
        reviewer         .claude/agents/reviewer.md
        Does a task of several steps on its own: research, searches that may take
        many attempts, changes that can be described completely. Use it when the work
        would fill your own context with what you do not need to keep.
      type to search · ↑↓ choose · Enter asks for it · Esc leaves",
        "Skills · 1 skill
      search: 
      ❯ /haiku
        Writes a haiku
      type to search · ↑↓ choose · Enter calls it · Esc leaves",
        "Memory files
      search: 
      ❯ CLAUDE.md    project · 3 tokens
        ~/CLAUDE.md  user · not there yet
        <cwd>/CLAUDE.md
      type to search · ↑↓ choose · Enter opens it · Esc leaves",
      ]
    `);
    expect(drafts).toEqual(['Use the agent reviewer to ', '/haiku ']);
    expect(openedFiles).toEqual([join(cwd, 'CLAUDE.md')]);
  });

  it('/memory offers the files that are not there yet, and makes the folder of the one that is chosen', async () => {
    const { run, screens, openedFiles, cwd, home } = await start();
    await rm(home, { recursive: true, force: true });
    await run('/memory', ["'user", 'enter']);
    expect(screens[0]).toContain('CLAUDE.md');
    expect(screens[0]).toContain('user · not there yet');
    await run('/memory', ['enter']);
    expect(screens[1]).toContain('project · not there yet');
    expect(openedFiles).toEqual([join(home, 'CLAUDE.md'), join(cwd, 'CLAUDE.md')]);
    expect((await stat(home)).isDirectory()).toBe(true);
  });

  it('say how to have one where there is none', async () => {
    const { run, screens } = await start();
    for (const command of ['/hooks', '/skills', '/mcp']) await run(command);
    expect(screens.map((screen) => screen.split('\n')[2])).toEqual([
      'No hook is configured. "hooks" in the settings adds one.',
      'There is no skill. A folder with a SKILL.md in .claude/skills is one.',
      'No MCP server is configured. turnwright mcp add adds one.',
    ]);
  });
});
