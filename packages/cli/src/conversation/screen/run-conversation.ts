/** One conversation on a terminal: its parts, joined, from the first frame to the restored terminal. */

import { TurnwrightError } from '@turnwright/engine';
import type { Draft } from '@turnwright/terminal/editor/buffer.ts';
import type { ActionName } from '@turnwright/terminal/input/actions.ts';
import { createHighlighter, type Highlighter } from '@turnwright/terminal/markup/highlight.ts';
import type { Row } from '@turnwright/terminal/renderer/frame.ts';
import { wantsColor } from '@turnwright/terminal/text/style.ts';
import { createTheme, type Theme, themeFor } from '@turnwright/terminal/text/theme.ts';
import { oneLine } from '@turnwright/terminal/text/visible.ts';
import { mayProbe } from '@turnwright/terminal/text/width-probe.ts';
import { wrap } from '@turnwright/terminal/text/wrap.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { cost } from '../../words/units.ts';
import type { Env, World } from '../../world.ts';
import { createAsker } from '../ask/asker.ts';
import type { ConversationCommandContext, StatusLineChoice } from '../command-context.ts';
import { asCommand, completeCommand, runSlashCommand } from '../commands/index.ts';
import { questionOverlay } from '../commands/question.ts';
import { REAL_CLOCK } from '../conversation-clock.ts';
import { type ConversationState, isWorking } from '../conversation-state.ts';
import { TerminalConversation } from '../create-conversation.ts';
import type { Reduction } from '../reduce/step.ts';
import { createKeeper } from '../session/keeper.ts';
import { trackQuestions } from '../track-questions.ts';
import { drawDiff } from '../view/diff-of.ts';
import { createAttention } from './attention.ts';
import { Screen } from './conversation-screen.ts';
import { greeting } from './greeting.ts';
import { showKeys } from './key-list.ts';
import { createKeys } from './keys.ts';
import type { ConversationLaunch } from './launch.ts';
import { loadedRows } from './loaded.ts';
import { editDraft, openFile } from './outside.ts';
import { createOwnStatus } from './own-status.ts';
import { type MakeEditor, promptEditor, withPastes } from './prompt-editor.ts';
import { readLastItems } from './tail.ts';
import { mindTerminal } from './terminal-manners.ts';

/** Time that the session has to end, when the person leaves. */
const LEAVE_MS = 1_500;

export async function runConversation(world: World, launch: ConversationLaunch): Promise<ExitCode> {
  const { env, cwd } = world;
  let open: ScreenConversation | undefined;
  const editor = await promptEditor({
    cwd,
    env,
    isKept: isKept(launch),
    query: () => opened().query,
    complete: (line) => completeCommand(line, opened().context),
    placeholder: () => placeholder(opened().state, opened().keyOf('stash')),
    onProblem: (line) => opened().warn(line),
  });
  const opened = () => open as ScreenConversation;
  open = new ScreenConversation(world, launch, editor);
  return open.run();
}

const isKept = ({ options }: ConversationLaunch): boolean => options.persistSession !== false;

class ScreenConversation {
  readonly context: ConversationCommandContext;
  readonly #world: World;
  readonly #place: { readonly cwd: string; readonly env: Env };
  readonly #launch: ConversationLaunch;
  readonly #clock = REAL_CLOCK;
  readonly #theme: Theme;
  readonly #highlighter: Highlighter;
  readonly #screen: Screen;
  readonly #conversation: TerminalConversation;
  readonly #keeper: ReturnType<typeof createKeeper>;
  readonly #kept: Draft;
  readonly #attention: ReturnType<typeof createAttention>;
  #statusLine: StatusLineChoice;
  #ownStatus: ReturnType<typeof createOwnStatus> | undefined;
  readonly #keys: ReturnType<typeof createKeys>;
  readonly #manners: ReturnType<typeof mindTerminal>;
  readonly #left: Promise<ExitCode>;
  #leave: (code: ExitCode) => void = () => {};
  #isLeaving = false;
  #isOpenable = true;

