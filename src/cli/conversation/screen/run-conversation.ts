/** One conversation on a terminal: its parts, joined, from the first frame to the restored terminal. */

import { TurnwrightError } from '../../../index.ts';
import type { Draft } from '../../../terminal/editor/buffer.ts';
import { createHighlighter } from '../../../terminal/markup/highlight.ts';
import { createMarkdown, markdownRows } from '../../../terminal/markup/markdown-stream.ts';
import { wantsColor } from '../../../terminal/text/style.ts';
import { createTheme, themeFor } from '../../../terminal/text/theme.ts';
import { oneLine } from '../../../terminal/text/visible.ts';
import { mayProbe } from '../../../terminal/text/width-probe.ts';
import { wrap } from '../../../terminal/text/wrap.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { cost } from '../../words/units.ts';
import type { World } from '../../world.ts';
import { createAsker } from '../ask/index.ts';
import { counted } from '../asking.ts';
import { REAL_CLOCK } from '../clock.ts';
import type { CommandContext } from '../command-context.ts';
import { asCommand, completeCommand, rewind, runCommand } from '../commands/index.ts';
import { questionOverlay } from '../commands/question.ts';
import { createConversation } from '../conversation.ts';
import type { Conversation } from '../conversation-interface.ts';
import type { Step } from '../reduce/step.ts';
import { createKeeper } from '../session/keeper.ts';
import { diffOf } from '../view/diff-of.ts';
import { createAttention } from './attention.ts';
import { greeting } from './greeting.ts';
import { showKeys } from './key-list.ts';
import { createKeys } from './keys.ts';
import type { Launch } from './launch.ts';
import { editDraft, openFile } from './outside.ts';
import { createOwnStatus } from './own-status.ts';
import { placeholder } from './placeholder.ts';
import { promptEditor, withPastes } from './prompt-editor.ts';
import { createScreen, type Screen } from './screen.ts';
import { tailOf } from './tail.ts';
import { mindTerminal } from './terminal-manners.ts';

/** Time that the session has to end, when the person leaves. */
const LEAVE_MS = 1_500;

