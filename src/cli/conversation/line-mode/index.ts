/**
 * The conversation without a screen: for screen readers, dumb terminals and tiny windows. Every line is
 * written once, questions are numbered lists, and the terminal itself edits what is typed.
 */
import type { Draft } from '../../../terminal/editor/buffer.ts';
import { createTheme } from '../../../terminal/text/theme.ts';
import { oneLine } from '../../../terminal/text/visible.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { askSecret } from '../../run/ask-secret.ts';
import type { World } from '../../world.ts';
import { type ConversationClock, REAL_CLOCK } from '../clock.ts';
import type { CommandContext } from '../command-context.ts';
import { asCommand, runCommand } from '../commands/index.ts';
import { createConversation } from '../conversation.ts';
import type { Conversation } from '../conversation-interface.ts';
import type { Launch } from '../screen/launch.ts';
import { tailOf } from '../screen/tail.ts';
import { createKeeper } from '../session/keeper.ts';
import { type ConversationState, isWorking, taskOf } from '../state.ts';
import { createLineAsker } from './line-asker.ts';
import { createLineInput } from './line-input.ts';
import { documentLines, openInLines } from './line-overlays.ts';
import { ItemLines, plainText } from './item-lines.ts';
import { LineWriter } from './line-writer.ts';
import type { LineDialog } from './numbered.ts';
import { createPatience } from './patience.ts';
import { spokenLines } from './spoken-items.ts';

