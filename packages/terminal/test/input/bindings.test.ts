/** The table of actions with its default keys, and what `keybindings` changes in it. */
import { describe, expect, it } from 'vitest';
import { ACTION_NAMES, actionOf, type BindingContext } from '../../src/input/actions.ts';
import { createBindings } from '../../src/input/bindings.ts';
import { eventsOf } from './keyboard.ts';

async function pressed(
  bindings: ReturnType<typeof createBindings>,
  context: BindingContext,
  sequence: string,
) {
  const [event] = await eventsOf(sequence);
  return event && bindings.actionOf(event, context);
}

describe('the default keys', () => {
  const bindings = createBindings();

  it.each<[BindingContext, string, string | undefined]>([
    ['editor', '\r', 'send'],
    ['editor', '\n', 'newline'],
    ['editor', '\x1b\r', 'newline'],
    ['editor', '\x1b[13;2u', 'newline'],
    ['editor', '\x1b[27;2;13~', 'newline'],
    ['editor', '\x1b[13;5u', 'sendNow'],
    ['editor', '\x1b[1;3A', 'takeQueued'],
    ['editor', '\x1b', 'interrupt'],
    ['editor', '\x03', 'clear'],
    ['editor', '\x04', 'deleteForward'],
    ['empty', '\x04', 'exit'],
    ['empty', '\x1a', 'suspend'],
    ['empty', '\x1b[Z', 'cycleMode'],
    ['empty', '\t', 'complete'],
    ['editor', '\x12', 'historySearch'],
    ['search', '\x12', 'searchOlder'],
    ['editor', '\x07', 'externalEditor'],
    ['editor', '\x0f', 'transcript'],
    ['editor', '\x14', 'todos'],
    ['editor', '\x0c', 'redraw'],
    ['empty', '?', 'help'],
    ['editor', '?', undefined],
    ['editor', '\x01', 'lineStart'],
    ['editor', '\x05', 'lineEnd'],
    ['editor', '\x0b', 'killToEnd'],
    ['editor', '\x15', 'killToStart'],
    ['editor', '\x17', 'killBlankWord'],
    ['editor', '\x19', 'yank'],
    ['editor', '\x1bb', 'wordLeft'],
    ['editor', '\x1bf', 'wordRight'],
    ['editor', '\x1bd', 'killWordForward'],
    ['editor', '\x1f', 'undo'],
    ['editor', '\x1ba', 'showQuestion'],
    ['completion', '\x1b[C', 'accept'],
    ['completion', '\x1b[A', 'choosePrevious'],
    ['editor', '\x1b[A', 'up'],
    ['viewer', 'q', 'viewClose'],
    ['viewer', 'G', 'viewEnd'],
    ['viewer', '/', 'viewSearch'],
    ['dialog', '\x0f', 'transcript'],
  ])('in the context %s: %j does %s', async (context, sequence, action) => {
    expect(await pressed(bindings, context, sequence)).toBe(action);
  });

  it('are chords too: the first key of one waits for the second', async () => {
    const chord = createBindings();
    expect(await pressed(chord, 'editor', '\x18')).toBe('chord');
    expect(await pressed(chord, 'editor', '\x13')).toBe('sendNow');
    expect(await pressed(chord, 'editor', '\x18')).toBe('chord');
    expect(await pressed(chord, 'editor', '\x01')).toBe('lineStart');
    expect(await pressed(chord, 'editor', '\x13')).toBe('stash');
  });

  it('do not claim one key for two actions of the same place', () => {
    const claimed = ACTION_NAMES.flatMap((name) =>
      actionOf(name).in.flatMap((place) => actionOf(name).keys.map((key) => `${place}: ${key}`)),
    );
    expect(claimed.filter((claim, index) => claimed.indexOf(claim) !== index)).toEqual([]);
    expect(claimed.length).toBeGreaterThan(ACTION_NAMES.length);
  });

  it('are in the help, each with what it does', () => {
    expect(bindings.help.map(({ action }) => action)).toEqual(ACTION_NAMES);
    expect(bindings.help.find(({ action }) => action === 'sendNow')).toEqual({
      group: 'Prompt',
      action: 'sendNow',
      keys: 'Ctrl+Enter, Ctrl+X Ctrl+S',
      about: 'send now, while the model works',
    });
    expect(bindings.keyOf('viewUp')).toBe('↑');
    expect(bindings.keysOf('viewEnd')).toBe('End, G');
  });
});

