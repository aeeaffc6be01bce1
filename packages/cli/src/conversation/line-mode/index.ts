/**
 * The conversation without a screen: for screen readers, dumb terminals and tiny windows. Every line is
 * written once, questions are numbered lists, and the terminal itself edits what is typed.
 */
import type { Draft } from '@turnwright/terminal/editor/buffer.ts';
import { createTheme } from '@turnwright/terminal/text/theme.ts';
import { oneLine } from '@turnwright/terminal/text/visible.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { askSecret } from '../../run/ask-secret.ts';
import type { Env, World } from '../../world.ts';
import type { ConversationCommandContext } from '../command-context.ts';
import { asCommand, runSlashCommand } from '../commands/index.ts';
import { type ConversationClock, REAL_CLOCK } from '../conversation-clock.ts';
import { isWorking, taskOf } from '../conversation-state.ts';
import { TerminalConversation } from '../create-conversation.ts';
import type { Reduction } from '../reduce/step.ts';
import type { ConversationLaunch } from '../screen/launch.ts';
import { readLastItems } from '../screen/tail.ts';
import { createKeeper } from '../session/keeper.ts';
import { ItemLines, plainText } from './item-lines.ts';
import { createLineAsker } from './line-asker.ts';
import { createLineInput, type LineInput } from './line-input.ts';
import { documentLines, openInLines } from './line-overlays.ts';
import { LineWriter } from './line-writer.ts';
import type { LineDialog } from './numbered.ts';
import { createPatience } from './patience.ts';
import { spokenLines } from './spoken-items.ts';

/** Resolves when the person has left. */
export async function runLineMode(world: World, launch: ConversationLaunch): Promise<ExitCode> {
  const { keyboard } = launch;
  const mode = new LineMode({
    launch,
    clock: REAL_CLOCK,
    input: keyboard,
    isEchoed: keyboard.isTTY === true,
    write: (text) => void world.out.write(text).catch(() => undefined),
    askSecret: (question) => askSecret(`${question}: `, keyboard, world),
  });
  const detach = world.signals.attach({
    interrupt: () => mode.interrupt(),
    close: () => mode.leave(),
    everyInterrupt: true,
  });
  try {
    await mode.left;
    return EXIT.success;
  } finally {
    detach();
  }
}

interface LineModeParts {
  readonly launch: Pick<ConversationLaunch, 'options' | 'target' | 'prompt'> & {
    readonly settings?: ConversationLaunch['settings'];
  };
  readonly clock: ConversationClock;
  readonly input: NodeJS.ReadableStream;
  /** The terminal shows what is typed, the end of the line included. */
  readonly isEchoed: boolean;
  write(text: string): void;
  /** Reads a line without showing it; the caller stops reading meanwhile. Default: there is no such way. */
  readonly askSecret?: (question: string) => Promise<string | undefined>;
  /** Runs a line that begins with a slash. False: it is a prompt. Default the conversation's commands. */
  readonly runCommand?: typeof runSlashCommand | undefined;
}

/** Two Ctrl-C within this time leave. */
const TWICE_MS = 1_000;
const INTRO =
  'Turnwright, line by line. Type a prompt and Enter; a backslash at the end continues the line. /help lists commands, Ctrl-C interrupts, Ctrl-D leaves.';

export class LineMode {
  /** Resolves when the conversation is over; rejects with what kept its session from opening. */
  readonly left: Promise<void>;
  readonly #parts: LineModeParts;
  readonly #place: { readonly cwd: string; readonly env: Env };
  readonly #writer: LineWriter;
  readonly #items: ItemLines;
  readonly #lines: LineInput;
  readonly #conversation: TerminalConversation;
  readonly #keeper: ReturnType<typeof createKeeper>;
  readonly #patience: ReturnType<typeof createPatience>;
  readonly #dialog: LineDialog;
  readonly #context: ConversationCommandContext;
  #isLeaving = false;
  #isEntering = false;
  #wasWorking = false;
  #hasPrompts: boolean;
  /** A prompt that Enter sends. */
  #draft: Draft | undefined;
  /** Lines before this one that end with a backslash. */
  #unfinished = '';
  /** Commands that run. */
  #commands = 0;
  #lastInterruptMs = Number.NEGATIVE_INFINITY;
  #done = () => {};

