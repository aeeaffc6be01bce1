import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { inForm } from '@turnwright/test/long-form.ts';
import { TOOLBOX } from '@turnwright/test/mcp/servers-under-test.ts';
import { deferred } from '@turnwright/testing';
import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { query, type SDKMessage } from '../../src/index.ts';
import { type SkillStage, skill, skillStage } from '../skills/skill-folders.ts';

const init = (messages: readonly SDKMessage[]) =>
  messages.find((message) => message.type === 'system' && message.subtype === 'init');
const local = (path: string) => ({ type: 'local' as const, path });
const ROOT = `\${CLAUDE_PLUGIN_ROOT}`;
/** A server that needs the plugin's own folder to start. */
const server = { command: process.execPath, args: [`${ROOT}/server.mjs`] };

/** Where no server is looked at, none is started in the short form. */
const NO_SERVER = inForm({}, { box: server });

async function tools(
  stage: SkillStage,
  manifest: object = {},
  mcpServers: object = { box: server },
): Promise<string> {
  const json = JSON.stringify({ name: 'tools', version: '1.2.0', description: 'Tools.', ...manifest });
  await stage.write('tools/.claude-plugin/plugin.json', json);
  await stage.write(
    'tools/skills/paint/SKILL.md',
    skill('paint', 'Painting.', `Colours are in ${ROOT}/colours.md.`),
  );
  await stage.write('tools/colours.md', 'Outside of the skill.');
  await stage.write('tools/server.mjs', `await import(${JSON.stringify(TOOLBOX)});`);
  await stage.write('tools/.mcp.json', JSON.stringify({ mcpServers }));
  return join(stage.cwd, '../tools');
}

