import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { reply } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { getSessionMessages, type PromptAttachment, query } from '../../src/index.ts';
import { projectUnderTest } from '../memory/project-under-test.ts';

const files = {
  'src/add.ts': 'export const a = 1;\nexport const b = 2;\nexport const c = 3;\n',
  'docs/one.md': 'One.',
  '.claude/agents/reviewer.md': '---\nname: reviewer\ndescription: Reviews\n---\nReview.',
};

describe('what a prompt names', () => {
  it('tells the host what a prompt brought along', async () => {
    const project = await projectUnderTest(files);
    project.write({ [join(project.folder, 'out.md')]: 'OUTSIDE' });
    const told: (readonly PromptAttachment[])[] = [];
    const { sent, messages } = await project.run({
      prompt:
        'See @src/add.ts, @docs/, @src/ad.ts, @../out.md, @nobody and @types/node; ask @agent-reviewer.',
      options: { projectTrusted: true, onAttached: (attached) => void told.push(attached) },
    });
    expect(told).toEqual([
      [
        { type: 'file', path: 'src/add.ts', lines: 3 },
        { type: 'file', path: 'docs/', entries: 1 },
        { type: 'file', path: 'src/ad.ts', problem: 'there is no such file' },
        { type: 'file', path: '../out.md', problem: expect.stringContaining('No rule allows it') },
        { type: 'agent_mention', agent: 'reviewer' },
      ],
    ]);
    expect(sent[0]).toContain('The user asks for the agent reviewer.');
    const sessionId = messages[0]?.session_id ?? '';
    const kept = await getSessionMessages(sessionId, {
      includeAttachments: true,
      dir: project.cwd,
      env: { TURNWRIGHT_HOME: project.home },
    });
    expect(kept.flatMap(({ message }) => (message as { attachment?: unknown }).attachment ?? [])).toEqual(
      told[0],
    );
  });
});

const TOOLBOX = fileURLToPath(new URL('../../../../test/mcp/servers/toolbox.mjs', import.meta.url));

it('may name resources of servers, which the host can list', async () => {
  const project = await projectUnderTest({});
  project.server.setScenario({ name: 'resources', replies: [reply('Done.')] });
  const told: (readonly PromptAttachment[])[] = [];
  const running = query({
    prompt: 'Look at @box:memo://notes, @box:memo://gone and @nobox:memo://notes.',
    options: {
      cwd: project.cwd,
      env: {
        PATH: process.env['PATH'],
        HOME: project.folder,
        TURNWRIGHT_HOME: project.home,
        ANTHROPIC_BASE_URL: project.server.url,
        ANTHROPIC_API_KEY: 'sk-test',
      },
      mcpServers: { box: { command: process.execPath, args: [TOOLBOX] } },
      onAttached: (attached) => void told.push(attached),
    },
  });
  for await (const message of running)
    if (message.type === 'result')
      expect(await running.mcpResources()).toEqual([
        { server: 'box', uri: 'memo://notes', name: 'notes', mimeType: 'text/plain' },
      ]);
  expect(told).toEqual([
    [
      { type: 'mcp_resource', server: 'box', uri: 'memo://notes' },
      {
        type: 'mcp_resource',
        server: 'box',
        uri: 'memo://gone',
        problem: expect.stringContaining('no such resource'),
      },
    ],
  ]);
  expect(JSON.stringify(project.server.requests)).toContain('remember the milk');
});
