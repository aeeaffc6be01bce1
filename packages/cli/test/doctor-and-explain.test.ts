import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { against, rehearse, temporaryFolder, turnwright } from '@turnwright/test/cli/bin.ts';
import { commandLine } from '@turnwright/test/cli/command-line.ts';
import { lacking } from '@turnwright/test/sandbox/support.ts';
import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, test } from 'vitest';
import { checkNode } from '../src/doctor/check-machine.ts';
import { checkCredentials, checkModel } from '../src/doctor/check-model.ts';

describe('doctor', () => {
  test('says that all is well, and never shows a key', async () => {
    const server = await rehearse();
    const cwd = temporaryFolder();
    const ran = await turnwright(['doctor'], { env: against(server), cwd });
    expect([ran.code, ran.stderr]).toEqual([0, '']);
    expect(ran.stdout).toMatch(/^✓ node +v\d+/m);
    expect(ran.stdout).toMatch(/^✓ credentials +from ANTHROPIC_API_KEY$/m);
    expect(ran.stdout).toMatch(/^✓ API +http:\/\/127\.0\.0\.1:\d+ lets us in/m);
    expect(ran.stdout).toMatch(/^✓ model +claude-opus-5-5; --model/m);
    expect(ran.stdout).toMatch(/^✓ settings +every key is known$/m);
    expect(ran.stdout).toMatch(/^✓ MCP servers +none configured$/m);
    expect(ran.stdout).toMatch(/^✓ ripgrep +\/\S+rg(?:\.exe)?$/m);
    expect(ran.stdout).toMatch(/All is well\.\n$/);
    expect(ran.stdout).not.toContain('sk-test-secret');
    expect(readdirSync(cwd)).toEqual([]);
  });

  test('1 when something is missing', async () => {
    const ran = await commandLine(['doctor'], {
      env: { ANTHROPIC_BASE_URL: 'http://127.0.0.1:9', ANTHROPIC_API_KEY: 'k' },
    });
    expect(ran.code).toBe(1);
    expect(ran.stdout).toMatch(
      /^✗ API +http:\/\/127\.0\.0\.1:9 cannot be reached: The endpoint \(127\.0\.0\.1:9\) refuses connections/m,
    );
    expect(ran.stdout).toContain('One thing needs attention.');
  });

  test.each([
    [
      401,
      'application/json',
      '{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}',
      /refuses the credentials from ANTHROPIC_API_KEY \(401\)\. .*invalid x-api-key/,
    ],
    [
      403,
      'application/json',
      '{"type":"error","error":{"type":"permission_error","message":"not for you"}}',
      /refuses the credentials from ANTHROPIC_API_KEY \(403\)/,
    ],
    [
      404,
      'text/plain',
      'no such page',
      /does not speak the Messages API \(404: .*no such page.*Check ANTHROPIC_BASE_URL/,
    ],
    [200, 'text/html', '<html><title>Log in</title></html>', /does not speak the Messages API \(200/],
    [
      502,
      'text/html',
      '<html><title>Bad gateway</title></html>',
      /answers with an error \(502\): .*Bad gateway/,
    ],
  ])('1 when the server answers everything with %i as %s', async (status, type, body, said) => {
    const server = (await import('node:http')).createServer((_, response) =>
      response.writeHead(status, { 'content-type': type }).end(body),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const ran = await commandLine(['doctor'], { env: against({ url: `http://127.0.0.1:${port}` }) });
    server.close();
    expect(ran).toMatchObject({ code: 1, stderr: '' });
    expect(/^✗ API +(.*)$/m.exec(ran.stdout)?.[1]).toMatch(said);
  });

  test('a gateway that lists no models, and a key that may ask', async () => {
    const server = (await import('node:http')).createServer((request, response) =>
      request.method === 'GET'
        ? response.writeHead(404).end('not found')
        : response
            .writeHead(400, { 'content-type': 'application/json' })
            .end(
              '{"type":"error","error":{"type":"invalid_request_error","message":"model: Field required"}}',
            ),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const env = { ...against({ url: `http://127.0.0.1:${port}/gateway` }), ANTHROPIC_MODEL: 'mine' };
    const ran = await commandLine(['doctor'], { env });
    server.close();
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(ran.stdout).toMatch(/^✓ API +.*\/gateway lets us in/m);
    expect(ran.stdout).toMatch(/^! model +mine, which the server does not list/m);
  });

  test('keys that have no effect, and MCP servers by name; none is started', async () => {
    const server = await rehearse();
    const cwd = temporaryFolder();
    const home = temporaryFolder();
    const user = join(home, 'settings.json');
    writeFileSync(user, '{"modle":"haiku","permissions":{"alow":["Read"]}}');
    writeFileSync(join(cwd, '.mcp.json'), '{"mcpServers":{"notes":{"command":"touch","args":["started"]}}}');
    const env = { ...against(server), TURNWRIGHT_HOME: home };
    const untrusted = await commandLine(['doctor'], { cwd, env });
    expect([untrusted.code, untrusted.stderr]).toEqual([0, '']);
    expect(untrusted.stdout).toContain(
      `! settings        ${user}: the key modle is not known and has no effect. Did you mean model?`,
    );
    expect(untrusted.stdout).toContain(
      'the key permissions.alow is not known and has no effect. Did you mean permissions.allow?',
    );
    await commandLine(['trust'], { cwd, env });
    const trusted = await commandLine(['doctor'], { cwd, env });
    expect(trusted.stdout).toMatch(/^✓ MCP servers +notes \(touch started\); not started$/m);
    expect(readdirSync(cwd)).toEqual(['.mcp.json']);
  });

  describe('the sandbox', () => {
    const lineIn = (stdout: string) => /^(.) sandbox +(.*)$/m.exec(stdout)?.slice(1);
    const asks = (sandbox: object) => {
      const home = temporaryFolder();
      writeFileSync(join(home, 'settings.json'), JSON.stringify({ sandbox }));
      return { TURNWRIGHT_HOME: home };
    };
    const bubblewrap = (script: string) => {
      const folder = temporaryFolder();
      writeFileSync(join(folder, 'bwrap'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
      return { PATH: folder };
    };
    const doctor = async (env: Readonly<Record<string, string>>, cwd = temporaryFolder()) => {
      const ran = await commandLine(['doctor'], { env: { ...against(await rehearse()), ...env }, cwd });
      return [ran.code, ...(lineIn(ran.stdout) ?? [])];
    };

    test.skipIf(lacking !== undefined)('works here, asked for or not', async () => {
      const [code, mark, detail] = await doctor({});
      expect([code, mark]).toEqual([0, '✓']);
      expect(detail).toMatch(/^available \(\/\S+\), off: .*"enabled": true.* isolates commands$/);
      expect(await doctor(asks({ enabled: true }))).toEqual([
        0,
        '✓',
        expect.stringMatching(/^available \(\/\S+\), on: commands run isolated$/),
      ]);
      const all = await doctor(asks({ enabled: true, hooks: true, mcpServers: true }));
      expect(all[2]).toMatch(/, on: commands, hooks and MCP servers run isolated$/);
      const some = await doctor(asks({ enabled: true, mcpServers: ['files'] }));
      expect(some[2]).toMatch(/, on: commands and the MCP server "files" run isolated$/);
    });

    test.skipIf(process.platform !== 'linux')(
      'nothing is started in a folder that is not trusted',
      async () => {
        const cwd = temporaryFolder();
        writeFileSync(join(cwd, '.mcp.json'), '{"mcpServers":{"notes":{"command":"notes"}}}');
        const started = join(temporaryFolder(), 'started');
        const [code, mark, detail] = await doctor(bubblewrap(`: > ${started}`), cwd);
        expect([code, mark]).toEqual([0, '✓']);
        expect(detail).toMatch(
          /^found, and not tried in a folder that is not trusted \(\/\S+\/bwrap\), off: /,
        );
        expect(existsSync(started)).toBe(false);
      },
    );

    test.skipIf(process.platform !== 'linux').each([
      [{}, 0, '!', 'the settings do not ask for it.'],
      [{ enabled: true }, 1, '✗', 'the settings ask for it, so no session starts.'],
      [{ enabled: true, failIfUnavailable: false }, 0, '!', 'so commands run WITHOUT isolation.'],
    ])('bubblewrap is not installed, and the settings say %j', async (sandbox, code, mark, said) => {
      const found = await doctor({ ...asks(sandbox), PATH: temporaryFolder() });
      expect(found.slice(0, 2)).toEqual([code, mark]);
      expect(found[2]).toContain(
        'not available: dependencies are missing: bubblewrap (bwrap) not installed; ',
      );
      expect(found[2]).toContain(said);
      expect(found[2]).toMatch(/sudo apt-get install bubblewrap$/);
    });

    test.skipIf(process.platform !== 'linux')('namespaces are not allowed', async () => {
      const refused = bubblewrap("echo 'setting up uid map: Permission denied' >&2; exit 1");
      const [code, mark, detail] = await doctor({ ...asks({ enabled: true }), ...refused });
      expect([code, mark]).toEqual([1, '✗']);
      expect(detail).toContain('/bwrap does not work here: setting up uid map: Permission denied; ');
      expect(detail).toContain('Allow unprivileged user namespaces');
    });
  });

  test('credentials: by variable, none, none needed', () => {
    expect(checkCredentials('ANTHROPIC_AUTH_TOKEN', 'https://api.anthropic.com')).toMatchObject({
      state: 'ok',
      detail: 'from ANTHROPIC_AUTH_TOKEN',
    });
    expect(checkCredentials('none', 'http://localhost:1')).toMatchObject({
      state: 'warning',
    });
    expect(checkCredentials('none', 'https://api.anthropic.com')).toMatchObject({ state: 'problem' });
  });

  test('the probe is bounded, and shows no secret', async () => {
    const silent = (await import('node:http')).createServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as { port: number };
    const env = { ANTHROPIC_BASE_URL: `http://user:secret@127.0.0.1:${port}`, ANTHROPIC_API_KEY: 'k' };
    const [, checked] = await checkModel({ cwd: temporaryFolder(), env }, 50);
    expect(checked).toMatchObject({ state: 'problem' });
    expect(checked?.detail).toContain('No answer came in time.');
    expect(checked?.detail).not.toContain('secret');
    silent.closeAllConnections();
    silent.close();
  });

  test('node: old ones are named', () => {
    expect(checkNode('v20.19.0').state).toBe('ok');
    expect(checkNode('v22.1.0').state).toBe('ok');
    expect(checkNode('v20.18.3').state).toBe('problem');
    expect(checkNode('v18.20.0').state).toBe('problem');
    expect(checkNode('v20.19.0', process.versions)).toEqual(checkNode('v20.19.0'));
    expect(checkNode('v26.3.0', { node: '26.3.0', bun: '1.4.5' })).toEqual({
      name: 'runtime',
      state: 'ok',
      detail: 'bun 1.4.5, which stands in for node v26.3.0',
    });
  });
});

describe('explain', () => {
  test('the newest session of this folder, or the one that is named', async () => {
    const cwd = temporaryFolder();
    const home = { TURNWRIGHT_HOME: temporaryFolder() };
    const server = await rehearse(reply([toolUse('Glob', { pattern: '*' })]), reply('done'));
    const ran = await commandLine(['-p', 'go', '--output-format=json'], {
      env: { ...against(server), ...home },
      cwd,
    });
    const { session_id } = JSON.parse(ran.stdout) as { session_id: string };
    const newest = await turnwright(['explain'], { env: home, cwd });
    expect([newest.code, newest.stderr]).toEqual([0, '']);
    expect(newest.stdout).toMatch(
      /^The model gave its answer and asked for no further tool: the task is done\.$/m,
    );
    expect(newest.stdout).toMatch(/^#1 · claude-opus-5-5 · Glob · /m);
    // What other tools than Bash were about is named too.
    expect(newest.stdout).toMatch(/^ {5}Glob `\*` ok \d+ ms$/m);
    expect(await commandLine(['explain', session_id], { env: home })).toEqual(newest);
  });

  test('commands are named, and what one wrote that failed', async () => {
    const cwd = temporaryFolder();
    const home = { TURNWRIGHT_HOME: temporaryFolder() };
    const command = 'echo one; echo it is broken; exit 3';
    const server = await rehearse(reply([toolUse('Bash', { command })]), reply('done'));
    await commandLine(['-p', '--allowedTools', 'Bash', '--', 'go'], {
      env: { ...against(server), ...home },
      cwd,
    });
    const { stdout } = await commandLine(['explain'], { env: home, cwd });
    expect(stdout).toMatch(/^ {5}Bash `echo one; echo it is broken; exit 3` failed [\d.]+ m?s$/m);
    expect(stdout).toContain('       Exit code 3\n       one\n       it is broken\n');
    const [id = ''] =
      /[0-9a-f-]{36}/.exec((await commandLine(['sessions'], { env: home, cwd })).stdout) ?? [];
    const shown = await commandLine(['sessions', 'show', id], { env: home });
    expect(shown.stdout).toContain(`[Bash ${command}]`);
    expect(shown.stdout).toContain('it is broken');
  });

  test('a session that is not there', async () => {
    expect(await commandLine(['explain'])).toMatchObject({ code: 2, stdout: '' });
    const named = await commandLine(['explain', 'nope']);
    expect(named).toMatchObject({ code: 2, stdout: '' });
    expect(named.stderr).toContain('There is no session nope');
  });
});
