/** The two regions in a real terminal: nothing is lost, doubled or left behind, and nothing forbidden is written. */
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inShortAndLongForm } from '@turnwright/test/long-form.ts';
import { forbiddenIn } from '@turnwright/test/terminal/forbidden-sequences.ts';
import { hasTmux, inTmux, pause, type Tmux } from '@turnwright/test/terminal/tmux.ts';
import { describe, expect, test } from 'vitest';
import { buildDriver } from './terminal-program.ts';

const folder = mkdtempSync(join(tmpdir(), 'turnwright-driver-'));
const driver = buildDriver(folder);

const itemsIn = (lines: readonly string[]) =>
  lines.flatMap((line) => /^• item (\d{5}) /.exec(line)?.[1] ?? []).map(Number);
const upTo = (count: number) => Array.from({ length: count }, (_, at) => at + 1);

/** Rows of the live region, however often they are there. */
const isLive = (line: string) => /^(?:─|◐|›|sonnet)/.test(line);
const liveRowsIn = (lines: readonly string[]) => lines.filter(isLive);

/** Rows of the live region that follow one another: those of one frame. */
function framesIn(lines: readonly string[]): readonly string[] {
  const frames: string[] = [];
  for (const [at, line] of lines.entries()) {
    if (!isLive(line)) continue;
    const before = at > 0 && isLive(lines[at - 1] as string) ? frames.pop() : undefined;
    frames.push(before === undefined ? line : `${before}\n${line}`);
  }
  return frames;
}

/** Deterministic numbers from 0 to 1 (mulberry32). */
function numbersOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

async function resizeOften(terminal: Tmux, times: number, seed: number): Promise<void> {
  const next = numbersOf(seed);
  for (let done = 0; done < times; done += 1) {
    terminal.resize(40 + Math.floor(next() * 101), 10 + Math.floor(next() * 41));
    await pause(50 + next() * inShortAndLongForm(550, 950));
  }
}

describe.skipIf(!hasTmux)('in tmux', () => {
  test('A1 each of many lines is in the history once and in order, at little more than its own bytes', async () => {
    const lines = inShortAndLongForm(500, 10_000);
    const report = join(folder, 'a1.json');
    const terminal = await inTmux(driver({ lines, batch: 50, gapMs: 25, draft: 'next', report }));
    await terminal.until('ended with 0');
    const history = terminal.history();
    expect(itemsIn(history)).toEqual(upTo(lines));
    const content = history.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);
    const figures: Record<string, number> = JSON.parse(readFileSync(report, 'utf8'));
    expect((figures['writtenBytes'] ?? 0) / content).toBeLessThan(1.3);
    expect(figures['rssMb']).toBeLessThan(120);
    if (lines === 10_000) console.log(figures, { content });
    expect(forbiddenIn(terminal.raw())).toEqual([]);
  });

  test.each([
    ['a short draft', 'fix it', inShortAndLongForm(4, 12), 0],
    // A frame that is on its way when the window shrinks may leave rows of itself: at most one in 60 resizes does.
    [
      'a draft of several rows',
      'change what the parser does with a number '.repeat(5),
      inShortAndLongForm(4, 60),
      1,
    ],
  ])(
    'A2 after many resizes while it streams nothing is lost, doubled or stale, with %s',
    async (_, draft, times, stale) => {
      const lines = 40_000;
      const terminal = await inTmux(driver({ lines, batch: 2, gapMs: 10, draft, stays: true }));
      await terminal.until('item 00020');
      await resizeOften(terminal, times, times + draft.length);
      await pause(600);
      terminal.resize(80, 24);
      await pause(600);
      const shown = terminal.screen();
      const history = terminal.history();
      const items = itemsIn(history);
      expect(items).toEqual(upTo(items.length));
      expect(items.length).toBeGreaterThan(100);
      expect(liveRowsIn(shown)).toHaveLength(4);
      const left = framesIn(history).slice(0, -framesIn(shown).length);
      if (times >= 30) console.log({ resizes: times, left });
      expect(left.length, left.join('\n\n')).toBeLessThanOrEqual(stale);
      expect(forbiddenIn(terminal.raw())).toEqual([]);
    },
    90_000,
  );

  test('A4 what the shell printed before is still there, and the terminal is given back as it was', async () => {
    const terminal = await inTmux(driver({ lines: 50, batch: 5, gapMs: 5, draft: 'x', stays: true }));
    await terminal.until('all items were sent');
    terminal.resize(60, 12);
    await pause(400);
    terminal.keys('C-c');
    await terminal.until('ended with 0');
    const history = terminal.history();
    const start = history.indexOf('text of the shell');
    expect(history.slice(start, start + 6)).toEqual(['text of the shell', '1', '2', '3', '4', '5']);
    expect(itemsIn(history)).toEqual(upTo(50));
    expect(liveRowsIn(history)).toEqual([]);
    expect(terminal.ask('#{cursor_flag} #{alternate_on} #{mouse_any_flag}')).toBe('1 0 0');
  });
});
