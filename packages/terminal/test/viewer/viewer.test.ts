/** Reading a long document by keys: scrolling, unfolding, searching, copying, and the screen from before afterwards. */
import { EventEmitter } from 'node:events';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { propertyRuns } from '@turnwright/test/long-form.ts';
import { virtualClock } from '@turnwright/testing';
import xterm from '@xterm/headless';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ACTION_NAMES } from '../../src/input/actions.ts';
import { createBindings } from '../../src/input/bindings.ts';
import { createDecoder } from '../../src/input/decoder.ts';
import { cells } from '../../src/text/cells.ts';
import { createTheme } from '../../src/text/theme.ts';
import type { ViewerDocument } from '../../src/viewer/document-rows.ts';
import { showViewer } from '../../src/viewer/show-viewer.ts';
import { createViewer } from '../../src/viewer/viewer.ts';

const ESC = '\x1b';
const [UP, DOWN] = ['\x1b[A', '\x1b[B'];
const numbered = (count: number, word = 'line') =>
  Array.from({ length: count }, (_, at) => `${word} ${at + 1}`);

const THREE: ViewerDocument = {
  title: 'transcript',
  parts: [
    { heading: '> fix the test', lines: [] },
    { heading: '● Bash npm test', lines: numbered(12), folded: true },
    { heading: 'All is well.', lines: ['the end'] },
  ],
};

/** The viewer on a terminal of 40 × 8 that keeps what is written. */
async function open(document: ViewerDocument, options: { at?: 'end'; env?: Record<string, string> } = {}) {
  const terminal = new xterm.Terminal({ cols: 40, rows: 8, allowProposedApi: true });
  terminal.write('a shell line\r\n');
  const written: string[] = [];
  const clock = virtualClock();
  const bindings = createBindings();
  const size = { columns: 40, rows: 8 };
  const output = new EventEmitter();
  const keyboard: string[] = [];
  const viewer = showViewer(
    document,
    {
      output,
      size: () => size,
      write: (text) => {
        written.push(text);
        terminal.write(text);
      },
      bindings,
      theme: createTheme('none'),
      input: { start: () => keyboard.push('start'), stop: () => keyboard.push('stop') },
      place: { env: options.env ?? {}, platform: process.platform, cwd: tmpdir() },
    },
    options.at ? { at: options.at } : {},
  );
  let isClosed = false;
  void viewer.closed.then(() => {
    isClosed = true;
  });
  const decoder = createDecoder({ clock, onEvent: (event) => viewer.onEvent(event) });
  const press = async (...keys: readonly string[]) => {
    for (const key of keys.flatMap((one) => (one.startsWith('\x1b') ? [one] : [...one]))) {
      decoder.push(Buffer.from(key));
      await clock.advance(100);
    }
  };
  const rows = async () => {
    await new Promise<void>((resolve) => terminal.write('', resolve));
    const { active } = terminal.buffer;
    const all = Array.from({ length: terminal.rows }, (_, at) =>
      active.getLine(active.viewportY + at)!.translateToString(true),
    );
    while (all.at(-1) === '') all.pop();
    return all;
  };
  const resize = (columns: number, newRows: number) => {
    Object.assign(size, { columns, rows: newRows });
    terminal.resize(columns, newRows);
    output.emit('resize');
  };
  return { press, rows, written, viewer, keyboard, resize, isClosed: () => isClosed, terminal };
}

const HINTS = 'q back · Enter unfold · / search · v ed…';

