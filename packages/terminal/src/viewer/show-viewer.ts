/** The viewer on the alternate screen: what was on the screen before is there again when it is left. */
import { type Edited, type ExternalEdit, editExternally } from '../editor/external-editor.ts';
import type { ActionName, BindingContext } from '../input/actions.ts';
import type { InputEvent } from '../input/events.ts';
import type { Row, Size } from '../renderer/frame.ts';
import { cutRow } from '../text/cells.ts';
import { clean } from '../text/clean.ts';
import type { Theme } from '../text/theme.ts';
import type { ViewerDocument } from './document-rows.ts';
import { createViewer } from './viewer.ts';

/** What the viewer uses of a terminal whose live region was released. */
interface ViewerScreen {
  readonly output: {
    on(event: 'resize', listener: () => void): unknown;
    off(event: 'resize', listener: () => void): unknown;
  };
  size(): Size;
  /** Writes before it returns. */
  write(text: string): void;
  readonly bindings: {
    actionOf(event: InputEvent, context: BindingContext): ActionName | 'chord' | undefined;
    keyOf(action: ActionName): string;
  };
  readonly theme: Theme;
  /** The keyboard, which an external editor gets. */
  readonly input: { start(): void; stop(): void };
  readonly place: Pick<ExternalEdit, 'env' | 'platform' | 'cwd'>;
}

export interface ShownViewer {
  onEvent(event: InputEvent): void;
  /** Resolves when the user has left it; the screen is the one from before then. */
  readonly closed: Promise<void>;
  /** What leaves it if it is written now; empty when it is left: for a handler of the process's exit. */
  readonly restoreText: string;
  /** Leaves it from outside. */
  close(): void;
}

const ENTER = '\x1b[?1049h\x1b[?25l';
const LEAVE = '\x1b[?1049l\x1b[?25h';
const BEGIN_SYNCHRONISED = '\x1b[?2026h';
const END_SYNCHRONISED = '\x1b[?2026l';
/** Terminals ignore what is longer. */
const MAX_CLIPBOARD_CHARS = 74_994;

export function showViewer(
  document: ViewerDocument,
  screen: ViewerScreen,
  options: { readonly at?: 'start' | 'end' } = {},
): ShownViewer {
  return new AlternateScreen(document, screen, options.at ?? 'start');
}

class AlternateScreen implements ShownViewer {
  readonly closed: Promise<void>;
  readonly #screen: ViewerScreen;
  readonly #viewer;
  #resolve: () => void = () => {};
  #drawn: readonly Row[] = [];
  #state: 'shown' | 'lent' | 'closed' = 'lent';

  constructor(document: ViewerDocument, screen: ViewerScreen, at: 'start' | 'end') {
    this.#screen = screen;
    this.closed = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    this.#viewer = createViewer({
      document,
      theme: screen.theme,
      at,
      keyOf: (action) => screen.bindings.keyOf(action),
      copy: (text) => this.#copy(text),
      edit: (text) => void this.#edit(text),
      onClose: () => this.close(),
    });
    screen.output.on('resize', this.#onResize);
    this.#enter();
  }

  get restoreText(): string {
    return this.#state === 'shown' ? LEAVE : '';
  }

  onEvent(event: InputEvent): void {
    if (this.#state !== 'shown') return;
    this.#viewer.handle(event, this.#screen.bindings.actionOf(event, 'viewer'));
    if (this.restoreText !== '') this.#draw();
  }

  close(): void {
    if (this.#state === 'closed') return;
    this.#leave();
    this.#state = 'closed';
    this.#screen.output.off('resize', this.#onResize);
    this.#resolve();
  }

  readonly #onResize = () => {
    if (this.#state !== 'shown') return;
    this.#drawn = [];
    this.#draw();
  };

  #enter(): void {
    if (this.#state !== 'lent') return;
    this.#state = 'shown';
    this.#drawn = [];
    this.#screen.write(ENTER);
    this.#draw();
  }

  #leave(): void {
    if (this.#state === 'shown') this.#screen.write(LEAVE);
    this.#state = 'lent';
  }

  /** Writes the rows that are others than before. */
  #draw(): void {
    const size = this.#screen.size();
    const { rows, cursor } = this.#viewer.frame(size);
    const changed = rows.flatMap((row, index) => {
      const text = cutRow(clean(row, 'sgr').replaceAll('\n', ' '), size.columns - 1);
      return row === this.#drawn[index] ? [] : [`\x1b[${index + 1};1H\x1b[0m\x1b[2K${text}`];
    });
    this.#drawn = rows;
    const place =
      cursor === undefined ? '\x1b[?25l' : `\x1b[${cursor.row + 1};${cursor.column + 1}H\x1b[?25h`;
    this.#screen.write(`${BEGIN_SYNCHRONISED}${changed.join('')}\x1b[0m${place}${END_SYNCHRONISED}`);
  }

  #copy(text: string): string {
    const encoded = Buffer.from(text).toString('base64');
    if (encoded.length > MAX_CLIPBOARD_CHARS)
      return `too long for the clipboard of a terminal; ${this.#screen.bindings.keyOf('viewEdit')} opens it in your editor`;
    this.#screen.write(`\x1b]52;c;${encoded}\x07`);
    return `copied ${text.length.toLocaleString('en-US')} characters`;
  }

  async #edit(text: string): Promise<void> {
    const { input, place } = this.#screen;
    const edited: Edited = await editExternally({
      text,
      fileName: 'view.txt',
      ...place,
      release: () => {
        this.#leave();
        input.stop();
      },
      take: () => {
        input.start();
        this.#enter();
      },
    });
    if (this.#state !== 'shown') return;
    this.#viewer.show('problem' in edited ? edited.problem : 'what is shown here is not changed');
    this.#draw();
  }
}
