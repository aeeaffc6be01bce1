import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { toolUse } from '../../src/rehearsal/index.ts';
import { gather, openPrompt, reply, throughBothDoors } from './doors.ts';

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

  it('the skills option names those that there are', async () => {
    for (const name of ['paint', 'roof'])
      await write(stage.cwd, `.claude/skills/${name}/SKILL.md`, skill(name, `About ${name}.`, 'Body.'));
    const some = await stage.run([reply('Hi.')], { ...project, skills: ['roof'] });
    expect(some.messages[0]).toMatchObject({ skills: ['roof'] });
    const all = await stage.run([reply('Hi.')], { ...project, skills: 'all' });
    expect(all.messages[0]).toMatchObject({ skills: ['paint', 'roof'] });
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
    expect(found).toMatchObject([
      { skills: [{ name: 'late', description: 'Late.' }] },
      { available_output_styles: ['default', 'late'] },
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
});
