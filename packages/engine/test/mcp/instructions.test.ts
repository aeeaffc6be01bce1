import { tmpdir } from 'node:os';
import { systemClock } from '@turnwright/base/clock.ts';
import { engineUnderTest } from '@turnwright/test/engine/engine-under-test.ts';
import { stdio, TOOLBOX } from '@turnwright/test/mcp/servers-under-test.ts';
import { callTool, type ScriptStep, say } from '@turnwright/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { QueryEngineConfig } from '../../src/engine/config.ts';

function engineWith(
  script: readonly ScriptStep[],
  env: Record<string, string>,
  config: Partial<QueryEngineConfig> = {},
) {
  const under = engineUnderTest(script, {
    cwd: tmpdir(),
    clock: systemClock,
    env: { PATH: process.env['PATH'] },
    mcpServers: [{ name: 'box', scope: 'option', config: stdio(TOOLBOX, [], env) }],
    ...config,
  });
  onTestFinished(() => under.engine.close());
  return under;
}

const textOf = (request: { readonly view: Iterable<unknown> } | undefined) =>
  JSON.stringify([...(request?.view ?? [])]);
const count = (text: string, part: string) => text.split(part).length - 1;

describe('what servers say about their use', () => {
  it('reach the model once, by name and bounded, and stay in place', async () => {
    const said = `Count to three first.\u200b\u001b[31m ${'x'.repeat(5_000)}`;
    const { run, model, engine } = engineWith(
      [callTool('mcp__box__echo', { text: 'a' }), say('one'), say('two')],
      { INSTRUCTIONS: said },
      { mcpClients: [{ name: 'own', status: 'connected', tools: [], instructions: 'Ask me nothing.' }] },
    );
    await run('Go.');
    await run('Again.');
    const texts = model.requests.map(textOf);
    for (const text of texts) {
      expect(count(text, '# box')).toBe(count(texts[0] ?? '', '# box'));
      expect(text).toContain('Count to three first. xxx');
      expect(text).toContain('Ask me nothing.');
      expect(text).not.toContain('x'.repeat(2_100));
      expect(text).not.toMatch(/\u200b|\\u001b/);
    }
    const usage = await engine.controls.contextUsage();
    expect(usage.mcpInstructions).toMatchObject([{ serverName: 'own' }, { serverName: 'box' }]);
    expect(usage.categories).toContainEqual(expect.objectContaining({ id: 'mcp_instructions' }));
  });

  it('are removed when the server is switched off', async () => {
    const { run, model, engine } = engineWith([say('one'), say('two')], { INSTRUCTIONS: 'Be kind.' });
    await run('Go.');
    await engine.mcp.setEnabled('box', false);
    await run('Again.');
    expect(textOf(model.requests[1])).toContain('What these MCP servers said holds no more: box.');
  });
});

it('a host hears that what a person was sent to a web page for is done', async () => {
  const { run } = engineWith([callTool('mcp__box__complete', { elicitationId: 'e1' }), say('Done.')], {});
  expect(await run('Go.')).toContainEqual(
    expect.objectContaining({
      type: 'system',
      subtype: 'elicitation_complete',
      mcp_server_name: 'box',
      elicitation_id: 'e1',
    }),
  );
});

describe('a host beside the model', () => {
  it('reads ui:// resources of servers that the engine reaches, and no others', async () => {
    const { engine, run } = engineWith(
      [say('x')],
      {},
      { mcpClients: [{ name: 'own', status: 'connected' }] },
    );
    await run('Go.');
    expect(await engine.mcp.readResource('box', 'ui://card')).toEqual({
      contents: [{ uri: 'ui://card', mimeType: 'text/html', text: '<p>Card</p>' }],
    });
    await expect(engine.mcp.readResource('box', 'memo://notes')).rejects.toThrow('Only ui:// resources');
    await expect(engine.mcp.readResource('box', 'ui://none')).rejects.toThrow('no such resource');
    await expect(engine.mcp.readResource('gone', 'ui://card')).rejects.toThrow(
      'There is no MCP server "gone"',
    );
    await expect(engine.mcp.readResource('own', 'ui://card')).rejects.toThrow("the host's own");
  });

  it('has the calls of one server asked for in a mode that would allow them', async () => {
    const { engine, run } = engineWith(
      [callTool('mcp__box__touch'), say('one'), callTool('mcp__box__touch'), say('two')],
      {},
      { permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true },
    );
    expect(engine.mcp.setModeOverride('bxo', 'default')).toEqual({
      warning: 'There is no MCP server "bxo" yet.',
    });
    expect(engine.mcp.setModeOverride('box', 'default')).toEqual({});
    expect((await run('Go.')).at(-1)).toMatchObject({
      permission_denials: [{ tool_name: 'mcp__box__touch' }],
    });
    engine.mcp.setModeOverride('box', null);
    expect((await run('Go.')).at(-1)).toMatchObject({ permission_denials: [] });
  });
});