  constructor(world: World, launch: ConversationLaunch, editor: MakeEditor) {
    const { settings, target, options } = launch;
    const { env, cwd } = world;
    const clock = this.#clock;
    this.#world = world;
    // Once: a folder that is removed meanwhile has no name.
    this.#place = { cwd, env };
    this.#launch = launch;
    this.#left = new Promise((resolve) => {
      this.#leave = resolve;
    });
    // A copy: its colours change in place once the terminal has answered what its background is.
    const color = wantsColor(env, true);
    this.#theme = { ...createTheme(themeFor({ color, env, setting: settings.theme })) };
    const { warn } = this;
    this.#keeper = createKeeper({ cwd, env, clock, isKept: isKept(launch), warn });
    const { queue, stash, ...kept } = this.#keeper.begin(target);
    this.#kept = kept;
    this.#highlighter = createHighlighter(this.#theme);
    this.#screen = this.#openScreen(editor);
    this.#attention = createAttention({ settings, env, emit: this.#screen.emit });
    this.#statusLine = settings;
    this.#ownStatus = this.#startStatus(settings);
    const asker = this.#openAsker();
    this.#conversation = new TerminalConversation({
      options: { ...options, ...asker, stderr: warn },
      target,
      queue,
      stash,
      clock,
      lend: (use) => this.#screen.lend(use),
      onStep: (step) => this.#onStep(step),
    });
    this.context = this.#makeContext();
    this.#keys = this.#makeKeys();
    this.#manners = mindTerminal(world, this.#screen, {
      interrupt: () => void this.#conversation.interrupt(),
      close: () => this.#conversation.close(),
      farewell: () => this.#farewell(),
    });
  }

  get query(): TerminalConversation['query'] {
    return this.#conversation.query;
  }

  get state(): TerminalConversation['state'] {
    return this.#conversation.state;
  }

  keyOf(action: ActionName): string {
    return this.#screen.bindings.keyOf(action);
  }

  warn = (line: string): void => {
    const rows = wrap(`! ${oneLine(line)}`, this.#screen.columns, { hang: '  ' });
    this.#screen.print(rows.map((row) => this.#theme.warn(row)));
  };

  /** Resolves when the person has left; rejects with what kept the session from opening. */
  async run(): Promise<ExitCode> {
    try {
      await this.#begin();
      const failed = this.#conversation.opened.then(
        () => new Promise<ExitCode>(() => {}),
        (error: unknown) => {
          this.#isOpenable = false;
          // The reason was printed already, as a line of `stderr`.
          if (error instanceof TurnwrightError && error.code === 'error_result') return EXIT.error;
          throw error;
        },
      );
      return await Promise.race([this.#left, failed]);
    } finally {
      this.#keep();
      this.#keeper.end();
      this.#ownStatus?.close();
      this.#screen.close();
      this.#manners.end();
      const line = this.#farewell();
      if (line !== undefined) await this.#world.out.write(`${line}\n`).catch(() => undefined);
    }
  }

  async #begin(): Promise<void> {
    const { cwd, env } = this.#place;
    const { settings, target, prompt } = this.#launch;
    const screen = this.#screen;
    const place = { cwd, home: env['HOME'], helpKey: screen.bindings.keyOf('help') };
    screen.print(greeting(place, screen.columns, this.#theme));
    await this.#printTail(target.resume);
    await this.#conversation.lookBack(target);
    if (this.#kept.text !== '') screen.editor.replace(this.#kept);
    screen.start();
    void this.#printLoaded();
    for (const problem of [...settings.problems, ...screen.bindings.problems]) this.warn(problem);
    if (prompt !== undefined) this.#submit({ text: prompt, images: [] }, 'prompt');
  }

  /** Unless the person is faster. */
  async #printLoaded(): Promise<void> {
    try {
      await this.#conversation.opened;
      const { context } = this;
      const rows = await loadedRows(this.#conversation.query, context, this.#screen.columns, this.#theme);
      const { phase, submission } = this.#conversation.state;
      if (phase === 'idle' && submission === undefined) this.#screen.print(rows);
    } catch {
      // The session does not open, which is said elsewhere, or has ended.
    }
  }

  #openScreen(editor: MakeEditor): Screen {
    const { keyboard, settings, mayAsk } = this.#launch;
    const { stdout, env, signals } = this.#world;
    return new Screen({
      keyboard,
      output: stdout,
      clock: this.#clock,
      theme: this.#theme,
      env,
      settings,
      mayAsk: mayAsk && mayProbe(env),
      editor,
      highlighter: this.#highlighter,
      diff: drawDiff,
      state: () => this.#conversation.state,
      onKey: (event, action) => this.#keys(event, action),
      onDraft: () => this.#keep(),
      restoreText: () => this.#attention.restoreText,
      onGone: () => void signals.depart(EXIT.hangup),
    });
  }

  #startStatus({ statusLine: setting }: StatusLineChoice): ReturnType<typeof createOwnStatus> | undefined {
    const show = this.#screen.setStatus;
    return setting && createOwnStatus({ setting, ...this.#place, clock: this.#clock, show, warn: this.warn });
  }

  #setStatusLine(choice: StatusLineChoice): void {
    this.#ownStatus?.close();
    this.#screen.setStatus(undefined);
    this.#screen.setStatusParts(choice.statusParts);
    this.#statusLine = choice;
    this.#ownStatus = this.#startStatus(choice);
    this.#ownStatus?.update(this.#conversation.state);
  }

  /** No word of an answer or of a command is cut. */
  #print = (lines: readonly Row[]): void =>
    this.#screen.print(lines.flatMap((line) => wrap(line, this.#screen.columns, { hang: '  ' })));

  #openAsker(): ReturnType<typeof trackQuestions> {
    const screen = this.#screen;
    const state = () => this.#conversation.state;
    const questions = createAsker({
      theme: this.#theme,
      highlighter: this.#highlighter,
      get state() {
        return state();
      },
      home: this.#world.env['HOME'],
      open: (overlay) => screen.overlays.open(overlay),
      print: this.#print,
      interrupt: () => void this.#conversation.interrupt(),
      keysOf: (action) => screen.bindings.keysOf(action),
    });
    return trackQuestions(questions, this.#clock, (event) => this.#conversation.dispatch(event));
  }

  #makeContext(): ConversationCommandContext {
    const screen = this.#screen;
    const conversation = this.#conversation;
    const theme = this.#theme;
    const { cwd, env } = this.#place;
    const statusLine = () => this.#statusLine;
    return {
      get query() {
        return conversation.query;
      },
      get options() {
        return conversation.options;
      },
      get state() {
        return conversation.state;
      },
      get columns() {
        return screen.columns;
      },
      get themeSetting() {
        return screen.themeSetting;
      },
      get statusLine() {
        return statusLine();
      },
      setStatusLine: (choice) => this.#setStatusLine(choice),
      cwd,
      env,
      theme,
      clock: this.#clock,
      echo: (line) => screen.print(['', theme.dim(`> ${oneLine(line)}`)]),
      print: this.#print,
      open: (overlay) => screen.overlays.open(overlay),
      view: (document) => screen.view(document),
      transcript: screen.transcript,
      setTheme: screen.setTheme,
      askSecret: (title) => screen.overlays.open(questionOverlay({ title, isSecret: true })),
      send: (text) => conversation.enter({ text, images: [] }),
      openFile: (path) => openFile(path, screen, { cwd, env, warn: this.warn }),
      edit: (text) => screen.editor.replace({ text, images: [] }),
      reopen: (target) => this.#reopen(target),
      queue: conversation.queue,
      emit: screen.emit,
      exit: () => void this.#exit(),
    };
  }

  #makeKeys(): ReturnType<typeof createKeys> {
    const screen = this.#screen;
    const { cwd, env } = this.#place;
    return createKeys({
      conversation: this.#conversation,
      screen,
      clock: this.#clock,
      submit: (draft, mode, how) => this.#submit(draft, mode, how),
      command: (line) => this.#submit({ text: line, images: [] }, 'prompt'),
      showKeys: () => void showKeys(this.context, screen.bindings),
      showTranscript: () => void screen.view(withPastes(screen.transcript(), screen.editor), 'end'),
      editOutside: () => void editDraft(screen, { cwd, env, warn: this.warn }),
      suspend: () => this.#manners.suspend(),
      leave: (how) => void this.#exit(how),
    });
  }

  #onStep(step: Reduction): void {
    this.#screen.step(step);
    this.#attention.update(step.state, this.#clock.monotonicMs(), this.#screen.lastKeyMs);
    this.#ownStatus?.update(step.state);
    this.#keep();
  }

  #keep(): void {
    this.#keeper.keep(this.#conversation.state, this.#screen.editor.draft);
  }

  #submit({ text: typed, images }: Draft, mode: 'prompt' | 'shell', how?: 'now'): void {
    const conversation = this.#conversation;
    const text = asCommand(typed);
    const send = () => conversation.enter({ text, images }, how);
    if (mode === 'shell') conversation.shell(typed);
    else if (!text.startsWith('/')) send();
    else
      void runSlashCommand(text, this.context).then((isRun) => {
        if (isRun) conversation.refresh();
        else send();
      });
  }

  async #reopen({ draft, ...target }: Parameters<ConversationCommandContext['reopen']>[0]): Promise<void> {
    await this.#conversation.reopen(target);
    if (target.isQuiet !== true) await this.#printTail(target.resume);
    await this.#conversation.lookBack(target);
    if (draft !== undefined) this.#screen.editor.replace({ text: draft, images: [] });
  }

  async #printTail(sessionId: string | undefined): Promise<void> {
    if (sessionId === undefined) return;
    const items = await readLastItems(sessionId, this.#place, this.#screen.keepItems);
    this.#screen.step({ items });
  }

  async #exit(how?: 'now'): Promise<void> {
    if (this.#isLeaving && how !== 'now') return;
    this.#isLeaving = true;
    this.#screen.overlays.closeAll();
    const closing = this.#conversation.close().catch(() => undefined);
    if (how !== 'now') await Promise.race([closing, this.#clock.sleep(LEAVE_MS)]);
    this.#leave(EXIT.success);
  }

  #farewell(): string | undefined {
    const { session, figures } = this.#conversation.state;
    if (!this.#isOpenable || !this.#keeper.hasSession(session.id)) return undefined;
    const before = figures.cost === undefined ? '' : `This session has cost ${cost(figures.cost)}.\n`;
    return `${before}Go on with: turnwright --resume ${session.id}`;
  }
}

/** What an empty prompt is for now. */
function placeholder(
  state: Pick<ConversationState, 'isCutOff' | 'phase' | 'queue' | 'questions' | 'stash'>,
  stashKey: string,
): string {
  // A question has all attention.
  if (state.phase === 'exiting' || state.questions > 0) return '';
  if (state.isCutOff) return 'Enter goes on with what was cut off';
  // The queue says what Enter does.
  if (state.queue.some(({ place }) => place === 'here')) return '';
  if (state.stash.length > 0 && stashKey !== '') return `${stashKey} brings back what you put aside`;
  return isWorking(state) ? 'Enter queues a prompt' : 'a prompt, a /command, an @file or a !command';
}
