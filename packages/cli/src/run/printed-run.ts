/**
 * A run that is printed as it goes: what the reducer of the conversation makes of its messages, written by
 * the writer of line mode. On a terminal it has a status line, and a person who is asked.
 */
import type { CanUseTool, SDKMessage, SDKResultMessage } from '@turnwright/engine';
import type { Row } from '@turnwright/terminal/renderer/frame.ts';
import { cutRow } from '@turnwright/terminal/text/cells.ts';
import { wantsColor } from '@turnwright/terminal/text/style.ts';
import { createTheme, type Theme, themeFor } from '@turnwright/terminal/text/theme.ts';
import { wrap } from '@turnwright/terminal/text/wrap.ts';
import { type ConversationClock, REAL_CLOCK } from '../conversation/conversation-clock.ts';
import { type ConversationState, startingState, taskOf } from '../conversation/conversation-state.ts';
import { ItemLines, plainText } from '../conversation/line-mode/item-lines.ts';
import { createLineAsker } from '../conversation/line-mode/line-asker.ts';
import { LineWriter } from '../conversation/line-mode/line-writer.ts';
import { createPatience } from '../conversation/line-mode/patience.ts';
import { spokenLines } from '../conversation/line-mode/spoken-items.ts';
import { type ConversationEvent, reduce } from '../conversation/reduce/reduce.ts';
import { findActivity } from '../conversation/view/activity.ts';
import { drawDiff } from '../conversation/view/diff-of.ts';
import { rowsOf, type WholeItem } from '../conversation/view/item-rows.ts';
import { noteText } from '../conversation/view/transcript-item.ts';
import { callRows } from '../words/call-rows.ts';
import { drain } from '../words/raw-keys.ts';
import { errorLines, summaryLines } from '../words/summary.ts';
import { toolLabel } from '../words/tool-label.ts';
import { duration, tokens } from '../words/units.ts';
import { countColumns, type World, warnOn } from '../world.ts';
import { openLineReader } from './line-reader.ts';
import type { Sink } from './print.ts';

interface PrintedRunOptions {
  /** Default stdout. */
  readonly on?: 'stdout' | 'stderr';
  /** Includes the start of the session, and messages of the engine for the model. Default false. */
  readonly verbose?: boolean;
  /** Never asks, even on a terminal. Default false. */
  readonly neverAsk?: boolean;
  /** Nothing is shown but questions. Default false. */
  readonly onlyAsks?: boolean;
  /** In words and without a status line, for screen readers. Default false. */
  readonly speaks?: boolean;
  /** The figures at the end. Default true. */
  readonly summary?: boolean;
  readonly clock?: ConversationClock;
}

const STATUS_EVERY_MS = 120;
/** Time that a question waits for its call to be shown: one of a previous process never is. */
const CALL_LIMIT_MS = 250;
const SPINNER = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'] as const;
const KEYS = { interrupt: 'Ctrl+C', exit: 'Ctrl+C' } as const;

export class PrintedRun implements Sink {
  readonly theme: Theme;
  /** Present when a person can answer. */
  readonly canUseTool: CanUseTool | undefined;
  /** Shows a warning of the engine: in the run if stderr is the same terminal, else on stderr. */
  readonly warn: (line: string) => void;
  readonly #options: PrintedRunOptions;
  readonly #columns: () => number;
  readonly #writer: LineWriter;
  readonly #items: ItemLines;
  readonly #clock: ConversationClock;
  readonly #startedMs: number;
  readonly #onStop: (() => void)[] = [];
  /** In place of a status line. */
  readonly #patience: ReturnType<typeof createPatience> | undefined;
  /** Questions that wait for their call, by its id. */
  readonly #awaited = new Map<string, () => void>();
  readonly #counts = { turns: 0, calls: 0 };
  #state: ConversationState;
  /** The last write: it rejects when the reader has closed the output. */
  #written: Promise<void> = Promise.resolve();
  #frame = 0;

