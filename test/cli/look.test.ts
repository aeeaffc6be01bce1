import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { checkNode } from '../../src/cli/doctor/check-machine.ts';
import { checkBaseUrl, checkCredentials } from '../../src/cli/doctor/check-model.ts';
import { reply, toolUse } from '../../src/rehearsal/index.ts';
import { against, rehearse, temporaryFolder, turnwright } from './bin.ts';

describe('doctor', () => {
  test('says that all is well, and never shows a key', async () => {
    const server = await rehearse();
    const cwd = temporaryFolder();
    const ran = await turnwright(['doctor'], { env: against(server), cwd });
    expect([ran.code, ran.stderr]).toEqual([0, '']);
    expect(ran.stdout).toMatch(/^✓ node +v\d+/m);
    expect(ran.stdout).toMatch(/^✓ credentials +from ANTHROPIC_API_KEY$/m);
    expect(ran.stdout).toMatch(/^✓ API +http:\/\/127\.0\.0\.1:\d+ answers \(200\)/m);
    expect(ran.stdout).toMatch(/^✓ ripgrep +ripgrep \d+/m);
    expect(ran.stdout).toMatch(/All is well\.\n$/);
    expect(ran.stdout).not.toContain('sk-test-secret');
    expect(readdirSync(cwd)).toEqual([]);
  });

  test('1 when something is missing', async () => {
    const ran = await turnwright(['doctor'], {
      env: { ANTHROPIC_BASE_URL: 'http://127.0.0.1:9', ANTHROPIC_API_KEY: 'k' },
    });
    expect(ran.code).toBe(1);
    expect(ran.stdout).toMatch(/^✗ API +http:\/\/127\.0\.0\.1:9 cannot be reached: ECONNREFUSED$/m);
    expect(ran.stdout).toContain('One thing needs attention.');
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
    const checked = await checkBaseUrl(`http://user:secret@127.0.0.1:${port}`, {}, 50);
    expect(checked).toMatchObject({ state: 'problem' });
    expect(checked.detail).toContain('no answer in time');
    expect(checked.detail).not.toContain('secret');
    silent.closeAllConnections();
    silent.close();
  });

  test('node: old ones are named', () => {
    expect(checkNode('v20.19.0').state).toBe('ok');
    expect(checkNode('v22.1.0').state).toBe('ok');
    expect(checkNode('v20.18.3').state).toBe('problem');
    expect(checkNode('v18.20.0').state).toBe('problem');
  });
});

describe('explain', () => {
  test('the newest session of this folder, or the one that is named', async () => {
    const cwd = temporaryFolder();
    const home = { TURNWRIGHT_HOME: temporaryFolder() };
    const server = await rehearse(reply([toolUse('Glob', { pattern: '*' })]), reply('done'));
    const ran = await turnwright(['-p', 'go', '--output-format=json'], {
      env: { ...against(server), ...home },
      cwd,
    });
    const { session_id } = JSON.parse(ran.stdout) as { session_id: string };
    const newest = await turnwright(['explain'], { env: home, cwd });
    expect([newest.code, newest.stderr]).toEqual([0, '']);
    expect(newest.stdout).toMatch(/completed/);
    expect(newest.stdout).toMatch(/next_turn/);
    expect(await turnwright(['explain', session_id], { env: home })).toEqual(newest);
  });

  test('a session that is not there', async () => {
    expect(await turnwright(['explain'])).toMatchObject({ code: 2, stdout: '' });
    const named = await turnwright(['explain', 'nope']);
    expect(named).toMatchObject({ code: 2, stdout: '' });
    expect(named.stderr).toContain('There is no session nope');
  });
});
