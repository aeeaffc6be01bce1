/** An editor with keys as the terminal sends them, and its draft with a mark at the cursor. */

import { virtualClock } from '@turnwright/testing';
import type { CompletionSource } from '../../src/editor/completion.ts';
import { createEditor } from '../../src/editor/editor.ts';
import type { EditorOptions } from '../../src/editor/editor-options.ts';
import { type History, openHistory } from '../../src/editor/prompt-history.ts';
import { createBindings } from '../../src/input/bindings.ts';
import { createDecoder } from '../../src/input/decoder.ts';
import type { InputEvent } from '../../src/input/events.ts';
import { createTheme } from '../../src/text/theme.ts';

export const THEME = createTheme('none');

export async function historyOf(...prompts: readonly string[]): Promise<History> {
  const history = await openHistory({ file: undefined, nowMs: () => 0 });
  for (const text of prompts) history.add({ text, chips: [] });
  return history;
}

interface DeskOptions extends Partial<Omit<EditorOptions, 'theme'>> {
  readonly sources?: readonly CompletionSource[];
}

export async function openDesk(options: DeskOptions = {}) {
  const clock = virtualClock();
  const bindings = createBindings();
  const problems: string[] = [];
  const editor = createEditor({
    theme: THEME,
    history: await historyOf(),
    sources: [],
    images: { named: () => undefined, clipboard: async () => ({ problem: 'no clipboard' }) },
    onChange: () => {},
    onProblem: (sentence) => problems.push(sentence),
    ...options,
  });
  /** Events that the editor did not take, by the action or the kind of the event. */
  const left: string[] = [];
  const onEvent = (event: InputEvent) => {
    const action = bindings.actionOf(event, editor.context);
    if (!editor.handle(event, action)) left.push(action ?? event.kind);
  };
  const decoder = createDecoder({ clock, onEvent });
  /** Each of these is a key, or several at a person's pace. */
  const press = async (...sequences: readonly string[]) => {
    for (const sequence of sequences) {
      for (const key of sequence.startsWith('\x1b') ? [sequence] : sequence) {
        decoder.push(Buffer.from(key));
        await clock.advance(100);
      }
    }
  };
  const paste = (text: string) => press(`\x1b[200~${text}\x1b[201~`);
  const rows = (columns = 80, most = 10) => editor.frame(columns, most).rows;
  /** The rows, with `|` where the cursor stands. */
  const drawn = (columns = 80, most = 10) => {
    const { rows: plain, cursor } = editor.frame(columns, most);
    return plain.map((row, index) =>
      index === cursor?.row ? `${row.slice(0, cursor.column)}|${row.slice(cursor.column)}` : row,
    );
  };
  return { editor, press, paste, left, problems, rows, drawn, onEvent };
}
