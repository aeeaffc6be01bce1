import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { has, lacking, portOf, sandboxWith } from '@turnwright/test/sandbox/support.ts';
import { contextIn, runDirectly, tempFolder, textOf } from '@turnwright/test/tools/support.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lacksProxy } from '../../src/sandbox/linux/domain-proxy.ts';
import { createBashTool } from '../../src/tools/builtin/shell/bash.ts';

const isWanting =
  lacking !== undefined || !has('socat') || !has('curl') || (await lacksProxy()) !== undefined;

describe.skipIf(isWanting)('a network that is open to some domains', () => {
  let server: Server;
  let port: number;
  let asked = 0;
  beforeAll(async () => {
    server = createServer((_request, response) => {
      asked++;
      response.end('here I am');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    port = (server.address() as AddressInfo).port;
  });
  afterAll(() => server.close());

  it('a domain that is named is reached through the proxy, no other, and none without it', async () => {
    const folder = await tempFolder();
    const sandbox = sandboxWith({
      writable: [folder.path],
      network: { kind: 'domains', allowed: ['localhost'], denied: [] },
    });
    const run = async (command: string) => {
      const context = contextIn(folder.path, { sandbox: portOf(sandbox) });
      return textOf((await runDirectly(createBashTool(), { command }, context)).output);
    };
    try {
      const get = `curl -s -m 10 --retry 5 --retry-connrefused --retry-delay 1`;
      expect(await run(`NO_PROXY= no_proxy= ${get} http://localhost:${port}/`)).toBe('here I am');
      expect(asked).toBe(1);
      expect(await run(`NO_PROXY= no_proxy= ${get} http://127.0.0.1:${port}/`)).not.toContain('here I am');
      expect(await run(`${get} http://denied.example/`)).not.toContain('here I am');
      expect(await run(`curl -s -m 5 --noproxy '*' http://localhost:${port}/`)).toMatch(/Exit code/);
      expect(await run('python3 -c "import socket; socket.socket(socket.AF_UNIX)"')).toMatch(
        /not permitted|not found/,
      );
      const relay = 'p=$(grep -ls ^socat /proc/[0-9]*/comm | head -1); p=${p%/comm}';
      expect(await run(`${relay}; [ -n "$p" ] && sh -c "exec 3>$p/mem"`)).toMatch(/Read-only file system/);
      expect(asked).toBe(1);
    } finally {
      await sandbox.close();
      await folder.remove();
    }
  });
});
