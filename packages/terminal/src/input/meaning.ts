/** What a token of the input means. */
import type { KeyEvent, ReplyEvent } from './events.ts';

export type Key = Omit<KeyEvent, 'kind' | 'atMs'>;

export type Meaning =
  | {
      readonly kind: 'key';
      readonly key: Key;
      /** What it is inside of a paste; absent for sequences. */
      readonly text?: string;
    }
  | ReplyEvent
  | { readonly kind: 'paste-start' | 'paste-end' | 'nothing' };

export const NOTHING: Meaning = { kind: 'nothing' };

export function plainKey(name: string): Key {
  return { name, ctrl: false, alt: false, shift: false };
}
