/** The conversation on a terminal: keys go in, the transcript and the live region come out. */
import type { Editor } from '../../../terminal/editor/editor.ts';
import type { ActionName } from '../../../terminal/input/actions.ts';
import { type Bindings, createBindings } from '../../../terminal/input/bindings.ts';
import type { InputEvent, ReplyEvent } from '../../../terminal/input/events.ts';
import { createInput } from '../../../terminal/input/input.ts';
import { askSize } from '../../../terminal/renderer/ask-size.ts';
import type { Row, Size } from '../../../terminal/renderer/frame.ts';
import { createRegions } from '../../../terminal/renderer/regions.ts';
import { writeNow } from '../../../terminal/renderer/write-now.ts';
import { wantsColor } from '../../../terminal/text/style.ts';
import { createTheme, type Theme, themeFor } from '../../../terminal/text/theme.ts';
import { probeWidths, type WidthProbe } from '../../../terminal/text/width-probe.ts';
import { type ShownViewer, showViewer } from '../../../terminal/viewer/show-viewer.ts';
import type { Env } from '../../world.ts';
import type { ConversationClock } from '../clock.ts';
import type { OverlayHost, ViewDocument } from '../overlay.ts';
import { createOverlays, type Overlays } from '../overlays.ts';
import type { Step } from '../reduce/step.ts';
import { type ConversationState, isWorking } from '../state.ts';
import { liveRegion, SPINNER_MS, textColumns } from '../view/live-region.ts';
import type { ToolRowsOptions } from '../view/tool-rows.ts';
import { createTranscript, type TranscriptOptions } from '../view/transcript.ts';
import type { MakeEditor } from './prompt-editor.ts';
import type { ScreenSettings, ThemeSetting } from './screen-settings.ts';

export interface Screen {
  readonly editor: Editor;
  readonly bindings: Bindings;
  readonly overlays: Overlays;
  readonly size: Size;
  readonly theme: Theme;
  /** Columns for text. */
  readonly columns: number;
  /** Takes the terminal. */
  start(): void;
  /** Shows what happened. */
  step(step: Step): void;
  print(rows: readonly Row[]): void;
  redraw(): void;
  /** The theme as the person has set it. */
  readonly themeSetting: ThemeSetting;
  /** What is printed from now on has its colours. */
  setTheme(setting: ThemeSetting): void;
  /** Lines of the `statusLine` command in place of the built-in one. */
  setStatus(rows: readonly Row[] | undefined): void;
  transcript(): ViewDocument;
  view(document: ViewDocument, at?: 'start' | 'end'): Promise<void>;
  /** Gives the terminal to something else while it runs: an editor, the shell. */
  lend<T>(use: () => Promise<T>): Promise<T>;
  /** The same in two steps. */
  readonly loan: { release(): void; take(): void };
  /** Writes what draws nothing: the title, the bell, the clipboard. */
  emit(sequence: string): void;
  /** Restores the terminal, in one write. Safe to call twice, and from an exit handler. */
  close(): void;
}

interface ScreenOptions {
  readonly keyboard: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  readonly clock: ConversationClock;
  readonly theme: Theme;
  readonly env: Env;
  readonly settings: Pick<ScreenSettings, 'keybindings' | 'reducedMotion' | 'theme'>;
  readonly editor: MakeEditor;
  readonly markdown: TranscriptOptions['markdown'];
  readonly diff: ToolRowsOptions['diff'];
  state(): ConversationState;
  /** A key with its action, or a paste, that no overlay took. */
  onKey(event: InputEvent, action: ActionName | undefined): void;
  /** After a key or a paste: the text in the editor may have changed. */
  onDraft(): void;
  /** Whether the terminal may be asked how wide it draws, and what its background is. */
  readonly mayAsk: boolean;
  /** What restores the rest of the terminal: its title. */
  restoreText(): string;
  /** The terminal is gone. */
  onGone(): void;
}

const OUTPUT = 1;
const ASK_BACKGROUND = '\x1b]11;?\x1b\\';

