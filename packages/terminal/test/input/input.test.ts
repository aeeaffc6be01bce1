/** The modes of the keyboard: asked for only where the terminal answers, and given back whenever it is left. */
import { PassThrough } from 'node:stream';
import { systemClock } from '@turnwright/base/clock.ts';
import { describe, expect, it } from 'vitest';
import type { InputEvent } from '../../src/input/events.ts';
import { createInput } from '../../src/input/input.ts';
import { shortForm } from './keyboard.ts';

function open(options: { probe?: boolean; env?: Record<string, string> } = {}) {
  const modes: boolean[] = [];
  const stream = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: (mode: boolean) => modes.push(mode),
    unref: () => {},
  });
  const written: string[] = [];
  const events: string[] = [];
  let isGone = false;
  const input = createInput({
    input: stream as unknown as NodeJS.ReadStream,
    write: (text) => written.push(text),
    clock: systemClock,
    onEvent: (event: InputEvent) => events.push(shortForm(event)),
    onEnd: () => {
      isGone = true;
    },
    ...options,
  });
  const type = async (text: string) => {
    stream.write(text);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { input, stream, written, events, modes, type, isGone: () => isGone };
}

const PASTES = { on: '\x1b[?2004h', off: '\x1b[?2004l' };

describe('the keyboard', () => {
  it('is asked for the kitty protocol, which is switched on when the terminal answers, and off again', async () => {
    const { input, written, events, modes, type } = open();
    expect(input.restoreText).toBe('');
    input.start();
    expect([modes, written.splice(0)]).toEqual([[true], [`${PASTES.on}\x1b[?u\x1b[?2004$p\x1b[c`]]);
    expect(input.restoreText).toBe(PASTES.off);
    await type('\x1b[?0u\x1b[?62;1c');
    expect(written.splice(0)).toEqual(['\x1b[>5u']);
    expect(input.restoreText).toBe(`\x1b[<u${PASTES.off}`);
    await type('a\x1b[27u');
    await expect.poll(() => events).toEqual(['keyboard 0', 'device 62 1', "'a'", 'escape']);
    input.stop();
    input.stop();
    expect([modes, written.splice(0)]).toEqual([[true, false], [`\x1b[<u${PASTES.off}`]]);
    expect(input.restoreText).toBe('');
    await type('b');
    expect(events).toHaveLength(4);
    input.start();
    expect(modes).toEqual([true, false, true]);
    expect(input.restoreText).toBe(PASTES.off);
    input.close();
  });

  it('of a terminal that knows other ways only gets modifyOtherKeys', async () => {
    const { input, written, type } = open();
    input.start();
    await type('\x1b[?1;2c');
    expect(written.slice(1)).toEqual(['\x1b[>4;1m']);
    input.close();
    expect(written.at(-1)).toBe(`\x1b[>4;0m${PASTES.off}`);
  });

  it('of a terminal that answers nothing, or is not asked, keeps its encoding', async () => {
    const silent = open();
    silent.input.start();
    await silent.type('a');
    silent.input.close();
    expect(silent.written.slice(1)).toEqual([PASTES.off]);
    const unasked = open({ probe: false });
    unasked.input.start();
    expect(unasked.written).toEqual([PASTES.on]);
    unasked.input.close();
  });

  const ASKS = '\x1b[?2004$p';
  const KEYS = ['h', 'e', 'l', 'l', 'o', ' ', 'y', 'o', 'u'].map((key) => `'${key}'`);
  it.each<[string, Record<string, string>, string, boolean, string[]]>([
    ['that marks pastes takes fast text as keys', {}, '\x1b[?2004;1$y\x1b[?62c', true, [...KEYS, 'enter']],
    [
      'that does not know marks takes it as a paste',
      {},
      '\x1b[?2004;0$y\x1b[?62c',
      true,
      ['paste "hello you\\n"'],
    ],
    ['that does not say so takes it as a paste', {}, '\x1b[?1;2c', true, ['paste "hello you\\n"']],
    ['that answers nothing takes it as a line', {}, '', true, ['paste "hello you"', 'enter']],
    ['of tmux takes it as keys', { TMUX: '/t', TERM: 'screen-256color' }, '', false, [...KEYS, 'enter']],
    ['of macOS takes it as keys', { TERM_PROGRAM: 'Apple_Terminal' }, '', false, [...KEYS, 'enter']],
    ['of the Linux console takes it as a paste', { TERM: 'linux' }, '', false, ['paste "hello you\\n"']],
  ])('%s', async (_, env, answer, isAsked, expected) => {
    const { input, written, events, type } = open({ env });
    input.start();
    expect(written[0]?.includes(ASKS)).toBe(isAsked);
    if (answer !== '') await type(answer);
    events.splice(0, events.length);
    await type('hello you\r');
    await expect.poll(() => events).toEqual(expected);
    input.close();
  });

  it('has what was entered before it was taken, with its Enter', async () => {
    const { input, stream, events, type } = open({ env: { TERM: 'linux' } });
    stream.write('go\n');
    input.start();
    await expect.poll(() => events).toEqual(["'g'", "'o'", 'enter']);
    await type('\n');
    await expect.poll(() => events.at(-1)).toBe('ctrl+j');
    input.close();
  });

  it('that is gone is reported to the caller, and what was half typed arrives', async () => {
    const { input, stream, events, isGone } = open();
    input.start();
    stream.write('x\r\x1b');
    stream.end();
    await expect.poll(isGone).toBe(true);
    expect(events).toEqual(["'x'", 'enter', 'escape']);
    expect(input.restoreText).toBe('');
  });
});
