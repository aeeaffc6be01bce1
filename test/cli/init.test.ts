import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { plainJson } from '@turnwright/base/files/plain-json.ts';
import { reply, startRehearsal } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { settingsSchema } from '../../packages/engine/src/settings/read/settings-schema.ts';
import { against, temporaryFolder, turnwright } from './bin.ts';
import { commandLine } from './command-line.ts';

/** What the file sets once the slashes before every key are removed. */
const withoutSlashes = (text: string) =>
  JSON.parse(plainJson(text.replace(/^( *)\/\/ (?=[\s"{}[\]])/gm, '$1')));

describe('turnwright init', () => {
  it.each([
    ['settings.json', [], 0o644],
    ['settings.local.json', ['--local'], 0o600],
  ])('writes %s, which sets nothing and whose examples a run accepts', async (name, flags, mode) => {
    const cwd = temporaryFolder();
    const { code, stdout } = await commandLine(['init', ...flags], { cwd });
    const file = join(cwd, '.turnwright', name);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining(`Written: ${file}`) });
    const text = readFileSync(file, 'utf8');
    expect(JSON.parse(plainJson(text))).toEqual({});
    expect(statSync(file).mode & 0o777).toBe(mode);
    const set = withoutSlashes(text);
    expect(Object.keys(set).length).toBeGreaterThan(2);
    expect(z.strictObject(settingsSchema.shape).safeParse(set).error?.issues).toBe(undefined);
    expect(readFileSync(join(cwd, '.turnwright/.gitignore'), 'utf8')).toBe('settings.local.json\n');
  });

  it('leaves a file that is there, and writes nothing through a link', async () => {
    const cwd = temporaryFolder();
    mkdirSync(join(cwd, '.turnwright'));
    const file = join(cwd, '.turnwright/settings.json');
    writeFileSync(file, '{}');
    expect(await commandLine(['init'], { cwd })).toMatchObject({
      code: 2,
      stderr: `turnwright: There is ${file} already, which is left as it is. docs/settings.md explains its keys.\n`,
    });
    expect(readFileSync(file, 'utf8')).toBe('{}');
    const linked = temporaryFolder();
    symlinkSync(temporaryFolder(), join(linked, '.turnwright'));
    expect((await commandLine(['init'], { cwd: linked })).stderr).toContain('so nothing is written there.');
  });

  it('writes what a run reads, what doctor finds nothing wrong with, and what "always" answers join', async () => {
    const server = await startRehearsal({
      scenario: { name: 'init', replies: [reply('Done.', { times: 'any' })] },
    });
    const cwd = temporaryFolder();
    const env = { ...against(server), TURNWRIGHT_HOME: temporaryFolder() };
    expect((await turnwright(['init'], { cwd, env })).code).toBe(0);
    const file = join(cwd, '.turnwright/settings.json');
    writeFileSync(file, readFileSync(file, 'utf8').replace('// "model": "sonnet",', '"model": "sonnet",'));
    expect(await commandLine(['-p', '--trust-project', 'Hi.'], { cwd, env })).toMatchObject({
      code: 0,
      stderr: '',
    });
    expect(JSON.stringify(server.requests.at(-1)?.body)).toMatch(/"model":"claude-sonnet/);
    expect((await commandLine(['doctor'], { cwd, env })).stdout).toContain('every key is known');
    await server.close();
  });
});
