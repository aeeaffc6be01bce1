import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectTrust, trustProject } from '@turnwright/engine';
import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { expect, it } from 'vitest';
import { is, openPrompt, type Running, throughBothDoors, toolResults } from './doors.ts';

const touch = (name: string) => toolUse('Bash', { command: `touch ${name}` });
interface WithSettings extends Running {
  applyFlagSettings(settings: Record<string, unknown>): Promise<void>;
  updateSettings(source: string, settings: Record<string, unknown>): Promise<void>;
}

throughBothDoors('settings', (stage) => {
  const made = (name: string) => existsSync(join(stage.cwd, name));

  it('managedSettings restrict, whatever the mode; the denial says what decided', async () => {
    const { messages } = await stage.run([reply(touch('a')), reply('Well.')], {
      managedSettings: { permissions: { deny: ['Bash(touch:*)'], allow: ['Bash'] } },
      permissionMode: 'bypassPermissions',
      allowDangerouslySkipPermissions: true,
    });
    expect(made('a')).toBe(false);
    expect(messages.find(is('system', 'permission_denied'))).toMatchObject({ decision_reason_type: 'rule' });
    expect(toolResults(messages)[0]?.text).toContain('managed settings');
  });

  it('an answer kept in the local settings is written', async () => {
    const rules = [{ toolName: 'Bash', ruleContent: 'touch:*' }];
    await stage.run([reply(touch('a')), reply('Done.')], {
      canUseTool: async (_name: string, input: object) => ({
        behavior: 'allow',
        updatedInput: input,
        updatedPermissions: [{ type: 'addRules', rules, behavior: 'allow', destination: 'localSettings' }],
      }),
    });
    const text = await readFile(join(stage.cwd, '.turnwright/settings.local.json'), 'utf8');
    expect(JSON.parse(text)).toEqual({ permissions: { allow: ['Bash(touch:*)'] } });
  });

  it('named sources are agreed to, but for what the shared file allows in a folder that was not trusted', async () => {
    const allow = (file: string, rule: string) =>
      writeFile(join(stage.cwd, '.claude', file), JSON.stringify({ permissions: { allow: [rule] } }));
    await mkdir(join(stage.cwd, '.claude'));
    await allow('settings.json', 'Bash(touch shared:*)');
    await allow('settings.local.json', 'Bash(touch local:*)');
    const run = () =>
      stage.run([reply([touch('shared'), touch('local')]), reply('Well.')], {
        settingSources: ['project', 'local'],
      });
    await run();
    expect([made('shared'), made('local')]).toEqual([false, true]);
    const place = { cwd: stage.cwd, env: { CLAUDE_CONFIG_DIR: stage.home } };
    await trustProject(await projectTrust(place), place);
    await run();
    expect(made('shared')).toBe(true);
  });

  it('applyFlagSettings holds at once, updateSettings writes a file', async () => {
    await mkdir(stage.home, { recursive: true });
    await writeFile(join(stage.home, 'settings.json'), '{}');
    stage.play(reply(touch('a')), reply(touch('b')), reply('Done.'));
    const input = openPrompt('Go.');
    let asked = 0;
    const running = stage.start(input, {
      settingSources: ['user'],
      canUseTool: async (_name: string, given: object) => {
        asked += 1;
        await running.applyFlagSettings({ permissions: { allow: ['Bash(touch:*)'] } });
        return { behavior: 'allow', updatedInput: given };
      },
    }) as WithSettings;
    for await (const message of running) {
      if (message.type !== 'result') continue;
      await running.updateSettings('userSettings', { effortLevel: 'high' });
      await expect(running.updateSettings('userSettings', { apiKeyHelper: 'x' })).rejects.toThrow(
        /cannot be written/,
      );
      input.end();
    }
    expect(asked).toBe(1);
    expect([made('a'), made('b')]).toEqual([true, true]);
    expect(JSON.parse(await readFile(join(stage.home, 'settings.json'), 'utf8'))).toEqual({
      effortLevel: 'high',
    });
  });
});