describe('the viewer', () => {
  it('shows the parts, the chosen one marked, and what is folded', async () => {
    const { rows } = await open(THREE);
    expect(await rows()).toEqual([
      'transcript  4 of 4',
      '› > fix the test',
      '  ● Bash npm test …',
      '  All is well.',
      '    the end',
      '',
      '',
      `${HINTS.slice(0, 38).trimEnd()}…`,
    ]);
  });

  it('wraps the heading of a part that is not folded', async () => {
    const heading = 'a paragraph of an answer that is longer than the window';
    const parts = [
      { heading, lines: [] },
      { heading, lines: ['and more'], folded: true },
    ];
    const { rows, press } = await open({ title: 'x', parts });
    expect((await rows()).slice(1, 4)).toEqual([
      '› a paragraph of an answer that is',
      '    longer than the window',
      '  a paragraph of an answer that is lon…',
    ]);
    await press(DOWN);
    await press('\r');
    expect((await rows()).slice(2, 6)).toEqual([
      '    longer than the window',
      '› a paragraph of an answer that is',
      '    longer than the window',
      '    and more',
    ]);
  });

  it('wraps long lines in the width of the window, each as far in as it begins', async () => {
    const lines = [`  why: ${'a reason that is long, '.repeat(3)}`, `x${' y'.repeat(20)}`];
    const { rows } = await open({ title: 'a question', parts: [{ heading: 'Why', lines }] });
    expect((await rows()).slice(1, 7)).toEqual([
      '  Why',
      '      why: a reason that is long, a',
      '      reason that is long, a reason',
      '      that is long,',
      `    x${' y'.repeat(17)}`,
      '    y y y',
    ]);
  });

  it('unfolds a part where it is, goes through it row by row, then to the next part', async () => {
    const { press, rows } = await open(THREE);
    await press(DOWN, '\r');
    expect((await rows()).slice(0, 7)).toEqual([
      'transcript  6 of 16',
      '  > fix the test',
      '› ● Bash npm test',
      '    line 1',
      '    line 2',
      '    line 3',
      '    line 4',
    ]);
    await press(...Array(8).fill(DOWN));
    expect((await rows()).slice(1, 7)).toEqual(
      numbered(12)
        .slice(6)
        .map((line) => `    ${line}`),
    );
    await press(DOWN);
    expect((await rows()).slice(5, 7)).toEqual(['    line 12', '› All is well.']);
    await press(UP, '\r');
    expect((await rows()).slice(1, 4)).toEqual(['  > fix the test', '› ● Bash npm test …', '  All is well.']);
  });

  it('searches in what is folded too, and goes from match to match', async () => {
    const { press, rows } = await open(THREE);
    await press('/', 'LINE');
    expect((await rows()).at(-1)).toBe('/LINE');
    await press('\r');
    expect((await rows()).at(-1)).toBe('“LINE” is not there');
    await press('/', 'line 1', '\r');
    expect((await rows()).at(-1)).toBe('match 1 of 4');
    await press('n', 'n');
    expect(await rows()).toContain('    line 11');
    expect((await rows()).at(-1)).toBe('match 3 of 4');
    await press('N', 'N', 'N');
    expect((await rows()).at(-1)).toBe('match 4 of 4');
    await press('/', 'x', '\x1b');
    expect((await rows()).at(-1)).not.toContain('/x');
  });

  it('goes by pages and to both ends', async () => {
    const { press, rows } = await open({ title: 'log', parts: [{ heading: 'log', lines: numbered(100) }] });
    await press(' ');
    expect((await rows())[1]).toBe('    line 6');
    await press('G');
    expect((await rows())[0]).toBe('log  101 of 101');
    await press('b', 'g');
    expect((await rows())[1]).toBe('  log');
    const last = await open(THREE, { at: 'end' });
    expect(await last.rows()).toContain('› All is well.');
  });

  it('gives the screen from before back, for each of its keys', async () => {
    for (const key of ['q', '\x1b', '\x03', '\x0f']) {
      const { press, rows, isClosed, viewer, terminal } = await open(THREE);
      expect(viewer.restoreText).toContain('\x1b[?1049l');
      await press(key);
      expect(isClosed()).toBe(true);
      expect(viewer.restoreText).toBe('');
      expect(await rows()).toEqual(['a shell line']);
      expect(terminal.buffer.active.type).toBe('normal');
    }
  });

  it('draws itself again after a resize, with the rows of the new width', async () => {
    const { rows, resize } = await open({
      title: 'wide',
      parts: [{ heading: 'a', lines: ['one two three four'] }],
    });
    resize(15, 6);
    expect((await rows()).slice(0, 4)).toEqual(['wide  3 of 3', '  a', '    one two', '    three four']);
  });

  it('writes none of what the content would do to the terminal, and no byte that clears', async () => {
    const hostile = '\x1b]52;c;cm0=\x07\x1b[2J\x1b]0;title\x07 \x1b[31mred\x1b[0m \u202eabc\r\n\x9b3J';
    const { written, press, rows } = await open({
      title: hostile,
      parts: [{ heading: hostile, lines: [hostile] }],
    });
    await press(DOWN, 'n', 'q');
    expect(written.join('')).not.toMatch(
      new RegExp(`${ESC}\\]|${ESC}\\[[23]J|\u009b|\u202e|${ESC}\\[\\?100`),
    );
    expect(await rows()).toEqual(['a shell line']);
  });

  it('copies a part by OSC 52, unless it is too long for a terminal', async () => {
    const { press, written, rows } = await open(THREE);
    await press(DOWN, 'y');
    const copied = new RegExp(`${ESC}\\]52;c;([A-Za-z0-9+/=]*)`).exec(written.join(''))?.[1] ?? '';
    expect(Buffer.from(copied, 'base64').toString()).toBe(numbered(12).join('\n'));
    expect((await rows()).at(-1)).toBe('copied 86 characters');
    const long = await open({ title: 'long', parts: [{ heading: 'a', lines: ['x'.repeat(80_000)] }] });
    await long.press('y');
    expect(long.written.join('')).not.toContain('\x1b]52');
    expect((await long.rows()).at(-1)).toContain('too long for the clipboard');
  });

  it('opens a part in the external editor, which has the terminal meanwhile', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'turnwright-viewer-'));
    const [editor, seen] = [join(folder, 'editor'), join(folder, 'seen')];
    await writeFile(editor, `#!/bin/sh\ncp "$1" '${seen}'\n`);
    await chmod(editor, 0o755);
    const { press, keyboard, rows, written } = await open(THREE, {
      env: { VISUAL: editor, PATH: process.env['PATH']! },
    });
    await press(DOWN, 'v');
    while (!keyboard.includes('start')) await new Promise((resolve) => setImmediate(resolve));
    await expect.poll(rows).toContain('what is shown here is not changed');
    expect(keyboard).toEqual(['stop', 'start']);
    expect(await readFile(seen, 'utf8')).toBe(numbered(12).join('\n'));
    expect(written.join('').match(new RegExp(`${ESC}\\[\\?1049[hl]`, 'g'))).toEqual([
      '\x1b[?1049h',
      '\x1b[?1049l',
      '\x1b[?1049h',
    ]);
    await rm(folder, { recursive: true });
  });
});

