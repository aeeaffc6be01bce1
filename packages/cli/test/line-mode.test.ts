/** A13: the whole main job line by line on a real pseudo-terminal, which `script` of util-linux provides. */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { against, BIN, bareEnv, rehearse, temporaryFolder } from '@turnwright/test/cli/bin.ts';
import { everyNth } from '@turnwright/test/long-form.ts';
import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, test } from 'vitest';

const hasTerminal = spawnSync('script', ['-qec', 'true', '/dev/null']).status === 0;

const LIMIT_MS = 90_000;

interface Seat {
  readonly cwd: string;
  readonly env: Record<string, string>;
  readonly flags?: string;
  readonly size?: string;
  readonly limitMs?: number;
}

type Answer = readonly [sees: string, types: string];

/** Each answer is typed half a second after its question is on the terminal, which echoes it. */
async function at(seat: Seat, answers: readonly Answer[]) {
  const { cwd, env, flags = '--screen-reader', size = 'cols 100 rows 30', limitMs = LIMIT_MS } = seat;
  const child = spawn(
    'script',
    ['-qec', `stty ${size}; exec '${process.execPath}' '${BIN}' ${flags}`, '/dev/null'],
    {
      cwd,
      env: { TERM: 'xterm', SHELL: '/bin/sh', ...env },
    },
  );
  let written = '';
  let from = 0;
  const left = [...answers];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    written += text;
    // One read may bring several of them.
    for (const [sees, types] of [...left]) {
      const found = written.indexOf(sees, from);
      if (found < 0) return;
      left.shift();
      from = found + sees.length;
      setTimeout(() => child.stdin.write(types), 500);
    }
  });
  // A question that never comes must not keep the test waiting.
  const limit = setTimeout(() => child.kill(), limitMs);
  const code = await new Promise((resolve) => child.once('close', resolve));
  clearTimeout(limit);
  return { code, unseen: left, written, lines: written.replaceAll('\r\n', '\n').split('\n') };
}

function desk(server: { readonly url: string }): Seat {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, 'add.js'), 'export const add = (a, b) => a - b;\n');
  return { cwd, env: bareEnv(against(server)) };
}

