/** The conversation on a terminal: keys go in, the transcript and the live region come out. */
import type { Editor } from '@turnwright/terminal/editor/editor.ts';
import type { ActionName } from '@turnwright/terminal/input/actions.ts';
import { type Bindings, createBindings } from '@turnwright/terminal/input/bindings.ts';
import type { InputEvent, ReplyEvent } from '@turnwright/terminal/input/events.ts';
import { createInput } from '@turnwright/terminal/input/input.ts';
import type { Highlighter } from '@turnwright/terminal/markup/highlight.ts';
import { askSize } from '@turnwright/terminal/renderer/ask-size.ts';
import type { Row, ScreenFrame, Size } from '@turnwright/terminal/renderer/frame.ts';
import { createRegions, type Regions } from '@turnwright/terminal/renderer/regions.ts';
import { writeNow } from '@turnwright/terminal/renderer/write-now.ts';
import { wantsColor } from '@turnwright/terminal/text/style.ts';
import { createTheme, type Theme, themeFor } from '@turnwright/terminal/text/theme.ts';
import { probeWidths, type WidthProbe } from '@turnwright/terminal/text/width-probe.ts';
import { type ShownViewer, showViewer } from '@turnwright/terminal/viewer/show-viewer.ts';
import type { Env } from '../../world.ts';
import type { ConversationClock } from '../conversation-clock.ts';
import { type ConversationState, isWorking } from '../conversation-state.ts';
import type { ViewDocument } from '../overlay.ts';
import { createOverlays, type Overlays } from '../overlays.ts';
import type { Reduction } from '../reduce/step.ts';
import { liveRegion, SPINNER_MS, textColumns } from '../view/live-region.ts';
import type { ToolRowsOptions } from '../view/tool-rows.ts';
import { createTranscript, thoughtPart } from '../view/transcript.ts';
import type { MakeEditor } from './prompt-editor.ts';
import type { ScreenSettings, ThemeSetting } from './screen-settings.ts';

interface ScreenOptions {
  readonly keyboard: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  readonly clock: ConversationClock;
  readonly theme: Theme;
  readonly env: Env;
  readonly settings: Pick<ScreenSettings, 'keybindings' | 'reducedMotion' | 'statusParts' | 'theme'>;
  readonly editor: MakeEditor;
  readonly highlighter: Highlighter;
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

export class Screen {
  readonly editor: Editor;
  readonly bindings: Bindings;
  readonly overlays: Overlays;
  readonly theme: Theme;
  readonly #options: ScreenOptions;
  readonly #regions: Regions;
  readonly #transcript: ReturnType<typeof createTranscript>;
  readonly #input: ReturnType<typeof createInput>;
  #lastKeyMs: number | undefined;
  #status: readonly Row[] | undefined;
  #statusParts: ScreenSettings['statusParts'];
  #viewer: ShownViewer | undefined;
  #stopTicks: (() => void) | undefined;
  #probe: WidthProbe | undefined;
  #setting: ThemeSetting;
  #background: readonly number[] | undefined;