  constructor(parts: LineModeParts) {
    const { launch, clock, input, write } = parts;
    const { cwd = '.', env = {}, persistSession } = launch.options;
    this.#parts = parts;
    this.#place = { cwd, env };
    this.#hasPrompts = launch.target.resume !== undefined;
    this.#writer = new LineWriter(write);
    this.#items = new ItemLines({
      line: this.#writer.line,
      text: plainText(),
      linesOf: (item) => spokenLines(item, this.#conversation.state.session.cwd),
    });
    this.#dialog = {
      line: this.#writer.say,
      prompt: this.#writer.prompt,
      input: { next: (signal) => this.#nextLine(signal) },
      nowMs: () => clock.monotonicMs(),
    };
    this.#patience = createPatience(clock, this.#writer.line, () => this.#conversation.state);
    this.#keeper = createKeeper({ cwd, env, clock, isKept: persistSession !== false, warn: this.#warn });
    const kept = this.#keeper.begin(launch.target);
    this.#conversation = new TerminalConversation({
      options: { ...launch.options, ...this.#asker(), stderr: this.#warn },
      target: launch.target,
      queue: kept.queue,
      clock,
      onStep: (step) => this.#onStep(step),
    });
    this.#context = this.#makeContext();
    this.#lines = createLineInput(input, (line) => this.#onLine(line));
    const isDone = new Promise<void>((resolve) => {
      this.#done = resolve;
    });
    void this.#lines.ended.then(() => this.leave());
    this.left = this.#begin(kept).then(() => isDone);
  }

  /** Ctrl-C. */
  interrupt(): void {
    const { clock, isEchoed } = this.#parts;
    const nowMs = clock.monotonicMs();
    const isSecond = nowMs - this.#lastInterruptMs < TWICE_MS;
    this.#lastInterruptMs = nowMs;
    this.#unfinished = '';
    this.#writer.interrupted(isEchoed);
    if (isSecond) void this.leave();
    else if (this.#conversation.goOnWithoutServers())
      this.#writer.line('Going on without them. Ctrl-C again leaves.');
    else if (this.#conversation.interrupt()) this.#writer.line('Interrupting. Ctrl-C again leaves.');
    else {
      this.#writer.line('Ctrl-C again leaves.');
      this.#invite();
    }
  }

  async leave(): Promise<void> {
    if (this.#isLeaving) return;
    this.#isLeaving = true;
    this.#items.endLine();
    this.#lines.close();
    this.#patience.stop();
    const { id } = this.#conversation.state.session;
    await this.#conversation.close();
    this.#keep();
    this.#keeper.end();
    if (this.#hasPrompts) this.#writer.line(`To go on with this conversation: turnwright --resume ${id}`);
    this.#done();
  }

  async #begin(kept: Draft): Promise<void> {
    const { prompt = '', settings, target } = this.#parts.launch;
    this.#writer.line(INTRO);
    for (const problem of settings?.problems ?? []) this.#warn(problem);
    const tail = this.#sayTail(target.resume).then(() => this.#conversation.lookBack(target));
    await Promise.all([this.#conversation.opened, tail]);
    if (kept.text !== '') this.#offer(kept);
    else this.#sayHeld();
    if (prompt.startsWith('/')) void this.#command(prompt);
    else if (prompt === '') this.#invite();
    else {
      this.#hasPrompts = true;
      this.#conversation.enter({ text: prompt, images: [] });
    }
  }

  #onStep({ state, items }: Reduction): void {
    // What was just typed is on the screen already.
    this.#items.add(this.#isEntering ? items.filter(({ kind }) => kind !== 'prompt') : items);
    this.#patience.observe(state);
    const works = isWorking(state);
    if (this.#wasWorking && !works) {
      this.#items.endLine();
      this.#sayHeld();
      this.#wasWorking = false;
      this.#invite();
    }
    this.#wasWorking = works;
    this.#keep();
  }

  #onLine(line: string): void {
    this.#writer.typed(this.#parts.isEchoed);
    if (/(?:^|[^\\])\\$/.test(line)) {
      this.#unfinished += `${line.slice(0, -1)}\n`;
      this.#keep();
      return;
    }
    const text = asCommand(`${this.#unfinished}${line}`.trim());
    this.#unfinished = '';
    if (text === '') this.#onEmptyLine();
    else this.#onText(text);
  }

  #onText(text: string): void {
    this.#draft = undefined;
    this.#keep();
    if (text.startsWith('!')) this.#conversation.shell(text.slice(1).trim());
    else if (text.startsWith('/')) void this.#command(text);
    else this.#enter(text);
  }

  #onEmptyLine(): void {
    if (this.#draft !== undefined) {
      const { text, images } = this.#draft;
      this.#draft = undefined;
      this.#enter(text, images);
    } else if (!isWorking(this.#conversation.state) && !this.#conversation.sendHeld()) this.#invite();
  }

  #enter(text: string, images: Draft['images'] = []): void {
    this.#isEntering = true;
    this.#hasPrompts = true;
    const isQueued = isWorking(this.#conversation.state);
    this.#conversation.enter({ text, images });
    this.#isEntering = false;
    if (isQueued) this.#writer.line(`Queued as number ${this.#conversation.state.queue.length}.`);
  }

  async #command(text: string): Promise<void> {
    const { runCommand: run = runSlashCommand } = this.#parts;
    this.#commands += 1;
    try {
      if (!(await run(text, this.#context))) this.#enter(text);
    } catch (error) {
      this.#writer.line(`Error: ${error instanceof Error ? error.message : String(error)}`);
    } finally {
      this.#commands -= 1;
      this.#invite();
    }
  }

  #warn = (sentence: string): void => this.#writer.line(`Warning: ${sentence}`);

  #invite(): void {
    const isBusy = isWorking(this.#conversation.state) || this.#commands > 0;
    if (!isBusy && !this.#isLeaving) this.#writer.prompt('> ');
  }

  #keep(): void {
    const { state } = this.#conversation;
    const typed = this.#unfinished === '' ? this.#draft : { text: this.#unfinished, images: [] };
    this.#keeper.keep(state, typed ?? { text: '', images: [] });
  }

  /** The end of the conversation that is continued; its first note is about the screen. */
  async #sayTail(sessionId: string | undefined): Promise<void> {
    if (sessionId === undefined) return;
    const said = await readLastItems(sessionId, this.#place);
    this.#items.add(said[0]?.kind === 'note' ? said.slice(1) : said);
  }

  #sayHeld(): void {
    const first = this.#conversation.state.queue.find(({ place }) => place === 'here');
    if (first !== undefined) this.#writer.line(`Enter sends the queued prompt: ${oneLine(first.text)}`);
  }

  #offer(given: Draft): void {
    this.#draft = given;
    this.#writer.line(`Enter sends this prompt; another line replaces it: ${given.text}`);
  }

  async #nextLine(signal: AbortSignal | undefined): Promise<string | undefined> {
    const line = await this.#lines.next(signal);
    this.#writer.typed(this.#parts.isEchoed);
    return line;
  }

  #asker(): ReturnType<typeof createLineAsker> {
    return createLineAsker({
      dialog: this.#dialog,
      endLine: this.#items.endLine,
      taskOf: (id) => taskOf(this.#conversation.state, id),
      modeBeforePlan: () => this.#conversation.state.session.modeBeforePlan,
      onQuestion: (change, about) => {
        if (change === 1) this.#writer.hold();
        this.#conversation.dispatch({ kind: 'question', change, ...about });
        if (change === -1) this.#writer.release();
      },
    });
  }

  async #reopen({ draft, ...target }: Parameters<ConversationCommandContext['reopen']>[0]): Promise<void> {
    await this.#conversation.reopen(target);
    if (target.isQuiet !== true) await this.#sayTail(target.resume);
    await this.#conversation.lookBack(target);
    if (draft !== undefined) this.#offer({ text: draft, images: [] });
  }

  #makeContext(): ConversationCommandContext {
    const writer = this.#writer;
    const conversation = this.#conversation;
    const { clock, write, askSecret = async () => undefined } = this.#parts;
    return {
      get query() {
        return conversation.query;
      },
      get options() {
        return conversation.options;
      },
      get cwd() {
        return conversation.state.session.cwd;
      },
      get state() {
        return conversation.state;
      },
      env: this.#place.env,
      theme: createTheme('none'),
      clock,
      columns: 100,
      print: (lines) => lines.forEach(writer.line),
      open: (overlay) => openInLines(overlay, this.#dialog),
      view: async (document) => documentLines(document).forEach(writer.line),
      transcript: () => ({ title: 'Transcript', parts: [{ heading: '', lines: writer.written() }] }),
      themeSetting: undefined,
      setTheme: () => {},
      statusLine: undefined,
      setStatusLine: () => {},
      askSecret: (question) => this.#lines.lend(() => askSecret(question)),
      send: (text) => this.#enter(text),
      echo: () => {},
      openFile: async (path) => writer.line(`Change it with your own editor: ${path}`),
      edit: (text) => this.#offer({ text, images: [] }),
      reopen: (target) => this.#reopen(target),
      queue: conversation.queue,
      emit: write,
      exit: () => void this.leave(),
    };
  }
}