describe.skipIf(!hasTerminal)('line mode', () => {
  test('A13 read, edit, run, a question of the model, interrupt, next prompt, resume: nothing but lines, each once', async () => {
    const server = await rehearse(
      reply(['I look at it.', toolUse('Read', { file_path: 'add.js' })]),
      reply(toolUse('Edit', { file_path: 'add.js', old_string: 'a - b', new_string: 'a + b' })),
      reply(
        toolUse('AskUserQuestion', {
          questions: [
            {
              question: 'Run the tests too?',
              header: 'Tests',
              multiSelect: false,
              options: [
                { label: 'All of them', description: 'slow' },
                { label: 'None', description: 'fast' },
              ],
            },
          ],
        }),
      ),
      reply(toolUse('Bash', { command: 'echo tested; exit 1' })),
      reply(['It is mended.']),
      reply(['Going on', toolUse('Bash', { command: 'sleep 30' })]),
      reply('Welcome again.'),
    );
    const seat = desk(server);
    const first = await at(seat, [
      ['> ', 'mend add\n'],
      ['Number from 1 to', '1\n'],
      ['Number, or other words: ', '1\n'],
      ['> ', 'and wait\n'],
      ['Going on', '\x03'],
      ['Stopped: ', '\x04'],
    ]);
    expect(first.unseen, first.written).toEqual([]);
    expect(readFileSync(join(seat.cwd, 'add.js'), 'utf8')).toContain('a + b');
    expect(first.code, first.written).toBe(0);
    expect(first.written).not.toMatch(/[^\P{Cc}\r\n]/u);
    expect(first.written).not.toMatch(/[\u2500-\u259f\u25a0-\u25ff\u2800-\u28ff]/);
    const once = first.lines.filter((line) =>
      /^(?:I look|Tool:|It is mended|Done:|Stopped:|Going on| {2}(?:added|removed|tested)|Interrupting)/.test(
        line,
      ),
    );
    expect(once.map((line) => line.replace(/,? [\d.]+ m?s\b.*$/, ''))).toEqual([
      'I look at it.',
      'Tool: Read add.js … done',
      'Tool: Edit add.js … done',
      '  removed: export const add = (a, b) => a - b;',
      '  added: export const add = (a, b) => a + b;',
      expect.stringMatching(/^Tool: AskUserQuestion .* done$/),
      'Tool: Bash echo tested; exit 1 … failed, exit 1',
      '  tested',
      'It is mended.',
      expect.stringMatching(/^Done: 5 turns/),
      'Going on',
      expect.stringMatching(/^Interrupting\./),
      expect.stringMatching(/^Tool: Bash sleep 30 … /),
      expect.stringMatching(/^Stopped: interrupted/),
    ]);
    const id = /turnwright --resume (\S+)/.exec(first.written)?.[1];
    const second = await at({ ...seat, flags: `--screen-reader --resume ${id}` }, [
      ['> ', 'hello\n'],
      ['Done: ', '/exit\n'],
    ]);
    expect(second.unseen, second.written).toEqual([]);
    expect(second.lines).toEqual(
      expect.arrayContaining(['Prompt: mend add', 'It is mended.', 'Welcome again.']),
    );
  });

  const REASONS: readonly (readonly [string, Record<string, string>, string, boolean])[] = [
    ['a dumb terminal', { TERM: 'dumb' }, 'cols 100 rows 30', false],
    ['a window of 39 columns', {}, 'cols 39 rows 30', false],
    ['the setting screenReader', {}, 'cols 100 rows 30', true],
  ];

  test.each(everyNth(2, REASONS))('is used for %s', async (_, more, size, isSet) => {
    const server = await rehearse(reply('Hello.'));
    const seat = desk(server);
    const home = seat.env['TURNWRIGHT_HOME'] as string;
    mkdirSync(home, { recursive: true });
    if (isSet) writeFileSync(join(home, 'settings.json'), '{"screenReader":true}');
    const { code, written } = await at({ cwd: seat.cwd, env: { ...seat.env, ...more }, flags: 'hi', size }, [
      ['Done: ', '\x04'],
    ]);
    expect([code, written.includes('\x1b')], written).toEqual([0, false]);
    expect(written).toContain('Hello.');
  });

  describe('in a folder whose settings would allow something', () => {
    async function allowing() {
      const cwd = temporaryFolder();
      mkdirSync(join(cwd, '.claude'));
      writeFileSync(join(cwd, '.claude', 'settings.json'), '{"permissions":{"allow":["Bash(touch:*)"]}}');
      const server = await rehearse(reply(toolUse('Bash', { command: 'touch made' })), reply('Done.'));
      return { cwd, env: bareEnv(against(server)), flags: '--screen-reader go' };
    }

    test('trust is a numbered question; with it the call is not asked about', async () => {
      const seat = await allowing();
      const { unseen, written } = await at(seat, [
        ['Enter to leave: ', '1\n'],
        ['Done: ', '\x04'],
      ]);
      expect(unseen, written).toEqual([]);
      expect(existsSync(join(seat.cwd, 'made'))).toBe(true);
    });

    test('without trust the call is asked about; a rule for always is kept in the local settings', async () => {
      const seat = await allowing();
      const { unseen, written } = await at(seat, [
        ['Enter to leave: ', '2\n'],
        ['Number from 1 to', '2\n'],
        ['to go back: ', '1\n'],
        ['Done: ', '\x04'],
      ]);
      expect(unseen, written).toEqual([]);
      expect(readFileSync(join(seat.cwd, '.claude', 'settings.local.json'), 'utf8')).toContain('Bash(touch');
    });
  });

  test('the first start without a model is a numbered list, which comes again after the rehearsed run', async () => {
    const seat: Seat = { cwd: temporaryFolder(), env: bareEnv({ NO_COLOR: '1' }), limitMs: 50_000 };
    const { code, unseen, written } = await at(seat, [
      ['Enter to leave: ', '1\n'],
      ['What the engine did', ''],
      ['Enter to leave: ', '\n'],
    ]);
    expect([code, unseen], written).toEqual([0, []]);
    expect(written).not.toContain('\x1b');
  });
});
