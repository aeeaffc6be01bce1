/** Servers that live with the host: objects of the MCP SDK, joined to us without a process or a socket between. */
import { pathToFileURL } from 'node:url';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { EmptyResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { call, roomOf, toolIn, until } from '@turnwright/test/mcp/servers-under-test.ts';
import { virtualClock } from '@turnwright/testing';
import { describe, expect, it } from 'vitest';

const text = (said: string) => ({ content: [{ type: 'text' as const, text: said }] });

/** A server with one tool, `work`, whose calls are in the test's hands. */
function workshop() {
  const instance = new McpServer({ name: 'shop', version: '1.0.0' });
  const calls: { finish(): void; tell(): Promise<void> }[] = [];
  instance.registerTool('work', { description: 'Works.' }, ({ _meta, sendNotification }) => {
    return new Promise((resolve) => {
      calls.push({
        finish: () => resolve(text('worked')),
        tell: () =>
          sendNotification({
            method: 'notifications/progress',
            params: { progressToken: _meta?.progressToken as string, progress: calls.length },
          }),
      });
    });
  });
  return { instance, calls, config: { type: 'sdk', name: 'shop', instance } };
}

describe('a call of a server that lives with the host', () => {
  it('takes as long as it takes where the host says nothing', async () => {
    const clock = virtualClock();
    const { config, calls } = workshop();
    const room = await roomOf({ shop: config }, { clock });
    const running = call(toolIn(room, 'mcp__shop__work'));
    await until(() => calls[0]);
    await clock.advance(48 * 3_600_000);
    calls[0]?.finish();
    expect((await running).text).toBe('worked');
  });

  it('F79 lives as long as it tells of progress, and ends after the silence that the host allows', async () => {
    const clock = virtualClock();
    const { config, calls } = workshop();
    const room = await roomOf({ shop: { ...config, timeout: 60_000 } }, { clock });
    let told = 0;
    const running = call(toolIn(room, 'mcp__shop__work'), {}, undefined, () => {
      told += 1;
    });
    await until(() => calls[0]);
    for (const round of [1, 2]) {
      await clock.advance(50_000);
      await calls[0]?.tell();
      await until(() => told === round);
    }
    await clock.advance(60_000);
    expect((await running).text).toMatch(/no sign of life for 60 s.*outcome is unknown/);
  });
});

describe('a server that lives with the host', () => {
  it('is answered what it asks: the folder, a sign of life, and that the rest is not known here', async () => {
    const { config, instance } = workshop();
    await roomOf({ shop: config }, { cwd: '/work/garden' });
    const { server } = instance;
    expect(await server.listRoots()).toEqual({
      roots: [{ uri: pathToFileURL('/work/garden').href, name: 'garden' }],
    });
    expect(await server.ping()).toEqual({});
    await expect(
      server.request({ method: 'garden/water', params: {} } as never, EmptyResultSchema),
    ).rejects.toThrow('Method not found: garden/water');
  });

  it('F80 whose connection is closed in a call leaves the outcome unknown, and is connected anew', async () => {
    const { config, instance, calls } = workshop();
    const room = await roomOf({ shop: config });
    const running = call(toolIn(room, 'mcp__shop__work'));
    await until(() => calls[0]);
    await instance.close();
    expect((await running).text).toMatch(/outcome is unknown/);
    const again = call(toolIn(room, 'mcp__shop__work'));
    (await until(() => calls[1])).finish();
    expect((await again).text).toBe('worked');
    expect(room.statuses()).toMatchObject([{ name: 'shop', status: 'connected', transport: 'sdk' }]);
  });

  it('serves one session at a time', async () => {
    const { config } = workshop();
    const first = await roomOf({ shop: config });
    const second = await roomOf({ shop: config });
    expect(first.statuses()).toMatchObject([{ status: 'connected' }]);
    expect(second.statuses()).toMatchObject([
      { status: 'failed', error: expect.stringContaining('lready connected') },
    ]);
  });

  it('CVE-2026-25536 serves one session at a time, also where its library would take a second', async () => {
    const { config, instance, calls } = workshop();
    const inner = instance.server as unknown as { _transport: unknown };
    // As releases of the library before the fix did.
    const lax = {
      connect: (transport: Parameters<McpServer['connect']>[0]) => {
        inner._transport = undefined;
        return instance.connect(transport);
      },
      close: () => instance.close(),
    };
    const first = await roomOf({ shop: { ...config, instance: lax } });
    const running = call(toolIn(first, 'mcp__shop__work'));
    await until(() => calls[0]);
    const second = await roomOf({ shop: { ...config, instance: lax } });
    expect(second.statuses()).toMatchObject([
      { status: 'failed', error: expect.stringContaining('serves another session') },
    ]);
    calls[0]?.finish();
    expect((await running).text).toBe('worked');
  });

  it('serves the next session once the first has closed it', async () => {
    const { config } = workshop();
    const first = await roomOf({ shop: config });
    await first.close();
    const second = await roomOf({ shop: config });
    expect(second.statuses()).toMatchObject([{ status: 'connected' }]);
  });
});