describe('a local plugin', () => {
  it('brings skills and MCP servers under its name, whatever settings are read', async () => {
    const stage = await skillStage();
    const path = await tools(stage);
    const messages = await stage.run([reply(toolUse('Skill', { skill: 'tools:paint' })), reply('Done.')], {
      plugins: [local('../tools')],
      settingSources: [],
    });
    expect(init(messages)).toMatchObject({
      plugins: [{ name: 'tools', path, version: '1.2.0' }],
      skills: ['tools:paint'],
      mcp_servers: [{ name: 'plugin:tools:box', status: 'connected' }],
      tools: expect.arrayContaining(['Skill', 'mcp__plugin_tools_box__echo']),
    });
    expect(init(messages)).not.toHaveProperty('plugin_errors');
    expect(stage.sent(0)).toContain('- tools:paint: Painting.');
    expect(stage.sent()).toContain(`Colours are in ${path}/colours.md.`);
  });

  it('skipMcpDiscovery leaves its servers to the host', async () => {
    const stage = await skillStage();
    await tools(stage, { mcpServers: { other: server } });
    const plugin = { ...local('../tools'), skipMcpDiscovery: true };
    const messages = await stage.run([reply('Hi.')], { plugins: [plugin], settingSources: [] });
    expect(init(messages)).toMatchObject({ skills: ['tools:paint'], mcp_servers: [] });
  });

  it('names further folders and servers in its manifest; a skill is found by its bare name too', async () => {
    const stage = await skillStage();
    await tools(stage, { skills: './more', mcpServers: './servers.json' });
    await stage.write('tools/more/roof/SKILL.md', skill('roof', 'Roofs.', 'Tiles.'));
    await stage.write('tools/servers.json', JSON.stringify({ second: { ...server, env: { SECOND: '1' } } }));
    const messages = await stage.run([reply(toolUse('Skill', { skill: 'roof' })), reply('Done.')], {
      plugins: [local('../tools')],
      settingSources: [],
    });
    expect(init(messages)).toMatchObject({
      skills: ['tools:paint', 'tools:roof'],
      mcp_servers: [{ name: 'plugin:tools:box' }, { name: 'plugin:tools:second' }],
    });
    expect(stage.sent()).toContain('Tiles.');
  });

  it('needs no manifest when it has parts: its folder lends the name', async () => {
    const stage = await skillStage();
    await stage.write('plain/skills/paint/SKILL.md', skill('paint', 'Painting.', 'Body.'));
    const messages = await stage.run([reply('Hi.')], { plugins: [local('../plain')], settingSources: [] });
    expect(init(messages)).toMatchObject({ plugins: [{ name: 'plain' }], skills: ['plain:paint'] });
  });

  it('that is broken is named, and harms no other', async () => {
    const stage = await skillStage();
    await tools(stage, {}, NO_SERVER);
    await stage.write('bad-json/.claude-plugin/plugin.json', '{ name: bad }');
    await stage.write('no-name/.claude-plugin/plugin.json', '{"name":"a b"}');
    await stage.write('twice/.claude-plugin/plugin.json', '{"name":"tools"}');
    await stage.write(
      'half/.turnwright-plugin/plugin.json',
      '{"name":"half","commands":7,"agents":"./gone"}',
    );
    await stage.write('half/.mcp.json', 'no json');
    await stage.write('half/skills/fine/SKILL.md', skill('fine', 'Fine.', 'Body.'));
    await mkdir(join(stage.cwd, '../empty'));
    const lines: string[] = [];
    const messages = await stage.run([reply('Hi.')], {
      plugins: ['nowhere', 'bad-json', 'no-name', 'empty', 'tools', 'twice', 'half', 'tools'].map((name) =>
        local(`../${name}`),
      ),
      settingSources: [],
      stderr: (line) => lines.push(line),
    });
    const at = (name: string) => join(stage.cwd, '..', name);
    expect(init(messages)).toMatchObject({
      plugins: [{ name: 'tools' }, { name: 'half' }],
      skills: ['tools:paint', 'half:fine'],
      plugin_errors: [
        { plugin: 'inline[0]', type: 'path-not-found', path: at('nowhere') },
        { plugin: 'inline[1]', type: 'manifest-validation-error', path: at('bad-json') },
        { plugin: 'inline[2]', type: 'manifest-validation-error', path: at('no-name') },
        { plugin: 'inline[3]', type: 'generic-error', path: at('empty') },
        { plugin: 'inline[5]', type: 'duplicate-name', path: at('twice') },
        { plugin: 'half', type: 'manifest-validation-error' },
        { plugin: 'half', type: 'component-load-failed', message: expect.stringContaining('.mcp.json') },
        { plugin: 'half', type: 'component-load-failed', message: expect.stringContaining('./gone') },
      ],
    });
    expect(lines.join('\n')).toContain('was passed over: there is no such folder');
  });

  it('brings agents, and hooks that know its folder; broken hooks are named', async () => {
    const stage = await skillStage();
    await tools(stage, { mcpServers: {} });
    await rm(join(stage.cwd, '../tools/.mcp.json'));
    await stage.write(
      'tools/agents/mason.md',
      '---\nname: mason\ndescription: Lays bricks.\n---\nLay bricks.',
    );
    const command = `cat > /dev/null; echo "no $1" >&2; echo ran > "${ROOT}/ran"; exit 2`;
    const hooks = { PreToolUse: [{ matcher: 'Write', hooks: [{ type: 'command', command }] }] };
    await stage.write('tools/hooks/hooks.json', JSON.stringify({ description: 'Gates.', hooks }));
    await stage.write(
      'bad/.claude-plugin/plugin.json',
      '{"name":"bad","hooks":{"PreToolUse":[{"hooks":[{"type":"command"}]}]}}',
    );
    const file = join(stage.cwd, 'a.txt');
    const messages = await stage.run(
      [reply(toolUse('Write', { file_path: file, content: 'x' })), reply('Done.')],
      {
        plugins: [local('../tools'), local('../bad')],
        settingSources: [],
        allowedTools: ['Write'],
      },
    );
    expect(init(messages)).toMatchObject({
      agents: expect.arrayContaining(['tools:mason']),
      plugins: [{ name: 'tools' }, { name: 'bad' }],
      plugin_errors: [{ plugin: 'bad', type: 'hook-load-failed' }],
    });
    expect(existsSync(file)).toBe(false);
    expect(existsSync(join(stage.cwd, '../tools/ran'))).toBe(true);
  });

  it('a hook whose matcher or condition cannot be read costs that hook, and is named', async () => {
    const stage = await skillStage();
    await tools(stage, { mcpServers: {} });
    await rm(join(stage.cwd, '../tools/.mcp.json'));
    const guard = (matcher: string, more = {}) => ({
      matcher,
      hooks: [{ type: 'command', command: 'echo NOPE >&2; exit 2', ...more }],
    });
    const hooks = { PreToolUse: [guard('('), guard('Write'), guard('Edit', { if: 'Edit(' })] };
    await stage.write('tools/hooks/hooks.json', JSON.stringify({ hooks }));
    const lines: string[] = [];
    const file = join(stage.cwd, 'a.txt');
    const messages = await stage.run(
      [reply(toolUse('Write', { file_path: file, content: 'x' })), reply('Done.')],
      {
        plugins: [local('../tools')],
        settingSources: [],
        allowedTools: ['Write'],
        stderr: (line) => lines.push(line),
      },
    );
    expect(messages.at(-1)).toMatchObject({ type: 'result', is_error: false });
    expect(existsSync(file)).toBe(false);
    expect(lines.join('\n')).toMatch(/A hook does not run .*tools.*"\("/);
    expect(lines.join('\n')).toMatch(/A hook runs for every call of its matcher .*tools/);
    expect(JSON.stringify(messages)).toContain('A hook does not run');
  });

  it('brings commands as /plugin:name', async () => {
    const stage = await skillStage();
    await tools(stage, {}, NO_SERVER);
    await stage.write(
      'tools/commands/fence.md',
      '---\ndescription: Fences.\n---\nBuild a fence of $ARGUMENTS.',
    );
    const options = { plugins: [local('../tools')], settingSources: [] };
    const messages = await stage.run([reply('Built.')], options, '/tools:fence oak');
    expect(init(messages)).toMatchObject({
      slash_commands: expect.arrayContaining(['tools:fence', 'tools:paint']),
    });
    expect(stage.sent()).toContain('Build a fence of oak.');
  });

  it('T101: a folder of agents or commands that holds a link out of the plugin is not used', async () => {
    const stage = await skillStage();
    await tools(stage, {}, NO_SERVER);
    await stage.write(
      'tools/agents/mason.md',
      '---\nname: mason\ndescription: Lays bricks.\n---\nLay bricks.',
    );
    const secret = await stage.write('secret.md', '---\nname: leak\ndescription: Leak.\n---\nLeak.');
    await symlink(secret, join(stage.cwd, '../tools/agents/leak.md'));
    const messages = await stage.run([reply('Hi.')], { plugins: [local('../tools')], settingSources: [] });
    expect(JSON.stringify(init(messages))).not.toContain('mason');
    expect(init(messages)).toMatchObject({ plugin_errors: [{ plugin: 'tools', type: 'path-escape' }] });
  });

  it('T101: paths and links that lead out of its folder are refused', async () => {
    const stage = await skillStage();
    await stage.write('secret/leak/SKILL.md', skill('leak', 'Leak.', 'The secret.'));
    await stage.write('secret/leak/servers.json', JSON.stringify({ evil: server }));
    const manifest = { skills: ['../secret', './linked'], mcpServers: '../secret/leak/servers.json' };
    await tools(stage, manifest);
    const out = join(stage.cwd, '../secret');
    await symlink(out, join(stage.cwd, '../tools/linked'));
    await symlink(join(out, 'leak'), join(stage.cwd, '../tools/skills/leak'));
    await rm(join(stage.cwd, '../tools/.mcp.json'));
    await symlink(join(out, 'leak/servers.json'), join(stage.cwd, '../tools/.mcp.json'));
    const messages = await stage.run([reply('Hi.')], { plugins: [local('../tools')], settingSources: [] });
    expect(init(messages)).toMatchObject({
      skills: ['tools:paint'],
      mcp_servers: [],
      plugin_errors: Array(4).fill({ plugin: 'tools', type: 'path-escape', message: expect.any(String) }),
    });
  });
});

