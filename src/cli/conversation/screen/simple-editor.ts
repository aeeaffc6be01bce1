/** A one-line editor, until the editor of the terminal room is there. */
import type { BindingContext } from '../../../terminal/input/actions.ts';
import type { InputEvent } from '../../../terminal/input/events.ts';
import type { Frame } from '../../../terminal/renderer/frame.ts';
import { cells } from '../../../terminal/text/cells.ts';

export interface Draft {
  readonly text: string;
  readonly images: readonly { readonly mediaType: string; readonly data: string }[];
}

export interface ScreenEditor {
  readonly text: string;
  readonly isEmpty: boolean;
  readonly mode: 'prompt' | 'shell';
  readonly context: BindingContext;
  handle(event: InputEvent, action?: string): boolean;
  frame(columns: number, maxRows: number): Frame;
  replace(draft: Draft): void;
  take(): Draft;
  clear(): void;
}

export function createSimpleEditor(onChange: () => void): ScreenEditor {
  let text = '';
  const set = (next: string) => {
    text = next;
    onChange();
  };
  return {
    get text() {
      return text;
    },
    get isEmpty() {
      return text === '';
    },
    get mode() {
      return text.startsWith('!') ? ('shell' as const) : ('prompt' as const);
    },
    get context() {
      return text === '' ? ('empty' as const) : ('editor' as const);
    },
    handle(event, action) {
      if (event.kind === 'paste') set(text + event.text);
      else if (event.kind !== 'key') return false;
      else if (action === 'deleteBack') set([...text].slice(0, -1).join(''));
      else if (event.text !== undefined) set(text + event.text);
      else return false;
      return true;
    },
    frame(columns) {
      const row = `› ${text.split('\n').at(-1) ?? ''}`;
      return { rows: [row.slice(0, columns)], cursor: { row: 0, column: Math.min(cells(row), columns - 1) } };
    },
    replace: ({ text: next }) => set(next),
    take() {
      const taken = { text: text.replace(/^!/, ''), images: [] };
      set('');
      return taken;
    },
    clear: () => set(''),
  };
}
