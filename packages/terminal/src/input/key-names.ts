/** Keys as people write them: `ctrl+shift+a` in settings, `Ctrl+Shift+A` on the screen. */
import type { KeyEvent } from './events.ts';

/** How a key is written in the table and compared: modifiers in this order, then the name. */
export function nameOfKey({
  ctrl,
  alt,
  shift,
  name,
}: Pick<KeyEvent, 'ctrl' | 'alt' | 'shift' | 'name'>): string {
  return `${ctrl ? 'ctrl+' : ''}${alt ? 'alt+' : ''}${shift ? 'shift+' : ''}${name}`;
}

const MODIFIERS: Readonly<Record<string, 'ctrl' | 'alt' | 'shift'>> = {
  ctrl: 'ctrl',
  control: 'ctrl',
  alt: 'alt',
  option: 'alt',
  opt: 'alt',
  meta: 'alt',
  shift: 'shift',
};

const OTHER_NAMES: Readonly<Record<string, string>> = {
  esc: 'escape',
  return: 'enter',
  del: 'delete',
  ins: 'insert',
  pgup: 'pageup',
  'page-up': 'pageup',
  pgdn: 'pagedown',
  'page-down': 'pagedown',
  spacebar: 'space',
  plus: '+',
};

const NAMED =
  /^(?:space|enter|tab|escape|backspace|delete|insert|up|down|left|right|home|end|pageup|pagedown|f(?:[1-9]|[12]\d|3[0-5]))$/;

/** What most terminals send for it is the same as for another key. */
const SAME_BYTE: Readonly<Record<string, string>> = {
  'ctrl+i': 'Tab',
  'ctrl+m': 'Enter',
  'ctrl+[': 'Escape',
};

type ReadKey = { readonly key: string } | { readonly problem: string };

/** One key of `keybindings`, in the form of `nameOfKey`. */
export function readKey(written: string): ReadKey {
  const parts = splitKey(written);
  const held = { ctrl: false, alt: false, shift: false };
  const last = parts.pop() ?? '';
  for (const part of parts) {
    if (part === '')
      return { problem: `“${written}” has a + too many; the key + is written ctrl++ or ctrl+plus` };
    const modifier = MODIFIERS[part.toLowerCase()];
    if (modifier === undefined)
      return { problem: `“${part}” in “${written}” is no modifier; there are ctrl, alt and shift` };
    held[modifier] = true;
  }
  const name =
    OTHER_NAMES[last.toLowerCase()] ?? (NAMED.test(last.toLowerCase()) ? last.toLowerCase() : last);
  const isOneCharacter = [...name].length === 1 && name.trim() !== '';
  if (!NAMED.test(name) && !isOneCharacter)
    return { problem: `“${written}” names no key; for example ctrl+k, alt+enter, shift+tab, f5` };
  const lower = name.toLowerCase();
  const isUpper = isOneCharacter && lower !== name;
  const key = nameOfKey({ ...held, shift: held.shift || (isUpper && !held.ctrl), name: lower });
  const same = SAME_BYTE[key];
  if (same !== undefined) return { problem: `“${written}” is the same as ${same} in most terminals` };
  return { key };
}

/** Modifiers and the name of a key; the last + of two is the key itself. */
function splitKey(written: string): string[] {
  if (written === '+') return [written];
  return written.endsWith('++') ? [...written.slice(0, -2).split('+'), '+'] : written.split('+');
}

/** Whether the key types a character, so that an editor needs it. */
export function typesText(key: string): boolean {
  const name = key.replace(/^shift\+(?=.)/, '');
  return name === 'space' || [...name].length === 1;
}

const SHOWN: Readonly<Record<string, string>> = {
  up: '↑',
  down: '↓',
  left: '←',
  right: '→',
  escape: 'Esc',
  pageup: 'PageUp',
  pagedown: 'PageDown',
};

/** `ctrl+x ctrl+s` as `Ctrl+X Ctrl+S`. */
export function shownKeys(keys: string): string {
  return keys.split(' ').map(shownKey).join(' ');
}

function shownKey(key: string): string {
  const [, modifiers = '', name = ''] = /^((?:ctrl\+|alt\+|shift\+)*)(.+)$/.exec(key) ?? [];
  if (modifiers === 'shift+' && [...name].length === 1) return name.toUpperCase();
  const shown = SHOWN[name] ?? (modifiers === '' && name.length === 1 ? name : capital(name));
  return modifiers.split('+').filter(Boolean).map(capital).concat(shown).join('+');
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
