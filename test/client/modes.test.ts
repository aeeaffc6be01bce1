import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { reply, toolUse } from '../../src/rehearsal/index.ts';
import { is, throughBothDoors } from './doors.ts';

const touch = (name: string) => toolUse('Bash', { command: `touch ${name}`, description: 'make it' });

throughBothDoors('permission modes', (stage) => {
  const made = (name: string) => existsSync(join(stage.cwd, name));

  it('a session that starts in bypassPermissions needs no other option and asks nobody', async () => {
    const { messages, result } = await stage.run([reply(touch('a')), reply('Done.')], {
      permissionMode: 'bypassPermissions',
    });
    expect(messages.find(is('system', 'init'))).toMatchObject({ permissionMode: 'bypassPermissions' });
    expect(result).toMatchObject({ subtype: 'success', permission_denials: [] });
    expect(made('a')).toBe(true);
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
