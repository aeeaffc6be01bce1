/** Colours and motion of the conversation, by variables and settings, on a real pseudo-terminal. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lazily } from '@turnwright/base/collections/made-once.ts';
import { against, BIN, bareEnv, rehearse, temporaryFolder } from '@turnwright/test/cli/bin.ts';
import { everyNth } from '@turnwright/test/long-form.ts';
import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, test } from 'vitest';

const hasTerminal = spawnSync('script', ['-qec', 'true', '/dev/null']).status === 0;

/** All that a conversation with one command wrote until its closing line. */
async function written(command: string, settings: object, env: Record<string, string>): Promise<string> {
  const server = await rehearse(reply(['**Bold** words.', toolUse('Bash', { command })]), reply('Done.'));
  const bare = bareEnv(against(server));
  const all = { ...bare, TERM: 'xterm-256color', SHELL: '/bin/sh', ...env };
  const home = bare['TURNWRIGHT_HOME'] as string;
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, 'settings.json'), JSON.stringify(settings));
  const run = `stty cols 90 rows 30; exec '${process.execPath}' '${BIN}' go`;
  const child = spawn('script', ['-qec', run, '/dev/null'], { cwd: temporaryFolder(), env: all });
  let seen = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    seen += text;
    if (/done · 2 turns/.test(seen)) child.kill();
  });
  const limit = setTimeout(() => child.kill(), 90_000);
  await new Promise((resolve) => child.once('close', resolve));
  clearTimeout(limit);
  expect(seen, seen).toContain('done · 2 turns');
  return seen;
}

/** The parameters of a select-graphic-rendition sequence that set a colour of text or ground. */
const COLOUR = new RegExp(`${String.fromCharCode(27)}\\[(?:\\d+;)*(?:3[0-8]|4[0-8]|9[0-7]|10[0-7])[\\d;]*m`);
const SPINNER = /[◐◓◑◒]/g;

describe.skipIf(!hasTerminal)('the conversation', () => {
  const byDefault = lazily(() => written('sleep 0.8', {}, {}));

  test('has colours where variables and settings want them', async () => {
    const ways = everyNth<readonly [string, object, Record<string, string>, boolean]>(3, [
      ['NO_COLOR', {}, { NO_COLOR: '1' }, false],
      ['FORCE_COLOR=0', {}, { FORCE_COLOR: '0' }, false],
      ['the theme light', { theme: 'light' }, {}, true],
      ['the theme none', { theme: 'none' }, {}, false],
    ]);
    const [usual, basic, ...seen] = await Promise.all([
      byDefault(),
      written('true', { theme: 'basic' }, {}),
      ...ways.map(([, settings, env]) => written('true', settings, env)),
    ]);
    expect(usual).toMatch(COLOUR);
    expect(basic).toMatch(COLOUR);
    expect(ways.map(([name], at) => [name, COLOUR.test(seen[at] ?? '')])).toEqual(
      ways.map(([name, , , expected]) => [name, expected]),
    );
    // The 16 colours of the terminal, no others.
    expect(basic).not.toMatch(/[34]8;[25];/);
  });

  test('has a spinner that moves, and with reducedMotion one that does not', async () => {
    const [moving, still] = await Promise.all([
      byDefault(),
      written('sleep 0.8', { reducedMotion: true }, {}),
    ]);
    expect(new Set(moving.match(SPINNER)).size).toBeGreaterThan(1);
    expect(new Set(still.match(SPINNER)).size).toBe(1);
  });
});
