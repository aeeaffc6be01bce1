/**
 * Everything a key can do, and its default keys. The key bindings of the settings, the help and the table of
 * docs/screen.md are made from this one table.
 */

/**
 * Where keys are looked up. `empty`: the editor without a text. `completion`: its list is open. `search`: of
 * the history. `list` and `dialog` lie over the editor. `viewer` fills the screen.
 */
export type BindingContext =
  | 'global'
  | 'editor'
  | 'empty'
  | 'completion'
  | 'search'
  | 'list'
  | 'dialog'
  | 'viewer';

/** A context, then where a key is looked up that means nothing there. */
export const LOOKUP: Readonly<Record<BindingContext, readonly BindingContext[]>> = {
  global: ['global'],
  editor: ['editor', 'global'],
  empty: ['empty', 'editor', 'global'],
  completion: ['completion', 'editor', 'global'],
  search: ['search', 'editor', 'global'],
  list: ['list', 'global'],
  dialog: ['dialog', 'global'],
  viewer: ['viewer', 'global'],
};

export type ActionGroup = 'Prompt' | 'Screen' | 'Moving' | 'Deleting' | 'Choosing' | 'Viewer';

interface Action {
  readonly in: readonly BindingContext[];
  /** As `keybindings` spells them. A blank separates the keys of a chord. */
  readonly keys: readonly string[];
  readonly group: ActionGroup;
  readonly about: string;
}

const PROMPT = { in: ['editor'], group: 'Prompt' } as const;
const EMPTY = { in: ['empty'], group: 'Prompt' } as const;
const SCREEN = { in: ['global'], group: 'Screen' } as const;
const MOVING = { in: ['editor'], group: 'Moving' } as const;
const DELETING = { in: ['editor'], group: 'Deleting' } as const;
const CHOOSING = { in: ['completion', 'list', 'dialog'], group: 'Choosing' } as const;
const VIEWER = { in: ['viewer'], group: 'Viewer' } as const;

