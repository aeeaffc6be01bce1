import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { toolUse } from '@turnwright/testing/rehearsal';
import { expect, it } from 'vitest';
import { gather, is, openPrompt, prompt, reply, throughBothDoors } from './doors.ts';

const TOOLBOX = fileURLToPath(new URL('../mcp/servers/toolbox.mjs', import.meta.url));
const PLUGIN_ROOT = `\${CLAUDE_PLUGIN_ROOT}`;

const skill = (name: string, description: string, body: string) =>
  `---\nname: ${name}\ndescription: ${description}\n---\n\n${body}\n`;

async function write(folder: string, path: string, text: string): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), text);
}

/** What a host may reload; both doors have the methods. */
interface Reloading {
  reloadSkills(): Promise<{ readonly skills: readonly { readonly name: string }[] }>;
  reloadPlugins(options?: object): Promise<object>;
  reloadOutputStyles(): Promise<{ readonly available_output_styles: readonly string[] }>;
}

throughBothDoors('skills', (stage) => {
  const project = { settingSources: ['project'] };

  it('are listed by name and loaded by the Skill tool', async () => {
    await write(stage.cwd, '.claude/skills/paint/SKILL.md', skill('paint', 'Painting.', 'Two coats.'));
    const { messages, result } = await stage.run(
      [reply(toolUse('Skill', { skill: 'paint' })), reply('Done.')],
      project,
    );
    expect(messages[0]).toMatchObject({
      skills: ['paint'],
      slash_commands: expect.arrayContaining(['paint']),
    });
    const [first, second] = stage.asked().map(({ messages: sent }) => JSON.stringify(sent));
    expect(first).toContain('- paint: Painting.');
    expect(first).not.toContain('Two coats.');
    expect(second).toContain('Two coats.');
    expect(messages).toContainEqual(expect.objectContaining({ type: 'user', isSynthetic: true }));
    expect(result).toMatchObject({ subtype: 'success' });
  });

  it('the skills option names those that the model may use; the others stay commands of the user', async () => {
    for (const name of ['paint', 'roof'])
      await write(stage.cwd, `.claude/skills/${name}/SKILL.md`, skill(name, `About ${name}.`, `Do ${name}.`));
    const told = () => JSON.stringify(stage.asked().at(-1)?.['messages']);
    const some = await stage.run([reply(toolUse('Skill', { skill: 'paint' })), reply('Hi.')], {
      ...project,
      skills: ['roof'],
    });
    expect(some.messages[0]).toMatchObject({
      skills: ['paint', 'roof'],
      slash_commands: expect.arrayContaining(['paint', 'roof']),
    });
    expect(told()).toContain('- roof: About roof.');
    expect(told()).not.toContain('About paint.');
    expect(JSON.stringify(stage.asked())).not.toContain('Do paint.');
    await stage.run([reply('Done.')], { ...project, skills: ['roof'] }, '/paint');
    expect(told()).toContain('Do paint.');
    await stage.run([reply('Hi.')], { ...project, skills: 'all' });
    expect(told()).toContain('About paint.');
  });

  it('/name begins with the skill', async () => {
    await write(stage.cwd, '.claude/skills/paint/SKILL.md', skill('paint', 'Painting.', 'Paint $ARGUMENTS.'));
    await stage.run([reply('Done.')], project, '/paint the hall');
    expect(JSON.stringify(stage.asked()[0]?.['messages'])).toContain('Paint the hall.');
  });

  it('reload finds what came since', async () => {
    stage.play(reply('Hi.'));
    const input = openPrompt('Go.');
    const running = stage.start(input, project) as ReturnType<typeof stage.start> & Reloading;
    const found: unknown[] = [];
    const { messages } = await gather(running, (message) => {
      if (message.type !== 'result') return;
      void (async () => {
        await write(stage.cwd, '.claude/skills/late/SKILL.md', skill('late', 'Late.', 'Body.'));
        await write(stage.cwd, '.claude/output-styles/late.md', 'Be late.');
        found.push(await running.reloadSkills(), await running.reloadOutputStyles());
        input.end();
      })();
    });
    expect(messages[0]).toMatchObject({ skills: [], output_style: 'default' });
    expect(messages.filter(is('system', 'commands_changed'))).toMatchObject([
      { commands: expect.arrayContaining([expect.objectContaining({ name: 'late' })]) },
    ]);
    expect(found).toMatchObject([
      { skills: [{ name: 'late', description: 'Late.' }] },
      { available_output_styles: ['default', 'Proactive', 'Concise', 'Explanatory', 'Learning', 'late'] },
    ]);
  });
});

