// Runs the built command line in a pseudo-terminal against a rehearsed model, types what the session says, and keeps
// every byte that it writes with its time.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pty from '@lydell/node-pty';
import xterm from '@xterm/headless';
import { reply, startRehearsal, toolUse } from '../../dist/rehearsal.js';
import { layOut, SIZE, STEPS, scenario } from './session.mjs';

const BIN = fileURLToPath(new URL('../../dist/bin/turnwright', import.meta.url));
/** A step whose text never appears ends the recording with an error. */
const STEP_LIMIT_MS = 20_000;

/** `pace`: 1 in human time, 0 as fast as the screen allows. Resolves with the bytes and the time of each read. */
export async function record(pace) {
  const server = await startRehearsal({ scenario: scenario({ reply, toolUse }, pace) });
  const home = mkdtempSync(join(tmpdir(), 'turnwright-recording-'));
  const cwd = join(home, 'order-book');
  mkdirSync(cwd);
  layOut(cwd);
  const { columns: cols, rows } = SIZE;
  const terminal = new xterm.Terminal({ cols, rows, allowProposedApi: true, scrollback: 1000 });
  const child = pty.spawn(process.execPath, [BIN, '--model', 'sonnet'], {
    cols,
    rows,
    cwd,
    name: 'xterm-256color',
    env: {
      PATH: process.env.PATH,
      HOME: home,
      TURNWRIGHT_HOME: join(home, 'config'),
      TERM: 'xterm-256color',
      COLORTERM: 'truecolor',
      LANG: 'C.UTF-8',
      ANTHROPIC_BASE_URL: server.url,
      ANTHROPIC_API_KEY: 'rehearsal',
    },
  });
  const startMs = performance.now();
  const reads = [];
  const closed = new Promise((resolve) => child.onExit(resolve));
  child.onData((data) => {
    reads.push({ atMs: performance.now() - startMs, data });
    terminal.write(data);
  });
  // What the terminal itself answers, such as where its cursor is.
  terminal.onData((data) => child.write(data));
  try {
    for (const step of STEPS) {
      await until(
        () => {
          const text = screenText(terminal);
          return text.includes(step.sees) && text.includes(step.and ?? '');
        },
        step,
        terminal,
      );
      await sleep(step.and === undefined ? step.waitMs * pace : Math.max(1300, step.waitMs * pace));
      for (const key of step.types) {
        child.write(key);
        await sleep(pace === 0 ? 12 : 35 + ((reads.length * 37) % 60));
      }
      // An Enter right behind other keys would belong to a paste.
      await sleep(100);
    }
    return { reads: [...reads] };
  } finally {
    child.kill('SIGTERM');
    await closed;
    await server.close();
    rmSync(home, { recursive: true, force: true });
  }
}

function screenText(terminal) {
  const { active } = terminal.buffer;
  return Array.from({ length: terminal.rows }, (_, row) =>
    active.getLine(active.viewportY + row)?.translateToString(true),
  ).join('\n');
}

async function until(holds, step, terminal) {
  const limitMs = performance.now() + STEP_LIMIT_MS;
  while (!holds()) {
    if (performance.now() > limitMs)
      throw new Error(`${JSON.stringify(step)} never came. The screen:\n${screenText(terminal)}`);
    await sleep(10);
  }
}

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
