/**
 * The real CLI, killed with SIGKILL at random moments and continued until it is done: no recorded unsafe call (Bash is
 * one) ever runs again, and the work comes to its one end (L4.1, L10.8, F01).
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seededRandom } from '@turnwright/testing';
import {
  type RehearsalRequest,
  type RehearsalServer,
  type Reply,
  startRehearsal,
  text,
  toolUse,
} from '@turnwright/testing/rehearsal';
import { expect, it } from 'vitest';
import { everyNth, inForm } from '../long-form.ts';

const BIN = join(import.meta.dirname, '../../dist/bin/turnwright');
const CALLS = inForm(40, 80);
const MAX_KILLS = inForm(5, 15);
const MAX_LIVES = 60;

interface Place {
  readonly folder: string;
  readonly server: RehearsalServer;
}

async function withPlace(use: (place: Place) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'turnwright-killed-'));
  const server = await startRehearsal({ scenario: nextCall, sessionOf: () => 'one' });
  try {
    await use({ folder, server });
  } finally {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Asks for one call after the other, two at a time; a call whose outcome is unknown is not asked for again. */
function nextCall(request: RehearsalRequest): Reply {
  const done = request.results.size;
  if (done >= CALLS) return { blocks: [text('Done.')] };
  const calls = [done, done + 1]
    .filter((n) => n < CALLS)
    .map((n) => toolUse('Bash', { command: `echo call-${n} >> log.txt` }, `toolu_call_${n}`));
  return { blocks: [text('Next.'), ...calls], timing: { blockPauseMs: 20 } };
}

const live = ({ folder, server }: Place, args: readonly string[]): ChildProcess =>
  spawn(
    process.execPath,
    [BIN, '-p', '--dangerously-skip-permissions', '--model', 'claude-sonnet-5', ...args],
    {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env['PATH'],
        HOME: folder,
        TURNWRIGHT_HOME: join(folder, 'home'),
        ANTHROPIC_BASE_URL: server.url,
        ANTHROPIC_API_KEY: 'key',
      },
    },
  );

async function oneLife(
  place: Place,
  args: readonly string[],
  killAfterMs: number | undefined,
): Promise<{ code: number | null; out: string; err: string }> {
  const child = live(place, args);
  let out = '';
  let err = '';
  child.stdout?.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    err += chunk;
  });
  const timer = killAfterMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfterMs);
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  clearTimeout(timer);
  return { code, out, err };
}

it.concurrent.each(everyNth(2, [11, 12]))(
  'killed again and again, seed %i',
  (seed) => withPlace((place) => killedAgainAndAgain(place, seed)),
  120_000,
);

async function killedAgainAndAgain(place: Place, seed: number): Promise<void> {
  const { folder, server } = place;
  const random = seededRandom(seed);
  let end: Awaited<ReturnType<typeof oneLife>> | undefined;
  let kills = 0;
  for (let life = 0; life < MAX_LIVES && end === undefined; life++) {
    // Killed before its prompt was on record: there is nothing to continue.
    const isNew = !existsSync(join(folder, 'home')) || server.requests.length === 0;
    const args = isNew ? ['Do the calls.'] : ['--continue'];
    const result = await oneLife(
      place,
      args,
      kills < MAX_KILLS ? 200 + Math.floor(random() * 400) : undefined,
    );
    if (result.code === null) kills += 1;
    else if (kills > 0 && /no session/i.test(result.err + result.out))
      continue; // killed before its first record
    // Killed between its last record and its exit: the result is on record, nothing is left to carry on.
    else if (/Nothing was interrupted/.test(result.err)) end = { code: 0, out: 'Done.', err: '' };
    else end = result;
  }
  expect(end, 'it comes to an end').toMatchObject({ code: 0 });
  expect(end?.out.trim()).toBe('Done.');
  expect(kills).toBeGreaterThan(3);

  const lines = readFileSync(join(folder, 'log.txt'), 'utf8').trim().split('\n');
  expect(new Set(lines).size, 'no call ran twice').toBe(lines.length);
  expect(server.report().rejected).toEqual([]);
  const last = server.requests.at(-1)?.body as {
    messages: { content: string | { type: string; content?: unknown }[] }[];
  };
  const results = last.messages.flatMap(({ content }) =>
    typeof content === 'string' ? [] : content.filter((block) => block.type === 'tool_result'),
  );
  expect(results).toHaveLength(CALLS);
  const unknown = results.filter((block) => JSON.stringify(block).includes('unknown')).length;
  expect(lines.length).toBeGreaterThanOrEqual(CALLS - unknown);
}