throughBothDoors('plugins', (stage) => {
  const plugin = async (): Promise<string> => {
    const root = join(stage.cwd, '../tools');
    await write(root, '.claude-plugin/plugin.json', JSON.stringify({ name: 'tools', version: '1.0.0' }));
    await write(root, 'skills/paint/SKILL.md', skill('paint', 'Painting.', 'Two coats.'));
    await write(root, 'server.mjs', `await import(${JSON.stringify(TOOLBOX)});`);
    const box = { command: process.execPath, args: [`${PLUGIN_ROOT}/server.mjs`] };
    await write(root, '.mcp.json', JSON.stringify({ mcpServers: { box } }));
    return root;
  };

  it('bring skills and MCP servers; one that is broken is named', async () => {
    const path = await plugin();
    const broken = join(stage.cwd, '../nowhere');
    for (const pluginDelivery of ['argv', 'initialize']) {
      const delivery = stage.door.name === 'our own query()' ? {} : { pluginDelivery };
      const { messages } = await stage.run(
        [
          reply(toolUse('mcp__plugin_tools_box__echo', { text: 'x' })),
          reply(toolUse('Skill', { skill: 'tools:paint' })),
          reply('Done.'),
        ],
        {
          plugins: [path, broken].map((each) => ({ type: 'local', path: each })),
          allowedTools: ['mcp__plugin_tools_box'],
          ...delivery,
        },
      );
      expect(messages[0]).toMatchObject({
        plugins: [{ name: 'tools', path, version: '1.0.0' }],
        plugin_errors: [{ plugin: 'inline[1]', type: 'path-not-found', path: broken }],
        skills: ['tools:paint'],
        mcp_servers: [{ name: 'plugin:tools:box', status: 'connected' }],
      });
      expect(JSON.stringify(stage.asked().at(-1)?.['messages'])).toContain('Two coats.');
    }
  });

  it('bring commands', async () => {
    const path = await plugin();
    await write(path, 'commands/fence.md', 'Build a fence of $ARGUMENTS.');
    const plugins = [{ type: 'local', path }];
    const { messages } = await stage.run([reply('Built.')], { plugins }, '/tools:fence oak');
    expect(messages[0]).toMatchObject({
      slash_commands: expect.arrayContaining(['tools:fence', 'tools:paint']),
    });
    expect(JSON.stringify(stage.asked()[0]?.['messages'])).toContain('Build a fence of oak.');
  });

  it('skipMcpDiscovery leaves their servers alone', async () => {
    const path = await plugin();
    const { messages } = await stage.run([reply('Hi.')], {
      plugins: [{ type: 'local', path, skipMcpDiscovery: true }],
    });
    expect(messages[0]).toMatchObject({ plugins: [{ name: 'tools' }], mcp_servers: [] });
  });

  it('reloadPlugins adds them, and holds back what breaks the prompt cache', async () => {
    const path = await plugin();
    stage.play(reply('Hi.'));
    const input = openPrompt('Go.');
    const running = stage.start(input) as ReturnType<typeof stage.start> & Reloading;
    const answers: unknown[] = [];
    const addPlugins = [{ type: 'local', path }];
    await gather(running, (message) => {
      if (message.type !== 'result') return;
      void (async () => {
        answers.push(await running.reloadPlugins({ addPlugins, holdOnCacheImpact: true }));
        answers.push(await running.reloadPlugins({ addPlugins }));
        input.end();
      })();
    });
    expect(answers).toMatchObject([
      { held: true, plugins: [], cache_impact: { mcp_servers_added: ['plugin:tools:box'] } },
      { plugins: [{ name: 'tools' }], mcpServers: [{ name: 'plugin:tools:box' }], error_count: 0 },
    ]);
  });

  it('reloadPlugins: what a plugin has become holds from the next turn on, agents and hooks too', async () => {
    const path = await plugin();
    const log = join(stage.cwd, 'log');
    const version = async (name: string, agent: string) => {
      const hook = { type: 'command', command: `echo ${name} >> '${log}'` };
      const hooks = { PostToolUse: [{ matcher: 'Bash|Agent', hooks: [hook] }] };
      await write(path, 'hooks/hooks.json', JSON.stringify({ hooks }));
      await write(path, `agents/${agent}.md`, `---\nname: ${agent}\ndescription: Is ${agent}.\n---\nWork.`);
      await write(path, `commands/${name}.md`, `Do it as ${name}.`);
      await write(path, `skills/art-${name}/SKILL.md`, skill(`art-${name}`, `About ${name}.`, 'Body.'));
    };
    await version('one', 'mason');
    const ask = { description: 'roof', prompt: 'Roof.', subagent_type: 'tools:roofer' };
    stage.play(
      reply(toolUse('Bash', { command: 'touch a' })),
      reply('One.'),
      reply(toolUse('Agent', ask)),
      reply('Roofed.'),
      reply('Two.'),
    );
    const input = openPrompt('Go.');
    let reloaded: unknown;
    const running = stage.start(input, {
      plugins: [{ type: 'local', path }],
      canUseTool: async (_name: string, given: object) => {
        await rm(join(path, 'agents/mason.md'));
        await version('two', 'roofer');
        reloaded = await running.reloadPlugins();
        return { behavior: 'allow', updatedInput: given };
      },
    }) as ReturnType<typeof stage.start> & Reloading;
    const { messages, results } = await gather(running, (message) => {
      if (message.type !== 'result') return;
      if (message.subtype === 'success' && message.result === 'One.') input.push(prompt('/tools:two'));
      else input.end();
    });
    expect(results).toMatchObject([{ result: 'One.' }, { result: 'Two.' }]);
    const named = (name: string) => expect.arrayContaining([expect.objectContaining({ name })]);
    expect(reloaded).toMatchObject({ agents: named('tools:roofer'), commands: named('tools:two') });
    expect(JSON.stringify(reloaded)).not.toContain('tools:mason');
    // The turn that ran kept its agents and its hook; the next has the new ones.
    const tools = stage.asked().map((body) => JSON.stringify(body['tools']));
    expect(tools[1]).toBe(tools[0]);
    expect(tools[1]).toContain('tools:mason');
    expect(tools[2]).toContain('tools:roofer: Is roofer.');
    expect(tools[2]).not.toContain('tools:mason');
    expect(await readFile(log, 'utf8')).toBe('one\ntwo\n');
    expect(messages.findLast(is('system', 'init'))).toMatchObject({
      agents: expect.arrayContaining(['tools:roofer']),
      skills: expect.arrayContaining(['tools:art-one', 'tools:art-two']),
      slash_commands: expect.arrayContaining(['tools:two']),
    });
    expect(JSON.stringify(stage.asked()[2]?.['messages'])).toContain('Do it as two.');
    expect(stage.server.report()).toMatchObject({ rejected: [], unanswered: [], unusedReplies: [] });
  });
});
