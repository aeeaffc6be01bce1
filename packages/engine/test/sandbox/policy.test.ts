import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { lacking, portOf, sandboxWith } from '@turnwright/test/sandbox/support.ts';
import { contextIn, runDirectly, tempFolder, textOf } from '@turnwright/test/tools/support.ts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SandboxPolicy } from '../../src/sandbox/policy.ts';
import { createBashTool } from '../../src/tools/builtin/shell/bash.ts';

describe.skipIf(lacking !== undefined)('the policy', () => {
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  let ws: string;
  let server: Server;
  let port: number;
  beforeEach(async () => {
    folder = await tempFolder();
    ws = join(folder.path, 'ws');
    await mkdir(ws);
    server = createServer((socket) => socket.end());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    port = (server.address() as { port: number }).port;
  });
  afterEach(async () => {
    server.close();
    await folder.remove();
  });

  const run = async (
    command: string,
    policy: Partial<SandboxPolicy> = {},
    env: Record<string, string> = {},
  ) => {
    const sandbox = sandboxWith({ writable: [ws], ...policy });
    try {
      const context = contextIn(ws, { sandbox: portOf(sandbox) });
      const own = { ...context, env: { ...context.env, ...env } };
      return textOf((await runDirectly(createBashTool(), { command }, own)).output);
    } finally {
      await sandbox.close();
    }
  };

  it('CVE-2025-66479: no allowed domains is no network, the whole network is said', async () => {
    const reach = `exec 3<>/dev/tcp/127.0.0.1/${port} && echo reached`;
    expect(await run(reach)).not.toMatch(/^reached/m);
    expect(await run(reach, { network: { kind: 'all' } })).toMatch(/^reached/m);
  });

  it('CVE-2026-25725: settings that are not there do not come into being', async () => {
    await run('mkdir -p .claude; echo "{}" > .claude/settings.json; echo "{}" > .mcp.json');
    expect(await readdir(ws)).toEqual([]);
  });

  it('CVE-2025-59532: the folder that a command starts in opens nothing', async () => {
    const sandbox = sandboxWith({ writable: [ws] });
    const context = contextIn(folder.path, { sandbox: portOf(sandbox) });
    await runDirectly(createBashTool(), { command: 'touch here ws/../there' }, context);
    expect(await readdir(folder.path)).toEqual(['ws']);
    await sandbox.close();
  });

  it('CVE-2026-39861: a link in the place of a protected file is what it was afterwards', async () => {
    await writeFile(join(folder.path, 'target'), 'untouched');
    await symlink('../target', join(ws, '.mcp.json'));
    await run('rm -f .mcp.json; echo evil > .mcp.json');
    expect(await readFile(join(ws, '.mcp.json'), 'utf8')).toBe('untouched');
  });

  it('local sockets where they are opened, variables that are hidden, and what is shown in what is hidden', async () => {
    const socket = 'perl -MSocket -e "socket(S,AF_UNIX,SOCK_STREAM,0) or die; print 1"';
    expect(await run(socket)).toMatch(/^Exit code/);
    expect(await run(socket, { allowUnixSockets: true })).toBe('1');
    expect(await run('echo "[$TOKEN]"', { hiddenVariables: ['TOKEN'] }, { TOKEN: 'x' })).toBe('[]');
    const home = join(folder.path, 'home');
    await mkdir(join(home, 'skills'), { recursive: true });
    await writeFile(join(home, 'key'), 'CANARY');
    await writeFile(join(home, 'skills', 's'), 'skill');
    const shown = { hiddenPaths: [home], readable: [join(home, 'skills')] };
    expect(await run(`cat ${home}/skills/s; cat ${home}/key`, shown)).toMatch(/skill.*No such file/);
  });

  it('commands that run at the same time share the places that are held free', async () => {
    const sandbox = sandboxWith({ writable: [ws] });
    const one = (command: string) =>
      runDirectly(createBashTool(), { command }, contextIn(ws, { sandbox: portOf(sandbox) }));
    await Promise.all([
      one('true'),
      one('sleep 1; mkdir .claude/x; echo x > .mcp.json; echo done > done'),
      one('sleep 0.2'),
    ]);
    expect(await readdir(ws)).toEqual(['done']);
    await sandbox.close();
  });

  it('files of one command are there for the next, and for no other session', async () => {
    const sandbox = sandboxWith({ writable: [ws] });
    const one = async (command: string) =>
      textOf(
        (await runDirectly(createBashTool(), { command }, contextIn(ws, { sandbox: portOf(sandbox) })))
          .output,
      );
    await one('echo kept > /tmp/kept');
    expect(await one('cat /tmp/kept')).toBe('kept');
    await sandbox.close();
  });
});
