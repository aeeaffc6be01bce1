/** What a person feels (A5): the echo of a key, the answer to Esc, and nothing at all while nothing happens. */
import { readFileSync } from 'node:fs';
import { type IPty, spawn } from '@lydell/node-pty';
import { expect, onTestFinished, test } from 'vitest';
import { type RehearsalServer, reply, toolUse } from '../../../src/rehearsal/index.ts';
import { against, BIN, bareEnv, rehearse, temporaryFolder } from '../../cli/bin.ts';
import { inShortAndLongForm } from '../../long-form.ts';
import { pause } from '../../terminal/tmux.ts';

interface Pty {
  readonly pty: IPty;
  readonly written: () => string;
  /** ms until the output since the call matches. */
  until(pattern: RegExp, act?: () => void): Promise<number>;
}

function converse(server: RehearsalServer, args: readonly string[] = []): Pty {
  const pty = spawn(process.execPath, [BIN, ...args], {
    cols: 80,
    rows: 24,
    cwd: temporaryFolder(),
    env: { ...bareEnv(against(server)), TERM: 'xterm-256color', CI: '1' },
  });
  let written = '';
  let look = () => {};
  pty.onData((text) => {
    written += text;
    look();
  });
  onTestFinished(() => pty.kill('SIGKILL'));
  return {
    pty,
    written: () => written,
    until: (pattern, act) =>
      new Promise((resolve) => {
        const from = act === undefined ? 0 : written.length;
        const startedMs = performance.now();
        look = () => {
          if (!pattern.test(written.slice(from))) return;
          look = () => {};
          resolve(performance.now() - startedMs);
        };
        act?.();
        look();
      }),
  };
}

/** ms of CPU that a process has used. */
function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

const IDLE_MS = inShortAndLongForm(3_000, 60_000);
/** Letters that nothing on the screen has. */
const TYPED = 'ßðþøłŋħŧđĸæœ'.repeat(inShortAndLongForm(1, 4));
/** The short form runs beside other tests: it looks at the median, and waits longer for Esc. */
const ECHO_SHARE = inShortAndLongForm(0.5, 0.95);
const MOST_ECHO_MS = 30;
const MOST_ESC_MS = inShortAndLongForm(300, 100);

test.skipIf(process.platform !== 'linux')(
  'idle, it writes no byte, and uses 0.1 % of a CPU at most',
  async () => {
    const talk = converse(await rehearse(reply('Hello.')));
    await talk.until(/opus-5-5/);
    await talk.until(/done · 1 turn/, () => {
      talk.pty.write('hi');
      setTimeout(() => talk.pty.write('\r'), 150);
    });
    await pause(1_500);
    const before = { bytes: talk.written().length, cpu: cpuMs(talk.pty.pid) };
    await pause(IDLE_MS);
    expect(talk.written().length - before.bytes).toBe(0);
    // The clock of the system counts in steps of 10 ms.
    expect(cpuMs(talk.pty.pid) - before.cpu).toBeLessThanOrEqual(Math.max(10, IDLE_MS / 1_000));
  },
  90_000,
);

test('under 500 deltas a second and four tools, keys are echoed within 30 ms, and Esc is answered at once', async () => {
  const tools = [1, 2, 3, 4].map((n) => toolUse('Bash', { command: `sleep 5${n}` }));
  const words = 'word and more words, '.repeat(1_500);
  const server = await rehearse(reply([...tools, words], { timing: { gapMs: 2, deltaChars: 8 } }));
  const talk = converse(server, ['--allowedTools', 'Bash']);
  await talk.until(/opus-5-5/);
  await talk.until(/words, word/, () => {
    talk.pty.write('go');
    setTimeout(() => talk.pty.write('\r'), 150);
  });
  const echoes: number[] = [];
  for (const letter of TYPED) {
    echoes.push(await talk.until(new RegExp(letter), () => talk.pty.write(letter)));
    await pause(90);
  }
  const echoMs = echoes.toSorted((a, b) => a - b)[Math.floor(echoes.length * ECHO_SHARE)];
  const escMs = await talk.until(/interrupting/, () => talk.pty.write('\x1b'));
  expect(escMs).toBeLessThanOrEqual(MOST_ESC_MS);
  expect(echoMs).toBeLessThanOrEqual(MOST_ECHO_MS);
}, 60_000);