const ACTIONS = {
  send: { ...PROMPT, keys: ['enter'], about: 'send; queue while the model works' },
  newline: {
    ...PROMPT,
    keys: ['ctrl+j', 'alt+enter', 'shift+enter'],
    about: 'start a new line (also: \\ then Enter)',
  },
  sendNow: { ...PROMPT, keys: ['ctrl+enter', 'ctrl+x ctrl+s'], about: 'send now, while the model works' },
  takeQueued: { ...PROMPT, keys: ['alt+up'], about: 'take the last queued message back' },
  complete: { ...PROMPT, keys: ['tab'], about: 'complete a command, an argument or a path' },
  historySearch: { ...PROMPT, keys: ['ctrl+r'], about: 'search the history of prompts' },
  externalEditor: { ...PROMPT, keys: ['ctrl+g', 'ctrl+x ctrl+e'], about: 'edit in $VISUAL or $EDITOR' },
  pasteImage: { ...PROMPT, keys: ['ctrl+v', 'alt+v'], about: 'paste the image of the clipboard' },
  showQuestion: { ...PROMPT, keys: ['alt+a'], about: 'show the question that waits' },
  stash: { ...PROMPT, keys: ['ctrl+s'], about: 'put the draft aside; on an empty prompt: bring it back' },
  chooseModel: { ...PROMPT, keys: ['alt+p'], about: 'choose the model, and with ← → its effort' },
  stopTasks: { ...PROMPT, keys: ['ctrl+x ctrl+k'], about: 'stop all in the background (press it twice)' },
  toBackground: { ...EMPTY, keys: ['ctrl+b'], about: 'let what runs go on in the background' },
  help: { ...EMPTY, keys: ['?'], about: 'show the keys' },
  exit: { ...EMPTY, keys: ['ctrl+d'], about: 'leave' },

  interrupt: {
    ...SCREEN,
    keys: ['escape'],
    about: 'close what is open, else interrupt; twice when idle: rewind',
  },
  clear: { ...SCREEN, keys: ['ctrl+c'], about: 'clear the prompt, else interrupt; twice: leave' },
  suspend: { ...SCREEN, keys: ['ctrl+z'], about: 'suspend' },
  cycleMode: {
    ...SCREEN,
    keys: ['shift+tab', 'alt+m'],
    about: 'permission mode: manual, accept edits, plan, auto if there is a judge',
  },
  transcript: { ...SCREEN, keys: ['ctrl+o'], about: 'view the transcript, a dialog or a paste in full' },
  todos: { ...SCREEN, keys: ['ctrl+t'], about: 'show or hide the todo list' },
  redraw: { ...SCREEN, keys: ['ctrl+l'], about: 'draw the live part again' },

  left: { ...MOVING, keys: ['left', 'ctrl+b'], about: 'one character left' },
  right: { ...MOVING, keys: ['right', 'ctrl+f'], about: 'one character right' },
  up: { ...MOVING, keys: ['up', 'ctrl+p'], about: 'one row up, else an older prompt' },
  down: { ...MOVING, keys: ['down', 'ctrl+n'], about: 'one row down, else a newer prompt' },
  wordLeft: { ...MOVING, keys: ['alt+b', 'ctrl+left', 'alt+left'], about: 'one word left' },
  wordRight: { ...MOVING, keys: ['alt+f', 'ctrl+right', 'alt+right'], about: 'one word right' },
  lineStart: { ...MOVING, keys: ['ctrl+a', 'home'], about: 'start of the line' },
  lineEnd: { ...MOVING, keys: ['ctrl+e', 'end'], about: 'end of the line' },
  textStart: { ...MOVING, keys: ['ctrl+home', 'alt+<'], about: 'start of the text' },
  textEnd: { ...MOVING, keys: ['ctrl+end', 'alt+>'], about: 'end of the text' },

  deleteBack: {
    ...DELETING,
    keys: ['backspace', 'ctrl+h', 'shift+backspace'],
    about: 'the character before',
  },
  deleteForward: { ...DELETING, keys: ['delete', 'ctrl+d'], about: 'the character after' },
  killToEnd: { ...DELETING, keys: ['ctrl+k'], about: 'to the end of the line' },
  killToStart: { ...DELETING, keys: ['ctrl+u'], about: 'to the start of the line' },
  killBlankWord: { ...DELETING, keys: ['ctrl+w'], about: 'back to the blank before the word' },
  killWordBack: { ...DELETING, keys: ['alt+backspace', 'ctrl+backspace'], about: 'the word before' },
  killWordForward: { ...DELETING, keys: ['alt+d', 'ctrl+delete'], about: 'the word after' },
  yank: { ...DELETING, keys: ['ctrl+y'], about: 'insert what was deleted last' },
  yankOlder: { ...DELETING, keys: ['alt+y'], about: 'then: what was deleted before that' },
  undo: { ...DELETING, keys: ['ctrl+_', 'ctrl+x ctrl+u'], about: 'undo' },
  redo: { ...DELETING, keys: ['alt+_', 'ctrl+x ctrl+r'], about: 'redo' },

  choosePrevious: { ...CHOOSING, keys: ['up', 'ctrl+p'], about: 'the row above' },
  chooseNext: { ...CHOOSING, keys: ['down', 'ctrl+n'], about: 'the row below' },
  accept: {
    in: ['completion', 'search'],
    group: 'Choosing',
    keys: ['tab', 'right'],
    about: 'take the chosen row',
  },
  searchOlder: {
    in: ['search'],
    group: 'Choosing',
    keys: ['ctrl+r', 'up', 'ctrl+p'],
    about: 'an older match',
  },
  searchNewer: {
    in: ['search'],
    group: 'Choosing',
    keys: ['ctrl+s', 'down', 'ctrl+n'],
    about: 'a newer match',
  },

  viewUp: { ...VIEWER, keys: ['up', 'k'], about: 'the item above, or scroll' },
  viewDown: { ...VIEWER, keys: ['down', 'j'], about: 'the item below, or scroll' },
  viewPageUp: { ...VIEWER, keys: ['pageup', 'b', 'ctrl+b'], about: 'a page up' },
  viewPageDown: { ...VIEWER, keys: ['pagedown', 'space', 'ctrl+f'], about: 'a page down' },
  viewStart: { ...VIEWER, keys: ['home', 'g'], about: 'to the start' },
  viewEnd: { ...VIEWER, keys: ['end', 'shift+g'], about: 'to the end' },
  viewUnfold: { ...VIEWER, keys: ['enter'], about: 'unfold or fold the item' },
  viewUnfoldAll: { ...VIEWER, keys: ['e', 'ctrl+e'], about: 'unfold or fold everything' },
  viewSearch: { ...VIEWER, keys: ['/'], about: 'search' },
  viewNextMatch: { ...VIEWER, keys: ['n'], about: 'the next match' },
  viewPreviousMatch: { ...VIEWER, keys: ['shift+n'], about: 'the match before' },
  viewEdit: { ...VIEWER, keys: ['v'], about: 'open the item in the external editor' },
  viewCopy: { ...VIEWER, keys: ['y'], about: 'copy the item to the clipboard (OSC 52)' },
  viewClose: { ...VIEWER, keys: ['q', 'escape', 'ctrl+c', 'ctrl+o'], about: 'back' },
} as const satisfies Readonly<Record<string, Action>>;

export type ActionName = keyof typeof ACTIONS;

export const ACTION_NAMES = Object.keys(ACTIONS) as readonly ActionName[];

export const actionOf = (name: ActionName): Action => ACTIONS[name];
