/** A few choices before the screen opens: plain lines, answered by a number. */
import { oneLine, visible } from '@turnwright/terminal/text/visible.ts';
import { wrap } from '@turnwright/terminal/text/wrap.ts';
import type { TrustAsk } from '../../run/trust-question.ts';
import { readKeys } from '../../words/raw-keys.ts';
import { countColumns, type World } from '../../world.ts';
import { createLineInput } from '../line-mode/line-input.ts';
import { type Choice, choose } from '../line-mode/numbered.ts';

export interface Menu {
  say(text: string): Promise<void>;
  /** undefined: left with Esc, or by the end of the input. */
  ask<T>(choices: readonly Choice<T>[]): Promise<T | undefined>;
}

type MenuWorld = Pick<World, 'out' | 'signals' | 'stdout'>;

/** One key answers; from ten choices on, a number and Enter. */
export function keyMenu({ out, signals, stdout }: MenuWorld, keyboard: NodeJS.ReadStream): Menu {
  const rows = (text: string, hang = '') => wrap(visible(text), countColumns(stdout), { hang }).join('\n');
  const say = (text: string, hang?: string) => out.write(`${rows(text, hang)}\n`);
  return {
    say,
    async ask(choices) {
      for (const [at, { label }] of choices.entries()) await say(`  ${at + 1}  ${oneLine(label)}`, '     ');
      await say(choices.length < 10 ? '  Esc leaves' : '  a number and Enter; Esc leaves');
      const number = await readNumber(keyboard, choices.length, signals.raiseInterrupt);
      return number === undefined ? undefined : choices[number - 1]?.value;
    },
  };
}

/** For screen readers: a number and Enter, as in the whole line mode. */
export function lineMenu({ out }: MenuWorld, keyboard: NodeJS.ReadableStream): Menu {
  const write = (text: string) => void out.write(text).catch(() => undefined);
  const line = (text: string) => write(`${visible(text)}\n`);
  return {
    say: async (text) => line(text),
    async ask(choices) {
      const input = createLineInput(keyboard, () => undefined);
      try {
        const dialog = { line, prompt: write, input, nowMs: () => performance.now() };
        return (await choose(dialog, choices, { mayLeave: true }))?.value;
      } finally {
        input.close();
      }
    },
  };
}

/** The question whether a folder's settings may take effect, after they were shown. */
export const askTrust: TrustAsk = async (world, keyboard, details) => {
  const menu = lineMenu(world, keyboard);
  const answer = await menu.ask<'yes' | 'no' | 'show'>([
    { value: 'yes', label: 'Yes, trust these settings until something of them changes' },
    { value: 'no', label: 'No, go on without them' },
    { value: 'show', label: 'Show all of them first' },
  ]);
  if (answer !== 'show') return answer === 'yes';
  for (const line of details) await menu.say(line);
  return askTrust(world, keyboard, details);
};

const [BACKSPACE, DELETE] = ['\b', '\x7f'] as const;

/** undefined: Esc, Ctrl-C, Ctrl-D, or the terminal is gone. */
function readNumber(
  keyboard: NodeJS.ReadStream,
  most: number,
  interrupt: () => void,
): Promise<number | undefined> {
  let typed = '';
  const chosen = () => (Number(typed) >= 1 && Number(typed) <= most ? Number(typed) : undefined);
  return readKeys(keyboard, interrupt, (key) => {
    if (key === '\r' || key === '\n') {
      const number = chosen();
      typed = '';
      return number;
    }
    if (key === BACKSPACE || key === DELETE) typed = typed.slice(0, -1);
    else if (/^\d$/.test(key)) typed = most < 10 ? key : typed + key;
    return most < 10 ? chosen() : undefined;
  });
}