describe('reloadPlugins', () => {
  it('reads again and adds; holds back what would break the prompt cache; refuses under a running turn', async () => {
    const stage = await skillStage();
    await tools(stage);
    await stage.write('plain/skills/roof/SKILL.md', skill('roof', 'Roofs.', 'Body.'));
    await stage.write('plain/commands/hang.md', 'Hang the gutter.');
    stage.server.setScenario({ name: 'reload', replies: [reply('One.'), reply('Two.')] });
    const gates = [deferred<void>(), deferred<void>()];
    const prompts = async function* () {
      for (const [at, content] of ['First.', 'Second.'].entries()) {
        yield {
          type: 'user' as const,
          message: { role: 'user' as const, content },
          parent_tool_use_id: null,
        };
        await gates[at]?.promise;
      }
    };
    const running = query({ prompt: prompts(), options: stage.options({ settingSources: [] }) });
    const added = [local(join(stage.cwd, '../tools')), local(join(stage.cwd, '../plain'))];
    const messages: SDKMessage[] = [];
    for await (const message of running) {
      messages.push(message);
      if (message.type === 'system' && message.subtype === 'init' && messages.length === 1)
        await expect(running.reloadPlugins({ refuseIfBusy: true })).rejects.toMatchObject({
          code: 'reload_plugins_busy',
        });
      if (message.type !== 'result') continue;
      if (messages.filter(({ type }) => type === 'result').length === 1) {
        await expect(running.reloadPlugins({ addPlugins: [local('../tools')] })).rejects.toMatchObject({
          code: 'invalid_option',
        });
        expect(await running.reloadPlugins({ holdOnCacheImpact: true, addPlugins: added })).toMatchObject({
          held: true,
          plugins: [],
          cache_impact: { mcp_servers_added: ['plugin:tools:box'], mcp_servers_removed: [] },
        });
        expect(await running.reloadPlugins({ addPlugins: added })).toMatchObject({
          plugins: [{ name: 'tools' }, { name: 'plain' }],
          commands: expect.arrayContaining(
            ['plain:roof', 'plain:hang'].map((name) => expect.objectContaining({ name })),
          ),
          mcpServers: [{ name: 'plugin:tools:box', status: 'connected' }],
          error_count: 0,
        });
        gates[0]?.resolve();
      } else gates[1]?.resolve();
    }
    expect(init([...messages].reverse())).toMatchObject({
      skills: ['tools:paint', 'plain:roof'],
      plugins: [{ name: 'tools' }, { name: 'plain' }],
    });
    expect(stage.sent()).toContain('- plain:roof: Roofs.');
    // Its tools are told by name, and loaded by ToolSearch.
    expect(stage.sent()).toContain('mcp__plugin_tools_box__echo');
  });

  it('the session itself changes no plugin unasked, one that is not there yet neither', async () => {
    const stage = await skillStage();
    await tools(stage);
    const log = join(stage.cwd, 'log');
    const hook = { type: 'command', command: `echo ran >> '${log}'` };
    const hooks = JSON.stringify({ hooks: { UserPromptSubmit: [{ hooks: [hook] }] } });
    await stage.write('work/mine/.claude-plugin/plugin.json', '{"name":"mine"}');
    const path = (name: string) => join(stage.cwd, name, 'hooks/hooks.json');
    const writes = ['mine', 'later'].map((name) =>
      reply(toolUse('Write', { file_path: path(name), content: hooks })),
    );
    stage.server.setScenario({ name: 'own', replies: [...writes, reply('One.'), reply('Two.')] });
    const gate = deferred<void>();
    const prompts = async function* () {
      const said = (content: string) => ({
        type: 'user' as const,
        message: { role: 'user' as const, content },
        parent_tool_use_id: null,
      });
      yield said('First.');
      await gate.promise;
      yield said('Second.');
    };
    const running = query({
      prompt: prompts(),
      options: stage.options({
        plugins: [local('mine'), local('later')],
        permissionMode: 'acceptEdits',
        allowedTools: ['Write', 'Edit'],
      }),
    });
    for await (const message of running) {
      if (message.type !== 'result') continue;
      await running.reloadPlugins();
      gate.resolve();
    }
    expect(['mine', 'later'].map((name) => existsSync(path(name)))).toEqual([false, false]);
    expect(stage.sent()).toContain('decides what may run later');
    expect(existsSync(log)).toBe(false);
  });

  it('a hook that is read again unchanged is the same hook: one that has run once has run', async () => {
    const stage = await skillStage();
    await tools(stage, {}, NO_SERVER);
    const log = join(stage.cwd, 'log');
    const hook = { type: 'command', command: `echo ran >> '${log}'`, once: true };
    const hooks = { PostToolUse: [{ matcher: 'Bash', hooks: [hook] }] };
    await stage.write('tools/hooks/hooks.json', JSON.stringify({ hooks }));
    const call = () => reply(toolUse('Bash', { command: 'true' }));
    stage.server.setScenario({ name: 'once', replies: [call(), reply('One.'), call(), reply('Two.')] });
    const gate = deferred<void>();
    const prompts = async function* () {
      const message = { role: 'user' as const, content: 'Go.' };
      yield { type: 'user' as const, message, parent_tool_use_id: null };
      await gate.promise;
      yield { type: 'user' as const, message, parent_tool_use_id: null };
    };
    const options = stage.options({ plugins: [local('../tools')], settingSources: [] });
    const running = query({ prompt: prompts(), options });
    for await (const message of running) {
      if (message.type !== 'result' || message.subtype !== 'success' || message.result !== 'One.') continue;
      await running.reloadPlugins();
      gate.resolve();
    }
    expect(await readFile(log, 'utf8')).toBe('ran\n');
  });

  it('hooks that cannot be read leave all as it was', async () => {
    const stage = await skillStage();
    await tools(stage, {}, NO_SERVER);
    stage.server.setScenario({ name: 'broken', replies: [reply('One.')] });
    const gate = deferred<void>();
    const prompts = async function* () {
      const message = { role: 'user' as const, content: 'Go.' };
      yield { type: 'user' as const, message, parent_tool_use_id: null };
      await gate.promise;
    };
    const options = stage.options({ plugins: [local('../tools')], settingSources: [] });
    const running = query({ prompt: prompts(), options });
    for await (const message of running) {
      if (message.type !== 'result') continue;
      const broken = { PreToolUse: [{ matcher: '(', hooks: [{ type: 'command', command: 'true' }] }] };
      await stage.write('tools/hooks/hooks.json', JSON.stringify({ hooks: broken }));
      await stage.write('tools/agents/late.md', '---\nname: late\ndescription: Late.\n---\nLate.');
      await expect(running.reloadPlugins()).rejects.toMatchObject({ code: 'invalid_settings' });
      expect((await running.supportedAgents()).map(({ name }) => name)).not.toContain('tools:late');
      gate.resolve();
    }
  });
});
