/** Questions in the built command line at a real terminal: typed across their arrival, answered, rules saved. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { against, BIN, bareEnv, rehearse, temporaryFolder } from '@turnwright/test/cli/bin.ts';
import { inShortAndLongForm } from '@turnwright/test/long-form.ts';
import { forbiddenIn } from '@turnwright/test/terminal/forbidden-sequences.ts';
import { hasTmux, inTmux, pause } from '@turnwright/test/terminal/tmux.ts';
import { type Reply, reply, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, test } from 'vitest';

/** Longer than what tells typing from a paste. */
const KEY_GAP_MS = 100;
/** Longer than a question waits for silence, and then than the pause before a choice. */
const A_WHILE_MS = 1_400;

async function conversation(replies: readonly Reply[]) {
  const cwd = temporaryFolder();
  const server = await rehearse(...replies);
  const env = { ...bareEnv(against(server)), TURNWRIGHT_HOME: temporaryFolder(), TERM: 'xterm-256color' };
  const run = ['sh', '-c', `cd '${cwd}' && exec '${process.execPath}' '${BIN}'`];
  const terminal = await inTmux(run, { env });
  await terminal.seen('›');
  return { cwd, server, terminal };
}

/** The same at each run. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

describe.skipIf(!hasTmux)('at a terminal', () => {
  test('A6: what is typed across the arrival of a question decides nothing and is not lost', async () => {
    const { cwd, server, terminal } = await conversation([
      reply(['I will make it.', toolUse('Bash', { command: 'touch made' })]),
      reply('Understood.'),
    ]);
    const random = randomFrom(7);
    const KEYS = '1234512345abcxyz';
    await terminal.enter('go');
    let draft = '';
    const sent: string[] = [];
    for (let count = 0; count < inShortAndLongForm(40, 100); count++) {
      if (random() < 0.06 && draft !== '') {
        // Keys that come together are a paste, in which Enter is text.
        await terminal.seen(`› ${draft}`);
        await pause(KEY_GAP_MS);
        terminal.keys('Enter');
        await pause(KEY_GAP_MS);
        sent.push(draft);
        draft = '';
      } else {
        const key = KEYS.charAt(Math.floor(random() * KEYS.length));
        terminal.type(key);
        draft += key;
      }
      await pause(20 + random() * inShortAndLongForm(130, 330));
    }
    terminal.type('end');
    draft += 'end';
    await terminal.seen('waits for your answer: Bash touch made');
    await terminal.seen(`› ${draft}`);
    expect(existsSync(join(cwd, 'made'))).toBe(false);
    expect(server.requests).toHaveLength(1);
    terminal.keys('M-a');
    await terminal.seen('1 once');
    await pause(A_WHILE_MS);
    terminal.keys('4');
    await terminal.until('✗ denied: Bash touch made');
    await terminal.until('Understood.');
    expect(existsSync(join(cwd, 'made'))).toBe(false);
    const told = JSON.stringify(server.requests.map(({ body }) => body));
    for (const text of sent) expect(told).toContain(text);
    await terminal.seen(`› ${draft}`);
    expect(forbiddenIn(terminal.raw(), { viewer: false })).toEqual([]);
  }, 600_000);

  test('A7: the rule that is shown is the rule that is written, and the call runs', async () => {
    const { cwd, terminal } = await conversation([
      reply([toolUse('Bash', { command: 'touch made && rm -f other' })]),
      reply('Done.'),
    ]);
    await terminal.enter('go');
    await terminal.seen('3 always…');
    await pause(A_WHILE_MS);
    const seen = terminal.screen().join('\n');
    for (const text of [
      '? Bash',
      '? touch made · no rule',
      '? rm -f other · no rule',
      'why: no rule allows all of it',
    ])
      expect(seen).toContain(text);
    terminal.keys('3');
    await terminal.seen('Always allow, from now on');
    const list = terminal.screen().join('\n');
    const shown = /\[x\] (\S.*?) → (\S+)/.exec(list);
    expect(list).toContain('[ ] Bash(rm -f other)');
    await pause(A_WHILE_MS);
    terminal.keys('Enter');
    await terminal.until('Done.');
    const file = join(cwd, shown?.[2] ?? '');
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ permissions: { allow: [shown?.[1]] } });
    expect(existsSync(join(cwd, 'made'))).toBe(true);
    await terminal.until(`✓ always allowed: ${shown?.[1]} → ${shown?.[2]}`);
  });

  test('plan mode by Shift+Tab: yes leads back to manual; the next change is asked about, and taken by Enter', async () => {
    const { cwd, terminal } = await conversation([
      reply([toolUse('ExitPlanMode', { plan: 'Write a file.' })]),
      reply([toolUse('Write', { file_path: 'made', content: 'x' })]),
      reply('Done.'),
    ]);
    await terminal.seen('opus-5-5');
    for (const mode of ['accept edits', 'plan']) {
      terminal.keys('BTab');
      await terminal.seen(`· ${mode} ·`);
    }
    await terminal.enter('go');
    await terminal.seen('1 yes');
    await pause(A_WHILE_MS);
    terminal.keys('1');
    await terminal.seen('1 once');
    await terminal.seen('the mode is manual');
    await pause(A_WHILE_MS);
    terminal.keys('Enter');
    await pause(KEY_GAP_MS);
    expect(existsSync(join(cwd, 'made'))).toBe(false);
    terminal.keys('Down');
    await terminal.seen('› 1 once');
    await pause(A_WHILE_MS);
    terminal.keys('Enter');
    await terminal.until('Done.');
    expect(readFileSync(join(cwd, 'made'), 'utf8')).toBe('x');
    await terminal.enter('/tasks');
    // A word that does not fit is on the next row.
    await terminal.until('moves a');
    await terminal.until('command here.');
  });
});
