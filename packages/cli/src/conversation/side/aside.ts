/** `/btw question`: an answer beside the conversation, in a panel that leaves nothing behind. */

import type { InputEvent } from '@turnwright/terminal/input/events.ts';
import { createHighlighter } from '@turnwright/terminal/markup/highlight.ts';
import { markdownRows } from '@turnwright/terminal/markup/markdown-stream.ts';
import type { Row, ScreenFrame, Size } from '@turnwright/terminal/renderer/frame.ts';
import { cutRow } from '@turnwright/terminal/text/cells.ts';
import { oneLine } from '@turnwright/terminal/text/visible.ts';
import { wrap } from '@turnwright/terminal/text/wrap.ts';
import { CommandMistake, type ConversationCommand } from '../commands/command-type.ts';
import { isLeave } from '../commands/list.ts';
import type { Overlay, OverlayHost, OverlayOf } from '../overlay.ts';
import { textColumns } from '../view/live-region.ts';

export const asideCommand: ConversationCommand = {
  name: 'btw',
  aliases: ['aside'],
  summary: 'Asks something beside the conversation; it does not become a part of it',
  argument: '<question>',
  async run(question, { open, query }) {
    if (question === '')
      throw new CommandMistake('Write the question behind it: /btw what does this test do?');
    await open(
      asideOverlay({
        title: question,
        ask: (signal, onText) => query.askAside({ question, signal, onText }),
      }),
    );
  },
};

/** A text that comes bit by bit. */
interface Aside {
  readonly title: string;
  /** Rejects with why there is none. */
  ask(signal: AbortSignal, onText: (text: string) => void): Promise<string>;
}

/** An overlay that shows the answer until Esc or Enter. Line mode writes it. */
export type AsideOverlay = OverlayOf<void> & { readonly aside: Aside };

export function asideOverlay(aside: Aside): AsideOverlay {
  return Object.assign((host: OverlayHost) => new OpenAside(aside, host), { aside });
}

const SECOND_MS = 1_000;
/** Of the answer: what goes on above stays in sight. */
const MOST_ROWS = 11;

class OpenAside implements Overlay<void> {
  readonly closed: Promise<undefined>;
  readonly #aside: Aside;
  readonly #host: OverlayHost;
  readonly #abort = new AbortController();
  readonly #startedMs: number;
  #text = '';
  #state: 'waiting' | 'done' | 'failed' = 'waiting';
  #from = 0;
  #page = 1;
  #last = 0;
  #stopTicks = () => {};
  #close!: (value: undefined) => void;

  constructor(aside: Aside, host: OverlayHost) {
    this.#aside = aside;
    this.#host = host;
    this.#startedMs = host.clock.monotonicMs();
    this.closed = new Promise((resolve) => {
      this.#close = resolve;
    });
    this.#tick();
    void this.#ask();
  }

  frame(size: Size): ScreenFrame {
    const { theme } = this.#host;
    const columns = textColumns(size);
    const rows = this.#rows(columns);
    this.#page = Math.max(1, Math.min(size.rows - 2, MOST_ROWS));
    this.#last = Math.max(0, rows.length - this.#page);
    this.#from = Math.min(this.#from, this.#last);
    const shown = rows.slice(this.#from, this.#from + this.#page);
    return {
      rows: [
        theme.bold(cutRow(`btw: ${oneLine(this.#aside.title)}`, columns)),
        ...shown,
        theme.dim(cutRow(this.#footer(rows.length), columns)),
      ],
    };
  }

  onEvent(event: InputEvent): boolean {
    if (event.kind === 'reply') return false;
    if (event.kind !== 'key') return true;
    if (isLeave(event) || event.name === 'enter') this.#end();
    else if (event.ctrl && event.name === 'o') void this.#showAll();
    else this.#from = Math.max(0, Math.min(this.#last, this.#from + this.#step(event.name)));
    this.#host.invalidate();
    return true;
  }

  #step(name: string): number {
    const steps: Readonly<Record<string, number>> = {
      up: -1,
      down: 1,
      pageup: -this.#page,
      pagedown: this.#page,
      home: Number.NEGATIVE_INFINITY,
      end: Number.POSITIVE_INFINITY,
    };
    return steps[name] ?? 0;
  }

  #rows(columns: number): readonly Row[] {
    const { theme } = this.#host;
    if (this.#state === 'failed') return wrap(this.#text, columns).map((row) => theme.bad(row));
    return markdownRows(this.#text, columns, { theme, highlighter: createHighlighter(theme) });
  }

  #footer(rows: number): string {
    const seconds = Math.floor((this.#host.clock.monotonicMs() - this.#startedMs) / SECOND_MS);
    const below = rows - this.#from - this.#page;
    const more = [
      ...(this.#from > 0 ? [`↑ ${this.#from}`] : []),
      ...(below > 0 ? [`↓ ${below} more`] : []),
    ].join(' ');
    if (this.#state === 'waiting')
      return `the model answers · ${seconds} s · Esc stops it${more && ` · ${more}`}`;
    return `${more && `${more} · `}Esc or Enter closes · not kept in the conversation`;
  }

  async #ask(): Promise<void> {
    try {
      this.#text = await this.#aside.ask(this.#abort.signal, (text) => {
        this.#text = text;
        this.#host.invalidate();
      });
      this.#state = 'done';
    } catch (error) {
      this.#text = oneLine((error as Error).message);
      this.#state = 'failed';
    }
    this.#stopTicks();
    this.#host.invalidate();
  }

  async #showAll(): Promise<void> {
    await this.#host.view({
      title: oneLine(this.#aside.title),
      parts: [{ heading: oneLine(this.#aside.title), lines: this.#text.split('\n') }],
    });
  }

  #tick(): void {
    this.#host.invalidate();
    this.#stopTicks = this.#host.clock.timer(SECOND_MS, () => this.#tick());
  }

  #end(): void {
    this.#stopTicks();
    this.#abort.abort();
    this.#close(undefined);
  }
}
