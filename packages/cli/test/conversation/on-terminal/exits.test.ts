/** Every way out of a conversation restores the terminal (A11). */

import { against, BIN, bareEnv, rehearse } from '@turnwright/test/cli/bin.ts';
import { converse, processOf, type Talk } from '@turnwright/test/conversation/on-terminal/converse.ts';
import { everyNth, isLong } from '@turnwright/test/long-form.ts';
import { forbiddenIn } from '@turnwright/test/terminal/forbidden-sequences.ts';
import { hasTmux, inTmux, pause, type Tmux } from '@turnwright/test/terminal/tmux.ts';
import { type RehearsalServer, reply } from '@turnwright/testing/rehearsal';
import { describe, expect, test } from 'vitest';

const slow = () => rehearse(reply('Never said.', { timing: { ttftMs: 60_000 } }));

const signal = (name: NodeJS.Signals) => (talk: Talk) => void process.kill(processOf(talk), name);
const twice = async (talk: Talk) => {
  talk.keys('C-c');
  await pause(150);
  talk.keys('C-c');
};

const WAYS: readonly (readonly [string, (talk: Talk) => unknown, string])[] = [
  ['Ctrl+D on an empty prompt', (talk) => talk.keys('C-d'), 'ended with 0'],
  ['Ctrl+C twice', twice, 'ended with 0'],
  ['SIGHUP', signal('SIGHUP'), 'ended with 129'],
  ['SIGTERM', signal('SIGTERM'), 'ended with 143'],
  ['/exit', (talk) => talk.enter('/exit'), 'ended with 0'],
  [
    'two SIGINT',
    async (talk) => {
      signal('SIGINT')(talk);
      await pause(200);
      signal('SIGINT')(talk);
    },
    'ended with 130',
  ],
];

/** ms after the start. */
const STARTING_MS = isLong ? Array.from({ length: 18 }, (_, at) => at * 30) : [150];
const STARTS_AT_ONCE = 4;
/** Also while it works. */
const WAYS_OF_WORK = isLong ? WAYS.filter(([name]) => name !== '/exit') : WAYS.slice(3, 4);

const POLLED = { timeout: 90_000 };

/** What the shell finds: canonical mode with echo, a visible cursor, no marked pastes, the main screen. */
async function expectRestored(talk: Tmux): Promise<void> {
  // What was switched on was switched off later, or never was. The recording may lag behind the terminal.
  const last = (sequence: string) => talk.raw().lastIndexOf(sequence);
  await expect.poll(() => last('\x1b[?25h') - last('\x1b[?25l'), POLLED).toBeGreaterThanOrEqual(0);
  await expect.poll(() => last('\x1b[?2004l') - last('\x1b[?2004h'), POLLED).toBeGreaterThanOrEqual(0);
  expect(forbiddenIn(talk.raw(), { viewer: false })).toEqual([]);
  await talk.prompted();
  talk.type('stty -a | grep -c " icanon .* echo "; echo as""ked');
  talk.keys('Enter');
  await talk.until('asked');
  const history = talk.history();
  expect(history.slice(0, history.lastIndexOf('asked')).at(-1)).toBe('1');
  expect(talk.ask('#{cursor_flag} #{alternate_on}')).toBe('1 0');
}

describe.skipIf(!hasTmux)('a conversation is left', () => {
  test.each(everyNth(2, WAYS))('idle: %s', async (_, leave, ended) => {
    const talk = await converse(await slow());
    await talk.seen('opus-5-5');
    await leave(talk);
    await talk.until(ended);
    await expectRestored(talk);
  });

  test.each(WAYS_OF_WORK)('while it works: %s', async (_, leave, ended) => {
    const server: RehearsalServer = await slow();
    const talk = await converse(server);
    await talk.enter('go');
    await talk.seen('waiting for');
    await leave(talk);
    await talk.until(ended);
    await expectRestored(talk);
  });

  test('by a crash: the error is on the main screen, in a terminal that works', async () => {
    const server = await slow();
    const crash = 'process.once(`SIGUSR2`,()=>{throw(new(Error)(`crashed-by-test`))})';
    const env = { ...bareEnv(against(server)), NODE_OPTIONS: `--import=data:text/javascript,${crash}` };
    const talk = await converse(server, { env });
    await talk.seen('opus-5-5');
    signal('SIGUSR2')(talk);
    await talk.until('ended with 1');
    expect(talk.history().join('\n')).toContain('turnwright: crashed-by-test');
    await expectRestored(talk);
  });

  test('by Ctrl+C, at each moment of its start', async () => {
    const server = await slow();
    const startAndLeave = async (ms: number) => {
      const talk = await inTmux([process.execPath, BIN], { env: bareEnv(against(server)) });
      await pause(ms);
      talk.keys('C-c');
      await pause(200);
      talk.keys('C-c');
      await pause(100);
      talk.keys('C-c');
      await talk.until('ended with');
      await expectRestored(talk);
      talk.end();
    };
    const moments = STARTING_MS.values();
    const one = async () => {
      for (const ms of moments)
        await startAndLeave(ms).catch((cause: unknown) => {
          throw new Error(`Ctrl+C ${ms} ms after the start`, { cause });
        });
    };
    await Promise.all(Array.from({ length: STARTS_AT_ONCE }, one));
  }, 600_000);

  test('Ctrl+Z gives the shell its terminal, and fg comes back with what was typed', async () => {
    const talk = await converse(await slow());
    await talk.seen('opus-5-5');
    talk.type('half a thought');
    await talk.seen('› half a thought');
    talk.keys('C-z');
    await talk.until('Stopped');
    talk.type('echo between; fg');
    talk.keys('Enter');
    await talk.until('between');
    await talk.seen('› half a thought');
    await twice(talk);
    await talk.until('ended with');
    await expectRestored(talk);
  });
});

test.skipIf(!hasTmux)(
  'a session that another process has open is not continued, which is said once',
  async () => {
    const talk = await converse(await rehearse(reply('Here.')));
    await talk.enter('hello');
    await talk.until('done · 1 turn');
    const again = ['sh', '-c', 'cd "$0" && exec "$@"', talk.cwd, process.execPath, BIN, '--continue'];
    const second = await inTmux(again, { env: talk.env });
    await second.until('ended with 1');
    const history = second.history().join(' ').replaceAll(/\s+/g, ' ');
    expect(history.match(/is in use by process/g)).toHaveLength(1);
    expect(history).not.toContain('Go on with');
  },
  30_000,
);
