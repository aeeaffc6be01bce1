/** A10: clusters that terminals draw in different widths, in text, tables and the editor, on two terminals. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasTmux, inTmux, pause } from '@turnwright/test/terminal/tmux.ts';
import { afterEach, describe, expect, test } from 'vitest';
import { createHighlighter } from '../src/markup/highlight.ts';
import { markdownRows } from '../src/markup/markdown-stream.ts';
import { COMMON_WIDTHS, cells, setWidths } from '../src/text/cells.ts';
import { createTheme } from '../src/text/theme.ts';
import { probeWidths } from '../src/text/width-probe.ts';
import { emulator } from './emulator.ts';
import { buildDriver } from './terminal-program.ts';

const CLUSTERS = ['👍', '👍🏽', '❤️', '1️⃣', '👨‍👩‍👧', '🇩🇪', '日', '，', 'नि', 'é', '한', '✓'];
/** In tmux 3.3 as seen: with these its probe is answered. */
const TMUX_WIDTHS = { ...COMMON_WIDTHS, joinsSkinTone: false, variation: 1, keycap: 1 };

const theme = createTheme('none');
const tableOf = (columns: number) =>
  markdownRows(
    ['| sign | says |', '|---|---|', ...CLUSTERS.map((cluster) => `| ${cluster} | end |`)].join('\n'),
    columns,
    { theme, highlighter: createHighlighter(theme) },
  );
const sentence = CLUSTERS.map((cluster) => `${cluster}|`).join('');

afterEach(() => setWidths(COMMON_WIDTHS));

describe('on xterm.js', () => {
  /** The column at which each row of the screen has `text`. */
  async function columnsOf(text: string, made: ReturnType<typeof emulator>): Promise<number[]> {
    await made.rows();
    const buffer = made.terminal.buffer.active;
    return Array.from({ length: buffer.length }, (_, row) => {
      const line = buffer.getLine(row);
      const signs = Array.from(
        { length: made.terminal.cols },
        (_, at) => line?.getCell(at)?.getChars() || ' ',
      );
      return signs
        .join('\0')
        .split('\0')
        .findIndex((_, at) => signs.slice(at, at + text.length).join('') === text);
    }).filter((column) => column >= 0);
  }

  async function probed() {
    const made = emulator({ columns: 60, rows: 30 });
    const probe = probeWidths({ write: (text) => made.terminal.write(text), clock: made.clock });
    made.terminal.onData((answer) => {
      const [, row, column] = /\[(\d+);(\d+)R/.exec(answer) ?? [];
      probe.onCursor([Number(row), Number(column)]);
    });
    await made.rows();
    await probe.done;
    return made;
  }

  test('the probe sets the widths that this terminal draws, and leaves nothing on the screen', async () => {
    const made = await probed();
    expect(await made.rows()).toEqual([]);
    expect(await made.cursor()).toMatchObject({ column: 0, row: 0 });
    for (const cluster of CLUSTERS) {
      const other = emulator();
      other.terminal.write(cluster);
      expect([cluster, cells(cluster)]).toEqual([cluster, (await other.cursor()).column]);
    }
  });

  test.each(['with the probe', 'without it'])('columns of a table are straight, %s', async (how) => {
    const made = how === 'with the probe' ? await probed() : emulator({ columns: 60, rows: 30 });
    const rows = tableOf(58);
    made.regions.commit(rows);
    await made.show({ rows: ['status'] });
    expect(await columnsOf('end', made)).toEqual(CLUSTERS.map(() => rows[0]?.indexOf('says')));
  });

  test.each(['with the probe', 'without it'])('the cursor is on the caret behind each, %s', async (how) => {
    const made = how === 'with the probe' ? await probed() : emulator({ columns: 60, rows: 30 });
    for (const cluster of CLUSTERS) {
      const row = `› a${cluster}`;
      await made.show({ rows: [`${row}bc`, 'status'], cursor: { row: 0, column: cells(row) } });
      const { column } = await made.cursor();
      expect([cluster, await columnsOf('bc', made)]).toEqual([cluster, [column]]);
    }
  });
});

describe.skipIf(!hasTmux)('on tmux', () => {
  test('text, table and draft are drawn whole, the cursor is behind the draft', async () => {
    const driver = buildDriver(mkdtempSync(join(tmpdir(), 'turnwright-driver-')));
    setWidths(TMUX_WIDTHS);
    const extra = [sentence, ...tableOf(40).slice(2, 8)];
    const task = { lines: 3, batch: 1, gapMs: 60, draft: CLUSTERS.join(''), extra, probe: true, stays: true };
    const terminal = await inTmux(driver(task));
    await terminal.until('all items were sent');
    await pause(200);
    const screen = terminal.screen();
    for (const row of extra) expect(screen.filter((line) => line === row)).toHaveLength(2);
    const at = screen.indexOf(`› ${CLUSTERS.join('')}`);
    expect(screen[at + 1]).toBe('sonnet · manual · ctx 31%');
    expect(terminal.cursor()).toEqual({ row: at, column: 2 + cells(CLUSTERS.join('')) });
  });
});
