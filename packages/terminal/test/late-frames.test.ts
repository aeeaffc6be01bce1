/** Frames that reach the terminal after its window was made narrower: no line above them is lost. */
import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { propertyRuns } from '@turnwright/test/long-form.ts';
import { hasTmux, inTmux } from '@turnwright/test/terminal/tmux.ts';
import { virtualClock } from '@turnwright/testing';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { ScreenFrame } from '../src/renderer/frame.ts';
import { createRegions } from '../src/renderer/regions.ts';
import { emulator } from './emulator.ts';

const LINES = Array.from({ length: 20 }, (_, at) => `line ${at}`);
const linesIn = (rows: readonly string[]) => rows.filter((row) => row.startsWith('line '));
const SETTLED_MS = 3_000;

const draft = `› ${'word '.repeat(14)}end`;
const atEnd = (row: number) => ({ row, column: draft.length });

/** Regions whose bytes tmux gets when the test says so. */
async function regionsInTmux() {
  const pipe = join(mkdtempSync(join(tmpdir(), 'turnwright-late-')), 'pipe');
  execFileSync('mkfifo', [pipe]);
  const bytes = openSync(pipe, 'r+');
  onTestFinished(() => closeSync(bytes));
  const terminal = await inTmux(['sh', '-c', 'stty raw -echo; cat "$0"', pipe], { rows: 12 });
  const clock = virtualClock();
  const written: string[] = [];
  let size = { columns: 80, rows: 12 };
  let frame: ScreenFrame = { rows: [] };
  let onResize = () => {};
  const regions = createRegions({
    output: {
      write: (text) => written.push(text) > 0,
      on(event, listener) {
        if (event === 'resize') onResize = listener;
      },
      off() {},
    },
    size: () => size,
    clock,
    writeNow: (text) => written.push(text),
    draw: () => frame,
  });
  return {
    terminal,
    regions,
    clock,
    async show(next: ScreenFrame) {
      frame = next;
      regions.invalidate('key');
      await clock.advance(10);
    },
    resize(columns: number) {
      size = { ...size, columns };
      terminal.resize(columns, size.rows);
      onResize();
    },
    arrive() {
      for (const text of written.splice(0)) writeSync(bytes, text);
    },
  };
}

describe('a frame that arrives after the window became narrower takes no line above', () => {
  test.skipIf(!hasTmux).each<[string, ScreenFrame, ScreenFrame]>([
    [
      'when a draft was typed and the row below changed',
      { rows: ['working', '› ', 'before'], cursor: { row: 1, column: 2 } },
      { rows: ['working', draft, 'late'], cursor: atEnd(1) },
    ],
    [
      'when the cursor went to the end of a draft',
      { rows: [draft, 'before'], cursor: { row: 0, column: 2 } },
      { rows: [draft, 'before'], cursor: atEnd(0) },
    ],
    [
      'when the cursor went down in a draft',
      { rows: [draft, draft, draft, 'before'], cursor: { row: 0, column: 2 } },
      { rows: [draft, draft, draft, 'before'], cursor: atEnd(2) },
    ],
    [
      'when the row above a draft changed and the cursor went to its end',
      { rows: ['before', draft, 'status'], cursor: { row: 1, column: 2 } },
      { rows: ['late', draft, 'status'], cursor: atEnd(1) },
    ],
  ])('%s', async (_, before, late) => {
    const { terminal, regions, clock, show, resize, arrive } = await regionsInTmux();
    regions.commit(LINES);
    await show(before);
    arrive();
    await terminal.seen('before');
    await show(late);
    resize(60);
    arrive();
    await clock.advance(SETTLED_MS);
    await show({ rows: ['at rest'] });
    arrive();
    await terminal.seen('at rest');
    expect(linesIn(terminal.history())).toEqual(LINES);
  });

  test('whatever changed, in up to three frames', async () => {
    const anyFrame = fc
      .record({
        widths: fc.array(fc.integer({ min: 1, max: 110 }), { minLength: 1, maxLength: 6 }),
        row: fc.nat({ max: 5 }),
        column: fc.nat({ max: 110 }),
        isShown: fc.boolean(),
      })
      .map(({ widths, row, column, isShown }): ScreenFrame => {
        const rows = widths.map((width) => 'x'.repeat(width));
        const at = row % rows.length;
        return isShown ? { rows, cursor: { row: at, column: Math.min(column, widths[at] ?? 0) } } : { rows };
      });
    const lateFrames = fc.array(anyFrame, { minLength: 1, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(
        anyFrame,
        lateFrames,
        fc.integer({ min: 40, max: 99 }),
        async (before, late, columns) => {
          const made = emulator({ columns: 100, rows: 12 });
          made.regions.commit(LINES);
          await made.show(before);
          await made.rows();
          made.hold();
          for (const frame of late) await made.show(frame);
          made.resize({ columns, rows: 12 });
          made.arrive();
          await made.clock.advance(SETTLED_MS);
          expect(linesIn(await made.rows())).toEqual(LINES);
        },
      ),
      { numRuns: propertyRuns(200, 1_000) },
    );
  }, 120_000);
});