  constructor(options: ScreenOptions) {
    const { keyboard, output, clock, theme, env, state, settings } = options;
    this.#options = options;
    this.#setting = settings.theme;
    this.#statusParts = settings.statusParts;
    this.theme = theme;
    this.bindings = createBindings(settings.keybindings);
    this.#regions = createRegions({
      output,
      size: () => askSize(output),
      clock,
      // The terminal of VS Code is xterm.js; tmux in it sets a name of its own.
      cutsCursorRow: env['TERM_PROGRAM'] === 'vscode',
      draw: (size) => this.#draw(size),
      writeNow: this.emit,
      restoreText: () => (this.#viewer?.restoreText ?? '') + this.#input.restoreText + options.restoreText(),
    });
    this.#transcript = createTranscript({
      theme,
      columns: () => this.columns,
      cwd: () => state().session.cwd,
      commit: (rows) => this.#regions.commit(rows),
      highlighter: options.highlighter,
      diff: options.diff,
    });
    this.editor = options.editor({ theme, onChange: () => this.#regions.invalidate('key') });
    this.overlays = createOverlays({
      theme,
      clock,
      invalidate: () => this.#regions.invalidate(),
      typing: () => ({ lastKeyMs: this.#lastKeyMs, draftIsEmpty: this.editor.isEmpty }),
      view: (document) => this.view(document),
    });
    this.#input = createInput({
      input: keyboard,
      env,
      write: this.emit,
      clock,
      onEvent: (event) => this.#onEvent(event),
      onEnd: options.onGone,
    });
  }

  get size(): Size {
    return this.#regions.size;
  }

  /** Columns for text. */
  get columns(): number {
    return textColumns(this.#regions.size);
  }

  /** The theme as the person has set it. */
  get themeSetting(): ThemeSetting {
    return this.#setting;
  }

  /** Takes the terminal. */
  start(): void {
    this.#input.start();
    this.#ask();
    this.#regions.invalidate('key');
    this.#tick();
  }

  /** Shows what happened. */
  step({ items }: Pick<Reduction, 'items'>): void {
    this.#transcript.add(items);
    this.#regions.invalidate();
    if (this.#stopTicks === undefined) this.#tick();
  }

  /** For the viewer alone. */
  keepItems = (items: Reduction['items']): void => this.#transcript.keep(items);

  print = (rows: readonly Row[]): void => this.#transcript.print(rows);

  /** Monotonic; undefined: no key yet. */
  get lastKeyMs(): number | undefined {
    return this.#lastKeyMs;
  }

  redraw(): void {
    this.#regions.invalidate('redraw');
  }

  /** What is printed from now on has its colours. */
  setTheme = (setting: ThemeSetting): void => {
    this.#setting = setting;
    this.#useTheme();
    const isUnknown = setting === 'auto' && this.#background === undefined;
    if (isUnknown && this.#options.mayAsk) this.emit(ASK_BACKGROUND);
  };

  /** Lines of the `statusLine` command in place of the built-in one. */
  setStatus = (rows: readonly Row[] | undefined): void => {
    this.#status = rows;
    this.#regions.invalidate();
  };

  /** What the built-in one shows; undefined: everything. */
  setStatusParts = (parts: ScreenSettings['statusParts']): void => {
    this.#statusParts = parts;
    this.#regions.invalidate();
  };

  /** With what the model thinks at present. */
  transcript = (): ViewDocument => {
    const document = this.#transcript.document();
    const { thinking } = this.#options.state().answer;
    if (thinking === '') return document;
    return { ...document, parts: [...document.parts, thoughtPart({ ms: 0, text: thinking })] };
  };

  async view(document: ViewDocument, at: 'start' | 'end' = 'start'): Promise<void> {
    const { output, env, state } = this.#options;
    this.#regions.release();
    this.#viewer = showViewer(
      document,
      {
        output,
        size: () => askSize(output),
        write: this.emit,
        bindings: this.bindings,
        theme: this.theme,
        input: this.#input,
        place: { env, platform: process.platform, cwd: state().session.cwd },
      },
      { at },
    );
    await this.#viewer.closed;
    this.#viewer = undefined;
    this.#regions.take();
  }

  /** Gives the terminal to something else while it runs: an editor, the shell. */
  async lend<T>(use: () => Promise<T>): Promise<T> {
    this.release();
    try {
      return await use();
    } finally {
      this.take();
    }
  }

  /** The first step of `lend`. */
  release(): void {
    this.#regions.release();
    this.#input.stop();
  }

  /** Its second step. */
  take(): void {
    this.#input.start();
    this.#regions.take();
  }

  /** Writes what draws nothing: the title, the bell, the clipboard. */
  emit = (sequence: string): void => writeNow(OUTPUT, sequence);

  /** Restores the terminal, in one write. Safe to call twice, and from an exit handler. */
  close(): void {
    this.#stopTicks?.();
    this.#transcript.flush();
    this.#regions.close();
    this.#input.close();
  }

  #draw(size: Size): ScreenFrame {
    const { state, clock, settings } = this.#options;
    const { bindings } = this;
    this.#transcript.flush();
    return liveRegion(
      {
        state: state(),
        nowMs: clock.monotonicMs(),
        theme: this.theme,
        keys: {
          interrupt: bindings.keyOf('interrupt'),
          exit: bindings.keyOf('clear'),
          editQueue: bindings.keyOf('takeQueued'),
        },
        answer: this.#transcript.open,
        editor: (columns, most) => this.editor.frame(columns, most),
        overlay: this.overlays.current,
        customStatus: this.#status,
        statusParts: this.#statusParts,
        reducedMotion: settings.reducedMotion,
      },
      size,
    );
  }

  #onEvent(event: InputEvent): void {
    if (event.kind === 'reply') this.#onReply(event);
    else if (this.#viewer !== undefined) this.#viewer.onEvent(event);
    else this.#onKey(event);
  }

  #onKey(event: Exclude<InputEvent, ReplyEvent>): void {
    // An overlay decides by the time between two keys.
    const isTaken = this.overlays.onEvent(event);
    this.#lastKeyMs = event.atMs;
    this.#regions.invalidate('key');
    if (isTaken) return;
    const action = this.bindings.actionOf(event, this.editor.context);
    if (action === 'chord') return;
    this.#options.onKey(event, action);
    this.#options.onDraft();
  }

  #onReply({ of, values }: ReplyEvent): void {
    if (of === 'cursor') this.#probe?.onCursor(values);
    if (of !== 'background') return;
    this.#background = values;
    if (this.#setting === 'auto') this.#useTheme();
  }

  /** All parts have this theme already: its colours change in place. */
  #useTheme(): void {
    const { env } = this.#options;
    const [setting, background] = [this.#setting, this.#background];
    const name = themeFor({ color: wantsColor(env, true), env, setting, background });
    Object.assign(this.theme, createTheme(name));
    this.#regions.invalidate('redraw');
  }

  /** Asks the terminal how wide it draws, and what its background is. */
  #ask(): void {
    const { mayAsk, clock } = this.#options;
    if (!mayAsk) return;
    this.#probe = probeWidths({ write: this.emit, clock });
    void this.#probe.done.then(() => this.#regions.invalidate('redraw'));
    if (this.#setting === 'auto') this.emit(ASK_BACKGROUND);
  }

  /** While something moves, a frame for each step of the spinner; nothing while nothing happens. */
  #tick(): void {
    const { state, clock, settings } = this.#options;
    this.#stopTicks = undefined;
    const now = state();
    if (!isWorking(now) && now.phase !== 'starting' && now.phase !== 'exiting') return;
    this.#regions.invalidate();
    const everyMs = settings.reducedMotion || now.questions > 0 ? 1_000 : SPINNER_MS;
    this.#stopTicks = clock.timer(everyMs, () => this.#tick());
  }
}