export async function runConversation(world: World, launch: Launch): Promise<ExitCode> {
  const { keyboard, settings, target, prompt } = launch;
  const clock = REAL_CLOCK;
  const { env, cwd } = world;
  // A copy: its colours change in place once the terminal has answered what its background is.
  const theme = { ...createTheme(themeFor({ color: wantsColor(env, true), env, setting: settings.theme })) };
  const highlighter = createHighlighter(theme);
  const isKept = launch.options.persistSession !== false;
  const keeper = createKeeper({ cwd, env, clock, isKept, warn });
  const kept = keeper.begin(target);
  let leave: (code: ExitCode) => void = () => {};
  const left = new Promise<ExitCode>((resolve) => {
    leave = resolve;
  });
  let isLeaving = false;
  let isOpenable = true;

  const screen: Screen = createScreen({
    keyboard,
    output: world.stdout,
    clock,
    theme,
    env,
    settings,
    mayAsk: launch.mayAsk && mayProbe(env),
    editor: await promptEditor({
      cwd,
      env,
      isKept,
      query: () => conversation.query,
      complete: (line) => completeCommand(line, context),
      placeholder: () => placeholder(conversation.state),
      onProblem: warn,
    }),
    markdown: () => createMarkdown({ theme, highlighter }),
    diff: diffOf,
    state: () => conversation.state,
    onKey: (event, action) => keys(event, action),
    onDraft: () => keep(),
    restoreText: () => attention.restoreText,
    onGone: () => void world.signals.depart(EXIT.hangup),
  });
  const attention = createAttention({
    title: settings.terminalTitle,
    bell: settings.terminalBell,
    emit: screen.emit,
  });
  const ownStatus =
    settings.statusLine &&
    createOwnStatus({ setting: settings.statusLine, cwd, env, clock, show: screen.setStatus, warn });
  function warn(line: string): void {
    const rows = wrap(`! ${oneLine(line)}`, screen.columns, { hang: '  ' });
    screen.print(rows.map((row) => theme.warn(row)));
  }
  const questions = createAsker({
    theme,
    get state() {
      return conversation.state;
    },
    home: env['HOME'],
    open: (overlay) => screen.overlays.open(overlay),
    print: (lines) => screen.print(lines.flatMap((line) => wrap(line, screen.columns, { hang: '  ' }))),
    interrupt: () => void conversation.interrupt(),
    keysOf: (action) => screen.bindings.keysOf(action),
    markdown: (text, columns) => markdownRows(text, columns, { theme, highlighter }),
  });
  const asker = counted(questions, clock, (event) => conversation.dispatch(event));
  const conversation: Conversation = createConversation({
    options: { ...launch.options, ...asker, stderr: warn },
    target,
    queue: kept.queue,
    clock,
    onStep,
  });
  function onStep(step: Step): void {
    screen.step(step);
    attention.update(step.state);
    ownStatus?.update(step.state);
    keep();
  }
  function keep(): void {
    keeper.keep(conversation.state, screen.editor.draft);
  }
  const exit = async (how?: 'now') => {
    if (isLeaving && how !== 'now') return;
    isLeaving = true;
    screen.overlays.closeAll();
    const closing = conversation.close().catch(() => undefined);
    if (how !== 'now') await Promise.race([closing, clock.sleep(LEAVE_MS)]);
    leave(EXIT.success);
  };
  const submit = ({ text: typed, images }: Draft, mode: 'prompt' | 'shell', how?: 'now') => {
    if (mode === 'shell') return conversation.shell(typed);
    const text = asCommand(typed);
    if (!text.startsWith('/')) return conversation.enter({ text, images }, how);
    void runCommand(text, context).then((isRun) => {
      if (isRun) conversation.refresh();
      else conversation.enter({ text, images }, how);
    });
  };
  const context: CommandContext = {
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
    cwd,
    env,
    theme,
    clock,
    echo: (line) => screen.print(['', theme.dim(`> ${oneLine(line)}`)]),
    print: screen.print,
    open: (overlay) => screen.overlays.open(overlay),
    view: (document) => screen.view(document),
    transcript: screen.transcript,
    get themeSetting() {
      return screen.themeSetting;
    },
    setTheme: screen.setTheme,
    askSecret: (title) => screen.overlays.open(questionOverlay({ title, isSecret: true })),
    send: (text) => conversation.enter({ text, images: [] }),
    openFile: (path) => openFile(path, screen, { cwd, env, warn }),
    edit: (text) => screen.editor.replace({ text, images: [] }),
    async reopen({ draft, ...next }) {
      await conversation.reopen(next);
      if (next.isQuiet !== true) await printTail(next.resume);
      await conversation.lookBack(next);
      if (draft !== undefined) screen.editor.replace({ text: draft, images: [] });
    },
    queue: conversation.queue,
    emit: screen.emit,
    exit: () => void exit(),
  };
  const printTail = async (sessionId: string | undefined) => {
    if (sessionId !== undefined)
      screen.step({ state: conversation.state, items: await tailOf(sessionId, { cwd, env }) });
  };
  const keys = createKeys({
    conversation,
    screen,
    clock,
    submit,
    showKeys: () => void showKeys(context, screen.bindings),
    showTranscript: () => void screen.view(withPastes(screen.transcript(), screen.editor), 'end'),
    editOutside: () => void editDraft(screen, { cwd, env, warn }),
    rewind: () => void rewind(context),
    suspend: () => manners.suspend(),
    leave: (how) => void exit(how),
  });
  const manners = mindTerminal(world, screen, {
    interrupt: () => void conversation.interrupt(),
    close: () => conversation.close(),
    farewell: () => farewell(conversation.state.session.id),
  });

  try {
    const place = { cwd, home: env['HOME'], helpKey: screen.bindings.keyOf('help') };
    screen.print(greeting(place, screen.columns, theme));
    await printTail(target.resume);
    await conversation.lookBack(target);
    if (kept.text !== '') screen.editor.replace(kept);
    screen.start();
    for (const problem of [...settings.problems, ...screen.bindings.problems]) warn(problem);
    if (prompt !== undefined) submit({ text: prompt, images: [] }, 'prompt');
    const failed = conversation.opened.then(
      () => new Promise<ExitCode>(() => {}),
      (error: unknown) => {
        isOpenable = false;
        // The reason was printed already, as a line of `stderr`.
        if (error instanceof TurnwrightError && error.code === 'error_result') return EXIT.error;
        throw error;
      },
    );
    return await Promise.race([left, failed]);
  } finally {
    keep();
    keeper.end();
    ownStatus?.close();
    screen.close();
    manners.end();
    const line = farewell(conversation.state.session.id);
    if (line !== undefined) await world.out.write(`${line}\n`).catch(() => undefined);
  }

  function farewell(id: string): string | undefined {
    if (!isOpenable || !keeper.hasSession(id)) return undefined;
    const spent = conversation.state.figures.cost;
    const before = spent === undefined ? '' : `This session has cost ${cost(spent)}.\n`;
    return `${before}Go on with: turnwright --resume ${id}`;
  }
}
