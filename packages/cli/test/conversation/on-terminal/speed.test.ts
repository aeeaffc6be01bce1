/**
 * What a person feels (A5): the echo of a key, the answer to Esc, and nothing at all while nothing happens. Wake-ups are
 * counted instead of CPU time: an animation that runs on shows in both, and only the count is free of other work on the machine.
 */
import { readFileSync } from 'node:fs';
import { type IPty, spawn } from '@lydell/node-pty';
import { against, BIN, bareEnv, rehearse, temporaryFolder } from '@turnwright/test/cli/bin.ts';
import { inShortAndLongForm } from '@turnwright/test/long-form.ts';
import { pause } from '@turnwright/test/terminal/tmux.ts';
import { type RehearsalServer, reply, toolUse } from '@turnwright/testing/rehearsal';
import { expect, onTestFinished, test } from 'vitest';

interface Pty {
  readonly pty: IPty;
  readonly written: () => string;
  /** ms until the output since the call matches. */
  until(pattern: RegExp, act?: () => void): Promise<number>;
}

function converse(server: RehearsalServer, args: readonly string[] = []): Pty {
  return inPty([BIN, ...args], { ...bareEnv(against(server)), CI: '1' });
}

/** A program that only echoes: how late an echo is on this machine, at this moment. */
function echoing(): Pty {
  const program = "process.stdin.setRawMode(true).pipe(process.stdout); process.stdout.write('ready')";
  return inPty(['-e', program], bareEnv());
}

function inPty(args: readonly string[], env: Readonly<Record<string, string>>): Pty {
  const pty = spawn(process.execPath, [...args], {
    cols: 80,
    rows: 24,
    cwd: temporaryFolder(),
    env: { ...env, TERM: 'xterm-256color' },
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

/** How often the main thread of a process has gone to sleep: each time something had woken it. */
function sleeps(pid: number): number {
  const status = readFileSync(`/proc/${pid}/task/${pid}/status`, 'utf8');
  return Number(/^voluntary_ctxt_switches:\s*(\d+)$/m.exec(status)?.[1]);
}

const IDLE_MS = inShortAndLongForm(3_000, 20_000);
/** Letters that nothing on the screen has. */
const TYPED = 'ßðþøłŋħŧđĸæœ'.repeat(inShortAndLongForm(1, 4));
/**
 * What else the machine does delays some of the answers: the median of the echoes counts, and the fastest
 * answer to Esc. It delays a program that only echoes, too, and one that works all the time by more: so many times that
 * delay is added. The long form prints all that A5 asks for.
 */
const MOST_ECHO_MS = 30;
const DELAYS = 10;
const MOST_ESC_MS = inShortAndLongForm(300, 100);
const INTERRUPTS = inShortAndLongForm(1, 4);

/** Node's one collection of garbage after work, which comes seconds later and is spread over its threads. */
const MOST_SLEEPS_OF_A_COLLECTION = 20;

test.skipIf(process.platform !== 'linux')(
  'idle, it writes no byte, and wakes once a second at most',
  async () => {
    const talk = converse(await rehearse(reply('Hello.')));
    await talk.until(/opus-5-5/);
    await talk.until(/done · 1 turn/, () => {
      talk.pty.write('hi');
      setTimeout(() => talk.pty.write('\r'), 150);
    });
    await pause(1_500);
    const before = { bytes: talk.written().length, sleeps: sleeps(talk.pty.pid) };
    await pause(IDLE_MS);
    expect(talk.written().length - before.bytes).toBe(0);
    const most = MOST_SLEEPS_OF_A_COLLECTION + IDLE_MS / 1_000;
    expect(sleeps(talk.pty.pid) - before.sleeps).toBeLessThanOrEqual(most);
  },
  90_000,
);

test('under 500 deltas a second and four tools, keys are echoed within 30 ms beyond what the machine delays, and Esc is answered at once', async () => {
  const tools = [1, 2, 3, 4].map((n) => toolUse('Bash', { command: `sleep 5${n}` }));
  const words = 'word and more words, '.repeat(1_500);
  const answer = reply([...tools, words], { timing: { gapMs: 2, deltaChars: 8 } });
  const server = await rehearse(...Array.from({ length: INTERRUPTS }, () => answer));
  const talk = converse(server, ['--allowedTools', 'Bash']);
  await talk.until(/opus-5-5/);
  const go = () =>
    talk.until(/words, word/, () => {
      talk.pty.write('go');
      setTimeout(() => talk.pty.write('\r'), 150);
    });
  await go();
  const bare = echoing();
  await bare.until(/ready/);
  const echoes: number[] = [];
  const delays: number[] = [];
  for (const letter of TYPED) {
    delays.push(await bare.until(new RegExp(letter), () => bare.pty.write(letter)));
    echoes.push(await talk.until(new RegExp(letter), () => talk.pty.write(letter)));
    await pause(90);
  }
  const at = (share: number, of: readonly number[]) =>
    of.toSorted((a, b) => a - b)[Math.floor(of.length * share)] as number;
  const allowedMs = DELAYS * at(0.5, delays);
  const escapes = [await talk.until(/interrupting/, () => talk.pty.write('\x1b'))];
  while (escapes.length < INTERRUPTS) {
    await talk.until(/stopped: interrupted/, () => {});
    // What was typed for the echoes.
    if (escapes.length === 1) talk.pty.write('\x03');
    await go();
    escapes.push(await talk.until(/interrupting/, () => talk.pty.write('\x1b')));
  }
  if (INTERRUPTS > 1) console.log({ medianMs: at(0.5, echoes), p95Ms: at(0.95, echoes), escapes, allowedMs });
  expect(Math.min(...escapes)).toBeLessThanOrEqual(MOST_ESC_MS + allowedMs);
  expect(at(0.5, echoes)).toBeLessThanOrEqual(MOST_ECHO_MS + allowedMs);
});
