import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { expect, it } from 'vitest';
import { gather, is, openPrompt, throughBothDoors } from './doors.ts';

const touch = (name: string) => toolUse('Bash', { command: `touch ${name}`, description: 'make it' });

throughBothDoors('permission modes', (stage) => {
  const made = (name: string) => existsSync(join(stage.cwd, name));

  it('a session that starts in bypassPermissions needs no other option and asks no questions', async () => {
    const { messages, result } = await stage.run([reply(touch('a')), reply('Done.')], {
      permissionMode: 'bypassPermissions',
    });
    expect(messages.find(is('system', 'init'))).toMatchObject({ permissionMode: 'bypassPermissions' });
    expect(result).toMatchObject({ subtype: 'success', permission_denials: [] });
    expect(made('a')).toBe(true);
  });

  it('a change is announced once, and a mode that is in force already is not', async () => {
    stage.play(reply('Hi.'));
    const input = openPrompt('Go.');
    const running = stage.start(input, { permissionMode: 'default' });
    const { messages } = await gather(running, (message) => {
      if (message.type !== 'result') return;
      void (async () => {
        for (const mode of ['plan', 'plan', 'default'] as const) await running.setPermissionMode(mode);
        input.end();
      })();
    });
    const modes = messages
      .filter(is('system', 'status'))
      .map((message) => 'permissionMode' in message && message.permissionMode);
    expect(modes).toEqual(['plan', 'default']);
  });

  it.each([
    ['bypassPermissions', 'plan', 'bypassPermissions'],
    ['acceptEdits', 'default', 'acceptEdits'],
    [undefined, 'plan', 'plan'],
    [undefined, 'bypassPermissions', 'default'],
  ] as const)('permissionMode %s beside an agent with %s starts in %s', async (explicit, own, mode) => {
    const { messages } = await stage.run([reply('Done.')], {
      ...(explicit !== undefined && { permissionMode: explicit }),
      agent: 'main',
      agents: { main: { description: 'does it', prompt: 'Do it.', permissionMode: own } },
    });
    expect(messages.find(is('system', 'init'))).toMatchObject({ permissionMode: mode });
  });
});
