/** Which key does what: the table of actions, with what the settings change in it. */
import {
  ACTION_NAMES,
  type ActionGroup,
  type ActionName,
  actionOf,
  type BindingContext,
  LOOKUP,
} from './actions.ts';
import type { InputEvent } from './events.ts';
import { nameOfKey, readKey, shownKeys, typesText } from './key-names.ts';

interface HelpRow {
  readonly group: ActionGroup;
  readonly action: ActionName;
  /** `Ctrl+J, Alt+Enter`; empty when the settings left it without a key. */
  readonly keys: string;
  readonly about: string;
}

export interface Bindings {
  /** Sentences about what the settings ask for and cannot get; the rest of them is in force. */
  readonly problems: readonly string[];
  /** `chord`: the first key of several; the event is then used up. */
  actionOf(event: InputEvent, context: BindingContext): ActionName | 'chord' | undefined;
  /** `Ctrl+J, Alt+Enter, Shift+Enter`, or empty. */
  keysOf(action: ActionName): string;
  /** The first of them, for hints. */
  keyOf(action: ActionName): string;
  readonly help: readonly HelpRow[];
}

/** Whatever else goes wrong, this key is a way out. */
const RESERVED = { key: 'ctrl+c', actions: ['clear', 'viewClose'] as readonly string[] };

/** `keybindings` as it is in the settings: `{ "newline": ["ctrl+j"], "todos": null }`. */
export function createBindings(keybindings?: unknown): Bindings {
  const { changed, problems } = readBindings(keybindings);
  const keys = new Map(ACTION_NAMES.map((name) => [name, keysWith(name, changed)]));
  const table = buildTable(keys);
  let begun: string | undefined;
  const lookUp = (key: string, context: BindingContext): ActionName | 'chord' | undefined => {
    for (const place of LOOKUP[context]) {
      const found = table.get(`${place} ${key}`);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  const shown = new Map([...keys].map(([action, bound]) => [action, bound.map(shownKeys)]));
  const keysOf = (action: ActionName) => shown.get(action) ?? [];
  return {
    problems,
    actionOf(event, context) {
      if (event.kind === 'reply') return undefined;
      const first = begun;
      begun = undefined;
      if (event.kind !== 'key') return undefined;
      const key = nameOfKey(event);
      const found = (first && lookUp(`${first} ${key}`, context)) ?? lookUp(key, context);
      if (found === 'chord') begun = key;
      return found || undefined;
    },
    keysOf: (action) => keysOf(action).join(', '),
    keyOf: (action) => keysOf(action)[0] ?? '',
    help: ACTION_NAMES.map((action) => {
      const { group, about } = actionOf(action);
      return { group, action, keys: keysOf(action).join(', '), about };
    }),
  };
}

type Changed = ReadonlyMap<ActionName, readonly string[]>;

/** A key that the settings give to one action is taken from the others of the same place. */
function keysWith(name: ActionName, changed: Changed): readonly string[] {
  const own = changed.get(name);
  if (own !== undefined) return own;
  const taken = [...changed].filter(([other]) => sharePlace(name, other)).flatMap(([, keys]) => keys);
  return actionOf(name).keys.filter((key) => !taken.some((other) => startsLike(key, other)));
}

/** The same key, or one that begins the other as a chord. */
function startsLike(one: string, other: string): boolean {
  return one === other || one.startsWith(`${other} `) || other.startsWith(`${one} `);
}

function sharePlace(one: ActionName, other: ActionName): boolean {
  return actionOf(one).in.some((place) => actionOf(other).in.includes(place));
}

function buildTable(
  keys: ReadonlyMap<ActionName, readonly string[]>,
): ReadonlyMap<string, ActionName | 'chord'> {
  const table = new Map<string, ActionName | 'chord'>();
  for (const [name, written] of keys)
    for (const key of written)
      for (const place of actionOf(name).in) {
        const [first = '', second] = key.split(' ');
        table.set(`${place} ${key}`, name);
        if (second !== undefined) table.set(`${place} ${first}`, 'chord');
      }
  return table;
}

function readBindings(value: unknown): { readonly changed: Changed; readonly problems: readonly string[] } {
  const changed = new Map<ActionName, readonly string[]>();
  const problems: string[] = [];
  if (value === undefined || value === null) return { changed, problems };
  if (typeof value !== 'object' || Array.isArray(value)) {
    problems.push(
      'keybindings must be an object of actions and keys, for example { "newline": ["ctrl+j"] }.',
    );
    return { changed, problems };
  }
  for (const [name, written] of Object.entries(value)) {
    if (!isAction(name)) {
      problems.push(
        `keybindings.${name}: there is no such action. Press ? on an empty prompt to see them all.`,
      );
      continue;
    }
    const keys = readKeys(name, written, problems);
    if (keys === undefined) continue;
    changed.set(
      name,
      keys.filter((key) => isFree(name, key, changed, problems)),
    );
  }
  return { changed, problems };
}

function isAction(name: string): name is ActionName {
  return (ACTION_NAMES as readonly string[]).includes(name);
}

/** Undefined: nothing of it can be used, so the defaults stay. */
function readKeys(action: ActionName, written: unknown, problems: string[]): readonly string[] | undefined {
  const list = written === null ? [] : typeof written === 'string' ? [written] : written;
  if (!Array.isArray(list) || !list.every((one) => typeof one === 'string')) {
    problems.push(`keybindings.${action} must be a key, a list of keys, or null for none.`);
    return undefined;
  }
  const keys = list.flatMap((one: string) => readChord(action, one, problems) ?? []);
  return keys.length === 0 && list.length > 0 ? undefined : keys;
}

function readChord(action: ActionName, written: string, problems: string[]): string | undefined {
  const refuse = (why: string) => {
    problems.push(`keybindings.${action}: ${why}.`);
    return undefined;
  };
  const parts = written.trim().split(/\s+/);
  if (parts.length > 2) return refuse(`“${written}” has more than two keys`);
  const keys: string[] = [];
  for (const part of parts) {
    const read = readKey(part);
    if ('problem' in read) return refuse(read.problem);
    keys.push(read.key);
  }
  const [first = ''] = keys;
  if (typesText(first) && actionOf(action).in.some((place) => TYPED_IN.includes(place)))
    return refuse(`“${written}” types a character in the prompt; add ctrl or alt`);
  if (first === RESERVED.key && !RESERVED.actions.includes(action))
    return refuse('ctrl+c is always the way out');
  return keys.join(' ');
}

/** Where characters are text. On an empty prompt one may be a key, as `?` is. */
const TYPED_IN: readonly BindingContext[] = ['global', 'editor', 'completion', 'search'];

function isFree(action: ActionName, key: string, changed: Changed, problems: string[]): boolean {
  const other = [...changed].find(
    ([name, keys]) => sharePlace(action, name) && keys.some((one) => startsLike(one, key)),
  );
  if (other !== undefined)
    problems.push(`keybindings.${action}: ${shownKeys(key)} is already the key of ${other[0]}.`);
  return other === undefined;
}
