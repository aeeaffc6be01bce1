/** When the regions draw, and what they write, on a terminal in memory. */
import { describe, expect, test } from 'vitest';
import { emulator } from './emulator.ts';

const status = 'status';

describe('what is on the screen', () => {
  test('committed lines stay above the live region, whose rows are replaced', async () => {
    const { regions, show, rows, cursor } = emulator({ columns: 40, rows: 10 });
    regions.commit(['one', 'two']);
    await show({ rows: ['› draft', status], cursor: { row: 0, column: 7 } });
    expect(await rows()).toEqual(['one', 'two', '› draft', status]);
    expect(await cursor()).toEqual({ column: 7, row: 2, isShown: true });
    regions.commit(['three']);
    await show({ rows: [status] });
    expect(await rows()).toEqual(['one', 'two', 'three', status]);
    expect(await cursor()).toMatchObject({ isShown: false });
  });

  test('what is below the window scrolls into the history, once', async () => {
    const { regions, show, rows } = emulator({ columns: 40, rows: 8 });
    const lines = Array.from({ length: 50 }, (_, at) => `line ${at}`);
    for (const [at, line] of lines.entries()) {
      regions.commit([line]);
      await show({ rows: [`row ${at}`, ...(at % 3 === 0 ? ['more'] : []), status] });
    }
    expect(await rows()).toEqual([...lines, 'row 49', status]);
  });

  test('a line that is wider than the window is left to the terminal, so that it is copied as one', async () => {
    const { regions, show, rows, terminal } = emulator({ columns: 20, rows: 8 });
    regions.commit([`${'x'.repeat(45)}end`]);
    await show({ rows: ['old row', status] });
    expect(await rows()).toEqual(['x'.repeat(20), 'x'.repeat(20), 'xxxxxend', 'old row', status]);
    expect(terminal.buffer.active.getLine(1)?.isWrapped).toBe(true);
  });

  test('a live row is cut one cell before the edge; rows too many are replaced by their count', async () => {
    const { show, rows, cursor } = emulator({ columns: 20, rows: 24 });
    const many = Array.from({ length: 30 }, (_, at) => `row ${at}`);
    await show({ rows: [...many, `› ${'long '.repeat(9)}`], cursor: { row: 30, column: 50 } });
    expect(await rows()).toEqual(['… 16 more rows', ...many.slice(16), '› long long long l…']);
    expect(await cursor()).toEqual({ column: 19, row: 15, isShown: true });
  });

  test('in a low window two rows stay for what is committed', async () => {
    const { show, rows } = emulator({ columns: 20, rows: 5 });
    await show({ rows: ['a', 'b', 'c', 'd'] });
    expect(await rows()).toEqual(['… 2 more rows', 'c', 'd']);
  });

  test('closing prints what is committed, erases the live region and shows the cursor; twice is once', async () => {
    const { regions, show, rows, cursor, writes } = emulator();
    await show({ rows: ['a', 'b', 'c'] });
    regions.commit(['last words']);
    regions.close();
    regions.close();
    expect(await rows()).toEqual(['last words']);
    expect(await cursor()).toEqual({ column: 0, row: 1, isShown: true });
    expect(writes.filter((text) => text.includes('last words'))).toHaveLength(1);
    regions.invalidate('key');
    regions.commit(['never']);
    expect(await rows()).toEqual(['last words']);
  });

  test('between release and take nothing is written; then everything is there', async () => {
    const { regions, show, rows, writes, clock, terminal } = emulator();
    await show({ rows: ['live'] });
    regions.release();
    const before = writes.length;
    expect(await rows()).toEqual([]);
    regions.commit(['meanwhile']);
    regions.invalidate('key');
    await clock.advance(500);
    expect(writes).toHaveLength(before);
    terminal.write('from the editor\r\n');
    regions.take();
    await clock.advance(50);
    expect(await rows()).toEqual(['from the editor', 'meanwhile', 'live']);
  });
});

