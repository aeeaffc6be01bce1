/**
 * Asks the terminal how wide it draws four clusters that terminals disagree about: each is written, and the
 * terminal says where its cursor is (CSI 6n). Without an answer in time the common widths are assumed.
 */
import type { Clock } from '@turnwright/base/clock.ts';
import { COMMON_WIDTHS, setWidths, type WidthTable } from './cells.ts';

/** A skin tone; a family of three; a variation selector; a keycap. */
const ASKED = [
  '\u{1f44d}\u{1f3fd}',
  '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}',
  '\u2764\ufe0f',
  '1\ufe0f\u20e3',
];
const FAMILY_MEMBERS = 3;
const LIMIT_MS = 100;

const WHERE = '\x1b[6n';
const SAVE = '\x1b7';
const BACK = '\x1b8';
/** Concealed, and in one synchronised update, so that nothing of it is seen. */
const QUESTION = [
  `\x1b[?2026h\x1b[?25l\x1b[8m${SAVE}${WHERE}`,
  ...ASKED.map((cluster) => `${cluster}${WHERE}${BACK}\x1b[K`),
  '\x1b[28m\x1b[?25h\x1b[?2026l',
].join('');

/** What `--no-probe` switches off too. A terminal of a CI run is often none that answers. */
export function mayProbe(env: Readonly<Record<string, string | undefined>>): boolean {
  return env['TERM'] !== 'dumb' && (env['CI'] ?? '') === '';
}

export interface WidthProbe {
  /** Takes the terminal's answers, row and column; false: it is not one that was asked for here. */
  onCursor(values: readonly number[]): boolean;
  /** The widths are set, or no answer has come within 100 ms. */
  readonly done: Promise<void>;
}

/** Writes the question; the input must be reading already, or the answers would appear as typed text. */
export function probeWidths(options: { write(text: string): unknown; readonly clock: Clock }): WidthProbe {
  const columns: number[] = [];
  let isOver = false;
  let finish = () => {};
  const done = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const end = () => {
    isOver = true;
    cancel();
    finish();
  };
  const cancel = options.clock.timer(LIMIT_MS, end);
  options.write(QUESTION);
  return {
    done,
    onCursor([, column = 0]) {
      if (isOver) return false;
      columns.push(column);
      if (columns.length > ASKED.length) {
        const [start = 0, ...after] = columns;
        setWidths(toWidthTable(after.map((one) => one - start)));
        end();
      }
      return true;
    },
  };
}

/** The table that the answers mean; an answer that no terminal could give changes nothing. */
function toWidthTable([skinTone = 0, family = 0, variation = 0, keycap = 0]: readonly number[]): WidthTable {
  const { emoji: common } = COMMON_WIDTHS;
  const emoji = family === 1 || family === FAMILY_MEMBERS ? 1 : common;
  const oneOrTwo = (width: number, otherwise: number) => (width === 1 || width === 2 ? width : otherwise);
  return {
    emoji,
    joinsSkinTone: skinTone !== 2 * emoji,
    joinsFamily: family !== FAMILY_MEMBERS * emoji,
    variation: oneOrTwo(variation, COMMON_WIDTHS.variation),
    keycap: oneOrTwo(keycap, COMMON_WIDTHS.keycap),
  };
}