/** Resolves when the person has left. */
export async function runLineMode(world: World, launch: Launch): Promise<ExitCode> {
  const { keyboard } = launch;
  const mode = createLineMode({
    launch,
    clock: REAL_CLOCK,
    input: keyboard,
    isEchoed: keyboard.isTTY === true,
    write: (text) => void world.out.write(text).catch(() => undefined),
    askSecret: (question) => askSecret(`${question}: `, keyboard, world),
  });
  const detach = world.signals.attach({
    interrupt: mode.interrupt,
    close: mode.leave,
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
  readonly launch: Pick<Launch, 'options' | 'target' | 'prompt'> & { readonly settings?: Launch['settings'] };
  readonly clock: ConversationClock;
  readonly input: NodeJS.ReadableStream;
  /** The terminal shows what is typed, the end of the line included. */
  readonly isEchoed: boolean;
  write(text: string): void;
  /** Reads a line without showing it; the caller stops reading meanwhile. Default: there is no such way. */
  readonly askSecret?: (question: string) => Promise<string | undefined>;
  /** Runs a line that begins with a slash. False: it is a prompt. Default the conversation's commands. */
  readonly runCommand?: typeof runCommand | undefined;
}

interface LineMode {
  /** Ctrl-C. */
  interrupt(): void;
  leave(): Promise<void>;
  /** Resolves when the conversation is over; rejects with what kept its session from opening. */
  readonly left: Promise<void>;
}

/** Two Ctrl-C within this time leave. */
const TWICE_MS = 1_000;
const INTRO =
  'Turnwright, line by line. Type a prompt and Enter; a backslash at the end continues the line. /help lists commands, Ctrl-C interrupts, Ctrl-D leaves.';

export function createLineMode({
  launch,
  clock,
  input,
  isEchoed,
  write,
  askSecret: readSecret = async () => undefined,
  runCommand: run = runCommand,
}: LineModeParts): LineMode {
  const writer = new LineWriter(write);
  const dialog: LineDialog = {
    line: writer.say,
    prompt: writer.prompt,
    input: { next: (signal) => readNext(signal) },
    nowMs: () => clock.monotonicMs(),
  };
  const items = new ItemLines({
    line: writer.line,
    text: plainText(),
    linesOf: (item) => spokenLines(item, conversation.state.session.cwd),
  });
  const asker = createLineAsker({
    dialog,
    endLine: items.endLine,
    taskOf: (id) => taskOf(conversation.state, id),
    onQuestion(change, about) {
      if (change === 1) writer.hold();
      conversation.dispatch({ kind: 'question', change, ...about });
      if (change === -1) writer.release();
    },
  });
  const patience = createPatience(clock, writer.line, () => conversation.state);
  let isLeaving = false;
  let isEntering = false;
  let wasWorking = false;
  let draft: Draft | undefined;
  let commands = 0;
  let hasPrompts = launch.target.resume !== undefined;
  let lastInterruptMs = Number.NEGATIVE_INFINITY;
  let unfinished = '';

  const invite = () => {
    if (!isWorking(conversation.state) && commands === 0 && !isLeaving) writer.prompt('> ');
  };
  const { cwd = '.', env = {}, persistSession } = launch.options;
  const warn = (sentence: string) => writer.line(`Warning: ${sentence}`);
  const keeper = createKeeper({ cwd, env, clock, isKept: persistSession !== false, warn });
  const kept = keeper.begin(launch.target);
  const keep = () => {
    const typed = unfinished === '' ? draft : { text: unfinished, images: [] };
    keeper.keep(conversation.state, typed ?? { text: '', images: [] });
  };
  const conversation: Conversation = createConversation({
    options: { ...launch.options, ...asker, stderr: warn },
    target: launch.target,
    queue: kept.queue,
    clock,
    onStep(step) {
      // What was just typed is on the screen already.
      items.add(isEntering ? step.items.filter(({ kind }) => kind !== 'prompt') : step.items);
      patience.observe(step.state);
      const works = isWorking(step.state);
      if (wasWorking && !works) {
        items.endLine();
        sayHeld(step.state);
        wasWorking = false;
        invite();
      }
      wasWorking = works;
      keep();
    },
  });
  /** The end of the conversation that is continued; notes of it are about the screen. */
  const sayTail = async (sessionId: string | undefined) => {
    if (sessionId === undefined) return;
    const said = await tailOf(sessionId, { cwd, env });
    items.add(said.filter(({ kind }) => kind !== 'note'));
  };
  const sayHeld = ({ queue }: ConversationState) => {
    const [first] = queue.filter(({ place }) => place === 'here');
    if (first !== undefined) writer.line(`Enter sends the queued prompt: ${oneLine(first.text)}`);
  };
  const offer = (given: Draft) => {
    draft = given;
    writer.line(`Enter sends this prompt; another line replaces it: ${given.text}`);
  };
  const enter = (text: string, images: Draft['images'] = []) => {
    isEntering = true;
    hasPrompts = true;
    const isQueued = isWorking(conversation.state);
    conversation.enter({ text, images });
    isEntering = false;
    if (isQueued) writer.line(`Queued as number ${conversation.state.queue.length}.`);
  };
  const onLine = (line: string) => {
    writer.typed(isEchoed);
    if (/(?:^|[^\\])\\$/.test(line)) {
      unfinished += `${line.slice(0, -1)}\n`;
      return keep();
    }
    const text = asCommand(`${unfinished}${line}`.trim());
    unfinished = '';
    if (text === '') return onEmptyLine();
    draft = undefined;
    keep();
    if (text.startsWith('!')) conversation.shell(text.slice(1).trim());
    else if (text.startsWith('/')) void command(text);
    else enter(text);
  };
  const onEmptyLine = () => {
    if (draft !== undefined) {
      const { text, images } = draft;
      draft = undefined;
      enter(text, images);
    } else if (!isWorking(conversation.state) && !conversation.sendHeld()) invite();
  };
  const command = async (text: string) => {
    commands += 1;
    try {
      if (!(await run(text, context))) enter(text);
    } catch (error) {
      writer.line(`Error: ${error instanceof Error ? error.message : String(error)}`);
    } finally {
      commands -= 1;
      invite();
    }
  };
  const context: CommandContext = {
    get query() {
      return conversation.query;
    },
    get options() {
      return conversation.options;
    },
    get cwd() {
      return conversation.state.session.cwd;
    },
    env,
    theme: createTheme('none'),
    clock,
    columns: 100,
    get state() {
      return conversation.state;
    },
    print: (lines) => lines.forEach(writer.line),
    open: (overlay) => openInLines(overlay, dialog),
    view: async (document) => documentLines(document).forEach(writer.line),
    transcript: () => ({ title: 'Transcript', parts: [{ heading: '', lines: writer.written() }] }),
    themeSetting: undefined,
    setTheme: () => {},
    askSecret: (question) => lines.lend(() => readSecret(question)),
    send: enter,
    echo: () => {},
    openFile: async (path) => writer.line(`Change it with your own editor: ${path}`),
    edit: (text) => offer({ text, images: [] }),
    async reopen({ draft: text, ...target }) {
      await conversation.reopen(target);
      if (target.isQuiet !== true) await sayTail(target.resume);
      await conversation.lookBack(target);
      if (text !== undefined) context.edit(text);
    },
    queue: conversation.queue,
    emit: write,
    exit: () => void leave(),
  };

  const lines = createLineInput(input, (line) => onLine(line));
  const readNext = async (signal: AbortSignal | undefined) => {
    const line = await lines.next(signal);
    writer.typed(isEchoed);
    return line;
  };
  let done = () => {};
  const isDone = new Promise<void>((resolve) => {
    done = resolve;
  });
  const leave = async () => {
    if (isLeaving) return;
    isLeaving = true;
    items.endLine();
    lines.close();
    patience.stop();
    const { id } = conversation.state.session;
    await conversation.close();
    keep();
    keeper.end();
    if (hasPrompts) writer.line(`To go on with this conversation: turnwright --resume ${id}`);
    done();
  };
  void lines.ended.then(leave);
  writer.line(INTRO);
  for (const problem of launch.settings?.problems ?? []) warn(problem);
  const tail = sayTail(launch.target.resume).then(() => conversation.lookBack(launch.target));
  const opened = Promise.all([conversation.opened, tail]).then(() => {
    const { prompt = '' } = launch;
    if (kept.text !== '') offer(kept);
    else sayHeld(conversation.state);
    if (prompt.startsWith('/')) void command(prompt);
    else if (prompt === '') invite();
    else {
      hasPrompts = true;
      conversation.enter({ text: prompt, images: [] });
    }
  });

  return {
    interrupt() {
      const nowMs = clock.monotonicMs();
      const isSecond = nowMs - lastInterruptMs < TWICE_MS;
      lastInterruptMs = nowMs;
      unfinished = '';
      writer.interrupted(isEchoed);
      if (isSecond) void leave();
      else if (conversation.goOnWithoutServers()) writer.line('Going on without them. Ctrl-C again leaves.');
      else if (conversation.interrupt()) writer.line('Interrupting. Ctrl-C again leaves.');
      else {
        writer.line('Ctrl-C again leaves.');
        invite();
      }
    },
    leave,
    left: opened.then(() => isDone),
  };
}
