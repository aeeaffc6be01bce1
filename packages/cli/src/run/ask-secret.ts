/** Asks for a secret on the terminal: what is typed or pasted is not shown. */
import { StringDecoder } from 'node:string_decoder';
import type { World } from '../world.ts';

type Terminal = Pick<World, 'out' | 'signals'>;

/** undefined: Esc, Ctrl-D, or a closed terminal. Ctrl-C acts as everywhere. */
export async function askSecret(
  question: string,
  keyboard: NodeJS.ReadStream,
  { out, signals }: Terminal,
): Promise<string | undefined> {
  const typed = createSecretLine();
  const utf8 = new StringDecoder('utf8');
  // Before the question: what is typed as soon as it can be seen is not echoed.
  keyboard.setRawMode?.(true);
  try {
    await out.write(question);
    return await new Promise<string | undefined>((resolve) => {
      const onData = (bytes: Buffer | string) => {
        const end = typed.take(typeof bytes === 'string' ? bytes : utf8.write(bytes));
        if (end === undefined) return;
        if (end.kind === 'interrupt') signals.raiseInterrupt();
        settle(end.kind === 'done' ? end.text : undefined);
      };
      const onEnd = () => settle(undefined);
      const settle = (text: string | undefined) => {
        keyboard.off('data', onData).off('end', onEnd).off('error', onEnd).pause();
        resolve(text);
      };
      keyboard.on('data', onData).on('end', onEnd).on('error', onEnd).resume();
    });
  } finally {
    keyboard.setRawMode?.(false);
    await out.write('\n');
  }
}

type LineEnd = { readonly kind: 'done'; readonly text: string } | { readonly kind: 'cancel' | 'interrupt' };

const [CTRL_C, CTRL_D, BACKSPACE, CTRL_U, ESC, DELETE] = ['\x03', '\x04', '\b', '\x15', '\x1b', '\x7f'];
/** A key that sends several characters, and the marks around a paste. */
const SEQUENCE = new RegExp(`^${ESC}(?:\\[[0-?]*[ -/]*[@-~]|O.|[^[O])`);

/** The typed line, from the bytes of a terminal in raw mode. What follows Enter in one read is dropped. */
export function createSecretLine(): { take(read: string): LineEnd | undefined } {
  let text = '';
  return {
    take(read) {
      for (let rest = read; rest !== ''; ) {
        const sequence = SEQUENCE.exec(rest)?.[0];
        const key = sequence ?? ([...rest][0] as string);
        rest = rest.slice(key.length);
        if (sequence !== undefined) continue;
        if (key === '\r' || key === '\n') return { kind: 'done', text };
        if (key === CTRL_C) return { kind: 'interrupt' };
        if (key === ESC || (key === CTRL_D && text === '')) return { kind: 'cancel' };
        if (key === BACKSPACE || key === DELETE) text = [...text].slice(0, -1).join('');
        else if (key === CTRL_U) text = '';
        else if (key >= ' ') text += key;
      }
      return undefined;
    },
  };
}