  private constructor(world: World, options: PrintedRunOptions, text = plainText()) {
    const { on = 'stdout', neverAsk = false, speaks = false, clock = REAL_CLOCK } = options;
    const stream = world[on];
    const output = on === 'stdout' ? world.out : world.err;
    this.#options = options;
    this.#clock = clock;
    this.#startedMs = clock.monotonicMs();
    this.#columns = () => countColumns(stream);
    this.theme = themeOn(world, on);
    this.#state = startingState(this.#startedMs, { cwd: world.cwd });
    this.#writer = new LineWriter((written, wipe) => {
      this.#written = output.paint(written, wipe);
      // It is reported by the next message.
      this.#written.catch(() => undefined);
    });
    this.#items = new ItemLines({ line: this.#writer.row, text, linesOf: (item) => this.#linesOf(item) });
    const isWatched = isLive(world, options);
    if (isWatched) {
      const timer = setInterval(() => this.#drawStatus(), STATUS_EVERY_MS);
      timer.unref();
      this.#onStop.push(() => clearInterval(timer));
    }
    if (speaks) {
      const patience = createPatience(clock, this.#writer.line, () => this.#state, { canGoOn: false });
      this.#patience = patience;
      this.#onStop.push(patience.stop);
    }
    this.warn = isWatched && world.stderr.isTTY === true ? this.#warn : warnOn(world);
    const keyboard = neverAsk || stream.isTTY !== true ? undefined : world.keyboard();
    this.canUseTool = keyboard && this.#askerOn(keyboard, world);
  }

  static async open(world: World, options: PrintedRunOptions = {}): Promise<PrintedRun> {
    if (!isLive(world, options)) return new PrintedRun(world, options);
    const { on = 'stdout' } = options;
    const { createFormattedText } = await import('../conversation/line-mode/formatted-text.ts');
    const text = createFormattedText(themeOn(world, on), () => countColumns(world[on]));
    return new PrintedRun(world, options, text);
  }

  /** The MCP servers that the session waits for before its first request. */
  onMcpWait = ({ servers }: { readonly servers: readonly string[] }): void =>
    this.#take({ kind: 'serversAwaited', servers });

  async show(message: SDKMessage): Promise<void> {
    this.#take({ kind: 'message', message });
    await this.#written;
  }

  async end(result: SDKResultMessage | undefined): Promise<void> {
    for (const stop of this.#onStop) stop();
    this.#writer.status('');
    this.#items.endLine();
    if (result !== undefined) {
      for (const line of errorLines(result)) this.#prose(this.theme.bad(line));
      const { summary = true } = this.#options;
      const lines = summary ? summaryLines(result, this.#counts, this.theme) : [];
      for (const line of lines) this.#prose(line);
    }
    await this.#written;
  }

  /** A line that is not of the run, as it is. */
  async line(row: Row): Promise<void> {
    this.#writer.row(row);
    await this.#written;
  }

  /** Sentences, wrapped between words where a person reads them. `hang`: default two blanks. */
  async prose(text: string, hang?: string): Promise<void> {
    this.#prose(text, hang);
    await this.#written;
  }

  #prose(text: string, hang = '  '): void {
    wrap(text, this.#columns(), { hang }).forEach(this.#writer.row);
  }

  #warn = (line: string): void => this.#prose(this.theme.warn(noteText({ tone: 'warning', text: line })));

  #take(event: ConversationEvent): void {
    const { state, items } = reduce(this.#state, event, this.#clock.monotonicMs());
    this.#state = state;
    this.#items.add(items);
    this.#patience?.observe(state);
    for (const item of items) {
      if (item.kind !== 'end') continue;
      this.#counts.turns += item.turns;
      this.#counts.calls += item.calls;
    }
    for (const [id, open] of this.#awaited) if (this.#call(id) !== undefined) open();
  }

  #linesOf(item: WholeItem): readonly string[] {
    const { verbose = false, speaks = false } = this.#options;
    if (item.kind === 'end' || (item.kind === 'detail' && !verbose)) return [];
    const { cwd } = this.#state.session;
    if (speaks) return spokenLines(item, cwd);
    return rowsOf(item, {
      columns: this.#columns(),
      theme: this.theme,
      cwd,
      diff: drawDiff,
      standAlone: true,
    });
  }

  #call(id: string) {
    const { tools, agentCalls } = this.#state;
    return [...tools, ...agentCalls].find((call) => call.id === id);
  }

  #drawStatus(): void {
    this.#frame = (this.#frame + 1) % SPINNER.length;
    const nowMs = this.#clock.monotonicMs();
    const { tools, agentCalls, figures, submission, session } = this.#state;
    const [first, ...others] = [...tools, ...agentCalls];
    const more = others.length === 0 ? '' : ` and ${others.length} more`;
    const activity = findActivity(this.#state, nowMs, KEYS);
    const doing =
      first === undefined || this.#state.compactingSinceMs !== undefined
        ? [activity?.what, activity?.time]
        : [`${toolLabel(first.name, first.input, session.cwd)}${more}`];
    const parts = [
      duration(nowMs - this.#startedMs),
      ...(figures.cache === undefined ? [] : [`↑ ${tokens(figures.cache.inputTokens)} tokens`]),
      ...(submission === undefined || submission.turns === 0 ? [] : [`turn ${submission.turns}`]),
      ...doing.filter((part) => part !== undefined),
    ];
    const row = `${SPINNER[this.#frame]} ${parts.join(' · ')}`;
    this.#writer.status(this.theme.dim(cutRow(row, this.#columns() - 1)));
  }

  #askerOn(keyboard: NodeJS.ReadStream, world: World): CanUseTool {
    const { on = 'stdout', onlyAsks = false } = this.#options;
    const drawing = { theme: this.theme, cwd: world.cwd, home: world.env['HOME'] };
    let reader: ReturnType<typeof openLineReader> | undefined;
    let question = '';
    const asker = createLineAsker({
      dialog: {
        line: this.#writer.say,
        prompt: (text) => {
          question = text;
        },
        input: { next: async (signal) => reader?.ask(question, signal) },
        nowMs: () => this.#clock.monotonicMs(),
      },
      endLine: this.#items.endLine,
      taskOf: (id) => taskOf(this.#state, id),
      describe: async (toolName, input) => ({
        lines: (await callRows(toolName, input, drawing))(this.#columns()),
        say: this.#writer.sayRow,
      }),
      onQuestion: async (change, about) => {
        this.#take({ kind: 'question', change, ...about });
        if (change === 1) {
          this.#writer.hold();
          await this.#written.catch(() => undefined);
          // Keys that were typed before the question appeared do not answer it.
          await drain(keyboard);
          reader = openLineReader(keyboard, world[on], world.signals.raiseInterrupt);
        } else {
          reader?.close();
          this.#writer.release();
        }
      },
    });
    if (onlyAsks) return asker.canUseTool;
    return async (toolName, input, context) => {
      // A tool starts before its block is shown; the question follows the text before the call.
      await this.#seen(context.toolUseID);
      return asker.canUseTool(toolName, input, context);
    };
  }

  #seen(id: string): Promise<void> {
    if (this.#call(id) !== undefined) return Promise.resolve();
    return new Promise((resolve) => {
      const open = () => {
        this.#awaited.delete(id);
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(open, CALL_LIMIT_MS);
      this.#awaited.set(id, open);
    });
  }
}

/** A person is watching: there is a status line. */
function isLive(world: World, options: PrintedRunOptions): boolean {
  const { on = 'stdout', speaks = false, onlyAsks = false } = options;
  return world[on].isTTY === true && world.env['TERM'] !== 'dumb' && !speaks && !onlyAsks;
}

function themeOn({ env, stdout, stderr }: World, on: 'stdout' | 'stderr'): Theme {
  const { isTTY } = on === 'stdout' ? stdout : stderr;
  return createTheme(themeFor({ color: wantsColor(env, isTTY === true), env }));
}