it('whatever is pressed, the rows fill the window and fit into it', async () => {
  const line = fc.constantFrom(
    'short',
    'a long line that is wider than the window',
    '漢字'.repeat(20),
    '👨‍👩‍👧 x',
    '',
  );
  const part = fc.record({ heading: line, lines: fc.array(line, { maxLength: 12 }), folded: fc.boolean() });
  const actions = ACTION_NAMES.filter((name) => name.startsWith('view') && !/Copy|Edit|Close/.test(name));
  const step = fc.oneof(fc.constantFrom(...actions), fc.constantFrom('s', 'enter'));
  await fc.assert(
    fc.property(
      fc.array(part, { minLength: 1, maxLength: 8 }),
      fc.array(step, { maxLength: 30 }),
      fc.integer({ min: 6, max: 50 }),
      fc.integer({ min: 3, max: 12 }),
      (parts, steps, columns, rows) => {
        const viewer = createViewer({
          document: { title: 'a document', parts },
          theme: createTheme('none'),
          keyOf: () => 'x',
          copy: () => '',
          edit: () => {},
          onClose: () => {},
        });
        const key = { kind: 'key', ctrl: false, alt: false, shift: false, atMs: 0 } as const;
        for (const one of steps) {
          if (one === 's') viewer.handle({ ...key, name: 's', text: 's' });
          else if (one === 'enter') viewer.handle({ ...key, name: 'enter' });
          else viewer.handle({ ...key, name: 'f20' }, one);
          const frame = viewer.frame({ columns, rows });
          expect(frame.rows).toHaveLength(rows);
          for (const row of frame.rows) expect(cells(row)).toBeLessThan(columns);
        }
      },
    ),
    { numRuns: propertyRuns(150, 600) },
  );
});
