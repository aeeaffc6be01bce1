/** A terminal in memory (@xterm/headless), and regions that draw on it by a clock that the test moves. */

import { type VirtualClock, virtualClock } from '@turnwright/testing';
import xterm from '@xterm/headless';
import type { ScreenFrame, Size } from '../src/renderer/frame.ts';
import { createRegions, type Regions } from '../src/renderer/regions.ts';

export interface Emulator {
  readonly terminal: xterm.Terminal;
  readonly clock: VirtualClock;
  readonly regions: Regions;
  /** What the next frames show; a key's frame is asked for at once. */
  show(frame: ScreenFrame): Promise<void>;
  /** Every byte written so far, by the frame. */
  readonly writes: readonly string[];
  /** Times that `draw` was called. */
  readonly draws: () => number;
  /** Called with each of them. */
  onDraw(act: () => void): void;
  /** All rows, from the first one of the history; empty ones at the end are left out. */
  rows(): Promise<string[]>;
  cursor(): Promise<{ readonly column: number; readonly row: number; readonly isShown: boolean }>;
  resize(size: Size): void;
  /** What is written from now on is on its way, and arrives with `arrive`. */
  hold(): void;
  arrive(): void;
  /** Calls whoever waits for room in the output. */
  drain(): void;
  /** The next writes say that the output is full. */
  isFull: boolean;
}

interface Kind extends Partial<Size> {
  /** As xterm.js is by itself: the row of the cursor is not wrapped anew with the others. */
  readonly cutsCursorRow?: boolean;
}

export function emulator({ columns = 80, rows = 24, cutsCursorRow = false }: Kind = {}): Emulator {
  const terminal = new xterm.Terminal({
    cols: columns,
    rows,
    scrollback: 5_000,
    allowProposedApi: true,
    reflowCursorLine: !cutsCursorRow,
  });
  const clock = virtualClock();
  const listeners = { resize: () => {}, drain: () => {} };
  const writes: string[] = [];
  let frame: ScreenFrame = { rows: [] };
  let draws = 0;
  let whileDrawing = () => {};
  let held: string[] | undefined;
  const write = (text: string) => {
    writes.push(text);
    if (held === undefined) terminal.write(text);
    else held.push(text);
  };
  const parsed = () => new Promise<void>((resolve) => terminal.write('', resolve));
  const regions = createRegions({
    output: {
      write(text) {
        write(text);
        return !made.isFull;
      },
      on: (event, listener) => {
        listeners[event] = listener;
      },
      off: (event) => {
        listeners[event] = () => {};
      },
    },
    size: () => ({ columns: terminal.cols, rows: terminal.rows }),
    clock,
    cutsCursorRow,
    writeNow: write,
    draw() {
      draws += 1;
      whileDrawing();
      return frame;
    },
  });
  const made: Emulator = {
    terminal,
    clock,
    regions,
    writes,
    isFull: false,
    draws: () => draws,
    onDraw(act) {
      whileDrawing = act;
    },
    async show(next) {
      frame = next;
      regions.invalidate('key');
      await clock.advance(10);
    },
    async rows() {
      await parsed();
      const buffer = terminal.buffer.active;
      const lines = Array.from(
        { length: buffer.length },
        (_, at) => buffer.getLine(at)?.translateToString(true) ?? '',
      );
      while (lines.at(-1) === '') lines.pop();
      return lines;
    },
    async cursor() {
      await parsed();
      const { cursorX, cursorY, baseY } = terminal.buffer.active;
      const switches = writes.join('').match(/\[\?25[hl]/g) ?? [];
      return { column: cursorX, row: baseY + cursorY, isShown: switches.at(-1) !== '[?25l' };
    },
    resize(size) {
      terminal.resize(size.columns, size.rows);
      listeners.resize();
    },
    hold() {
      held ??= [];
    },
    arrive() {
      for (const text of held ?? []) terminal.write(text);
      held = undefined;
    },
    drain: () => listeners.drain(),
  };
  return made;
}