export function createScreen(options: ScreenOptions): Screen {
  const { output, clock, theme, env, state, settings } = options;
  const { reducedMotion } = settings;
  const bindings = createBindings(settings.keybindings);
  let lastKeyMs: number | undefined;
  let status: readonly Row[] | undefined;
  let viewer: ShownViewer | undefined;
  let stopTicks: (() => void) | undefined;

  const regions = createRegions({
    output,
    size: () => askSize(output),
    clock,
    // The terminal of VS Code is xterm.js; tmux in it sets a name of its own.
    cutsCursorRow: env['TERM_PROGRAM'] === 'vscode',
    draw(size) {
      transcript.flush();
      return liveRegion(
        {
          state: state(),
          nowMs: clock.monotonicMs(),
          theme,
          keys: {
            interrupt: bindings.keyOf('interrupt'),
            exit: bindings.keyOf('clear'),
            editQueue: bindings.keyOf('takeQueued'),
          },
          answer: transcript.open,
          editor: (columns, most) => editor.frame(columns, most),
          overlay: overlays.current,
          customStatus: status,
          reducedMotion,
        },
        size,
      );
    },
    writeNow: (text) => writeNow(OUTPUT, text),
    restoreText: () => (viewer?.restoreText ?? '') + input.restoreText + options.restoreText(),
  });
  const transcript = createTranscript({
    theme,
    columns: () => textColumns(regions.size),
    cwd: () => state().session.cwd,
    commit: (rows) => regions.commit(rows),
    markdown: options.markdown,
    diff: options.diff,
  });
  const editor = options.editor({ theme, onChange: () => regions.invalidate('key') });
  const host: Omit<OverlayHost, 'open'> = {
    theme,
    clock,
    invalidate: () => regions.invalidate(),
    typing: () => ({ lastKeyMs, draftIsEmpty: editor.isEmpty }),
    view: (document) => view(document),
  };
  const overlays = createOverlays(host);
  const input = createInput({
    input: options.keyboard,
    write: (text) => writeNow(OUTPUT, text),
    clock,
    onEvent(event) {
      if (event.kind === 'reply') return heard(event);
      if (viewer !== undefined) return viewer.onEvent(event);
      // An overlay decides by the time between two keys.
      const isTaken = overlays.onEvent(event);
      lastKeyMs = event.atMs;
      regions.invalidate('key');
      if (isTaken) return;
      const action = bindings.actionOf(event, editor.context);
      if (action === 'chord') return;
      options.onKey(event, action);
      options.onDraft();
    },
    onEnd: options.onGone,
  });

  let probe: WidthProbe | undefined;
  let setting = settings.theme;
  let background: readonly number[] | undefined;
  /** All parts have this theme already: its colours change in place. */
  const useTheme = () => {
    const name = themeFor({ color: wantsColor(env, true), env, setting, background });
    Object.assign(theme, createTheme(name));
    regions.invalidate('redraw');
  };
  const heard = ({ of, values }: ReplyEvent) => {
    if (of === 'cursor') probe?.onCursor(values);
    if (of !== 'background') return;
    background = values;
    if (setting === 'auto') useTheme();
  };
  /** Asks the terminal how wide it draws, and what its background is. */
  const ask = () => {
    if (!options.mayAsk) return;
    probe = probeWidths({ write: (text) => writeNow(OUTPUT, text), clock });
    void probe.done.then(() => regions.invalidate('redraw'));
    if (setting === 'auto') writeNow(OUTPUT, ASK_BACKGROUND);
  };

  /** While something moves, a frame for each step of the spinner; nothing while nothing happens. */
  const tick = () => {
    stopTicks = undefined;
    const now = state();
    if (!isWorking(now) && now.phase !== 'starting' && now.phase !== 'exiting') return;
    regions.invalidate();
    stopTicks = clock.timer(reducedMotion || now.questions > 0 ? 1_000 : SPINNER_MS, tick);
  };
  const loan = {
    release() {
      regions.release();
      input.stop();
    },
    take() {
      input.start();
      regions.take();
    },
  };
  const lend = async <T>(use: () => Promise<T>): Promise<T> => {
    loan.release();
    try {
      return await use();
    } finally {
      loan.take();
    }
  };
  const view = async (document: ViewDocument, at: 'start' | 'end' = 'start') => {
    regions.release();
    viewer = showViewer(
      document,
      {
        output,
        size: () => askSize(output),
        write: (text) => writeNow(OUTPUT, text),
        bindings,
        theme,
        input,
        place: { env, platform: process.platform, cwd: state().session.cwd },
      },
      { at },
    );
    await viewer.closed;
    viewer = undefined;
    regions.take();
  };

  return {
    editor,
    bindings,
    overlays,
    theme,
    get size() {
      return regions.size;
    },
    get columns() {
      return textColumns(regions.size);
    },
    start() {
      input.start();
      ask();
      regions.invalidate('key');
      tick();
    },
    step({ items }) {
      transcript.add(items);
      regions.invalidate();
      if (stopTicks === undefined) tick();
    },
    print: (rows) => transcript.print(rows),
    redraw: () => regions.invalidate('redraw'),
    get themeSetting() {
      return setting;
    },
    setTheme(next) {
      setting = next;
      useTheme();
      if (next === 'auto' && background === undefined && options.mayAsk) writeNow(OUTPUT, ASK_BACKGROUND);
    },
    setStatus(rows) {
      status = rows;
      regions.invalidate();
    },
    transcript: () => transcript.document(),
    view,
    lend,
    loan,
    emit: (sequence) => writeNow(OUTPUT, sequence),
    close() {
      stopTicks?.();
      transcript.flush();
      regions.close();
      input.close();
    },
  };
}