describe('when it draws', () => {
  test('at most 20 frames a second, and none without a reason', async () => {
    const { regions, clock, draws } = emulator();
    for (let at = 0; at < 500; at += 1) {
      regions.invalidate();
      await clock.advance(2);
    }
    expect(draws()).toBeGreaterThan(15);
    expect(draws()).toBeLessThanOrEqual(21);
    const drawn = draws();
    await clock.advance(60_000);
    expect(draws()).toBeLessThanOrEqual(drawn + 1);
    expect(clock.pending).toBe(0);
  });

  test('what is committed while a frame is drawn is in that frame, and asks for no other one', async () => {
    const { regions, clock, draws, rows, onDraw } = emulator();
    let lines = 0;
    onDraw(() => {
      lines += 1;
      regions.commit([`line ${lines}`]);
    });
    regions.invalidate();
    await clock.advance(1_000);
    expect(draws()).toBe(1);
    expect(await rows()).toEqual(['line 1']);
  });

  test('a frame without a change writes nothing; a changed row is written alone', async () => {
    const { show, writes } = emulator();
    const cursor = { row: 0, column: 2 };
    await show({ rows: ['› a', 'working 1 s', status], cursor });
    await show({ rows: ['› a', 'working 1 s', status], cursor });
    expect(writes).toHaveLength(1);
    await show({ rows: ['› a', 'working 2 s', status], cursor });
    expect(writes[1]).toContain('working 2 s');
    expect(writes[1]).not.toMatch(/› a|status/);
    await show({ rows: ['› a', 'working 2 s', status], cursor: { row: 0, column: 3 } });
    expect(writes[2]).toBe('\x1b[?2026h\r\x1b[4G\x1b[?2026l');
  });

  test('a key is drawn within 8 ms, in the middle of a stream too', async () => {
    const { regions, clock, draws } = emulator();
    regions.invalidate();
    await clock.advance(50);
    const drawn = draws();
    await clock.advance(9);
    regions.invalidate();
    regions.invalidate('key');
    await clock.advance(1);
    expect(draws()).toBe(drawn + 1);
  });

  test('after a resize nothing is drawn for 150 ms, counted from the last one', async () => {
    const { show, resize, clock, draws, rows, regions, writes } = emulator({ columns: 80, rows: 10 });
    regions.commit(['committed']);
    await show({ rows: ['a row of thirty cells, not more', status] });
    const [drawn, written] = [draws(), writes.length];
    resize({ columns: 60, rows: 10 });
    await clock.advance(100);
    resize({ columns: 24, rows: 12 });
    await clock.advance(149);
    expect([draws(), writes.length]).toEqual([drawn, written]);
    await clock.advance(1);
    expect(draws()).toBe(drawn + 1);
    expect(await rows()).toEqual(['committed', 'a row of thirty cells,…', status]);
  });

  test('for 450 ms after it no row is so wide that a window would wrap it, however often the size changes', async () => {
    const { show, resize, clock, rows, regions, cursor } = emulator({ columns: 80, rows: 10 });
    regions.commit(['committed']);
    const wide = `› ${'draft '.repeat(12)}end`;
    await show({ rows: [wide, status], cursor: { row: 0, column: 77 } });
    resize({ columns: 50, rows: 10 });
    const narrow = `${wide.slice(0, 38)}…`;
    expect(await rows()).toEqual(['committed', narrow, status]);
    expect(await cursor()).toEqual({ row: 1, column: 39, isShown: true });
    for (const columns of [120, 41, 44, 100, 90]) resize({ columns, rows: 10 });
    regions.commit(['more']);
    await clock.advance(449);
    expect(await rows()).toEqual(['committed', 'more', narrow, status]);
    await clock.advance(1);
    expect(await rows()).toEqual(['committed', 'more', wide, status]);
    expect(clock.pending).toBe(0);
  });

  test('A2 a stream draws narrow rows for 1,500 ms after a resize, until a key is pressed or it pauses', async () => {
    const { show, resize, clock, rows, regions } = emulator({ columns: 80, rows: 10 });
    const wide = `› ${'draft '.repeat(12)}end`;
    const narrow = `${wide.slice(0, 38)}…`;
    await show({ rows: [wide, status], cursor: { row: 0, column: 77 } });
    const stream = async (ms: number) => {
      for (let passed = 0; passed < ms; passed += 10) {
        regions.invalidate();
        await clock.advance(10);
      }
    };
    resize({ columns: 90, rows: 10 });
    await stream(1_490);
    expect(await rows()).toEqual([narrow, status]);
    await stream(60);
    expect(await rows()).toEqual([wide, status]);

    resize({ columns: 80, rows: 10 });
    await stream(600);
    expect(await rows()).toEqual([narrow, status]);
    regions.invalidate('key');
    await clock.advance(50);
    expect(await rows()).toEqual([wide, status]);

    resize({ columns: 85, rows: 10 });
    await stream(600);
    expect(await rows()).toEqual([narrow, status]);
    await clock.advance(300);
    expect(await rows()).toEqual([wide, status]);
    expect(clock.pending).toBe(0);
  });

  test('a terminal that cuts the row of the cursor loses no line when the window gets narrower', async () => {
    const made = emulator({ columns: 80, rows: 10, cutsCursorRow: true });
    const wide = `› ${'draft '.repeat(12)}end`;
    made.regions.commit(['one', 'two']);
    await made.show({ rows: [wide, wide, status], cursor: { row: 1, column: 77 } });
    expect(await made.rows()).toEqual(['one', 'two', wide, wide, status]);
    made.resize({ columns: 60, rows: 10 });
    const narrow = `${wide.slice(0, 38)}…`;
    expect(await made.rows()).toEqual(['one', 'two', narrow, narrow, status]);
  });

  test('an output that is full gets no more frames until it drains', async () => {
    const made = emulator();
    made.isFull = true;
    await made.show({ rows: ['first'] });
    await made.show({ rows: ['second'] });
    await made.clock.advance(1_000);
    expect(made.writes).toHaveLength(1);
    made.isFull = false;
    made.drain();
    await made.clock.advance(50);
    expect(await made.rows()).toEqual(['second']);
  });
});