describe('keybindings of the settings', () => {
  it('replace the keys of an action, and take a key from the action that had it', async () => {
    const bindings = createBindings({ todos: 'F5', killToEnd: ['Ctrl+T', 'alt+k'], redraw: null });
    expect(bindings.problems).toEqual([]);
    expect(await pressed(bindings, 'editor', '\x1b[15~')).toBe('todos');
    expect(await pressed(bindings, 'editor', '\x14')).toBe('killToEnd');
    expect(await pressed(bindings, 'editor', '\x0b')).toBeUndefined();
    expect(await pressed(bindings, 'editor', '\x0c')).toBeUndefined();
    expect(bindings.keysOf('redraw')).toBe('');
    expect(createBindings({ undo: 'ctrl+w' }).keysOf('killBlankWord')).toBe('');
  });

  it('may begin a chord with a key that had a meaning, or give the first key of a chord one', async () => {
    const chord = createBindings({ todos: 'ctrl+k ctrl+t' });
    expect(await pressed(chord, 'editor', '\x0b')).toBe('killToEnd');
    const inTheSamePlace = createBindings({ undo: 'ctrl+k ctrl+z', send: 'ctrl+x' });
    expect(inTheSamePlace.keysOf('killToEnd')).toBe('');
    expect(inTheSamePlace.keysOf('sendNow')).toBe('Ctrl+Enter');
    expect(await pressed(inTheSamePlace, 'editor', '\x18')).toBe('send');
  });

  it.each<[unknown, string]>([
    [['ctrl+a'], 'keybindings must be an object of actions and keys, for example { "newline": ["ctrl+j"] }.'],
    [
      { fly: 'ctrl+f' },
      'keybindings.fly: there is no such action. Press ? on an empty prompt to see them all.',
    ],
    [{ undo: 5 }, 'keybindings.undo must be a key, a list of keys, or null for none.'],
    [
      { undo: 'super+z' },
      'keybindings.undo: “super” in “super+z” is no modifier; there are ctrl, alt and shift.',
    ],
    [
      { undo: 'ctrl+zz' },
      'keybindings.undo: “ctrl+zz” names no key; for example ctrl+k, alt+enter, shift+tab, f5.',
    ],
    [
      { undo: 'ctrl+++' },
      'keybindings.undo: “ctrl+++” has a + too many; the key + is written ctrl++ or ctrl+plus.',
    ],
    [
      { undo: 'ctrl++z' },
      'keybindings.undo: “ctrl++z” has a + too many; the key + is written ctrl++ or ctrl+plus.',
    ],
    [{ undo: '' }, 'keybindings.undo: “” names no key; for example ctrl+k, alt+enter, shift+tab, f5.'],
    [{ undo: 'z' }, 'keybindings.undo: “z” types a character in the prompt; add ctrl or alt.'],
    [{ undo: 'ctrl+i' }, 'keybindings.undo: “ctrl+i” is the same as Tab in most terminals.'],
    [{ undo: 'ctrl+c' }, 'keybindings.undo: ctrl+c is always the way out.'],
    [{ undo: 'a b c' }, 'keybindings.undo: “a b c” has more than two keys.'],
    [{ undo: 'ctrl+q', redo: 'ctrl+q' }, 'keybindings.redo: Ctrl+Q is already the key of undo.'],
  ])('that cannot be obeyed get a sentence: %j', (value, problem) => {
    const bindings = createBindings(value);
    expect(bindings.problems).toEqual([problem]);
    expect(bindings.keysOf('send')).toBe('Enter');
    if (!problem.includes('already')) expect(bindings.keysOf('undo')).toBe('Ctrl+_, Ctrl+X Ctrl+U');
  });
});
