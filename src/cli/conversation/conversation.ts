/**
 * A conversation without its screen: the session, the prompts that wait, interrupts, the person's own
 * commands. What happens leaves it as steps: the next state, and items for the transcript.
 */
import { randomUUID } from 'node:crypto';
import type { PermissionMode, SDKMessage } from '../../index.ts';
import { errorText } from '../../util/text/error-text.ts';
import type { ReopenTarget } from './command-context.ts';
import type { Conversation, ConversationOptions, NewPrompt } from './conversation-interface.ts';
import { type ConversationEvent, reduce } from './reduce/reduce.ts';
import { createCacheBreaks } from './session/cache-breaks.ts';
import { changesFigures, createFigureReader } from './session/figures.ts';
import { foundIn } from './session/resume-point.ts';
import { openSession, type SessionDriver } from './session/session-driver.ts';
import { runShell, type ShellRun, shellPrompt } from './session/shell-command.ts';
import { type ConversationState, isWorking, type QueuedPrompt, startingState } from './state.ts';

const MODES: readonly PermissionMode[] = ['default', 'acceptEdits', 'plan'];

export function createConversation({
  options: base,
  target,
  queue = [],
  clock,
  onStep,
}: ConversationOptions): Conversation {
  const { cwd = '.', env = {} } = base;
  let state: ConversationState = { ...startingState(clock.monotonicMs(), { cwd }), queue };
  let firstId = base.sessionId;
  let options = base;
  let driver: SessionDriver;
  let shell: { readonly id: string; readonly run: ShellRun } | undefined;
  /** Entered while a command of the person's own runs, whose output comes first. */
  let behindShell: { readonly prompt: QueuedPrompt; readonly how: 'now' | undefined }[] = [];
  /** uuids that the session has seen: it takes none twice. */
  const sent = new Set<string>();
  /** uuids that are being withdrawn by an edit of the queue. */
  const withdrawn = new Set<string>();
  let hasBegun = false;
  let isEnded = false;
  let goOn = () => {};

  const dispatch = (event: ConversationEvent) => {
    const step = reduce(state, event, clock.monotonicMs());
    if (step.state === state && step.items.length === 0) return;
    state = step.state;
    onStep(step);
  };
  const figures = createFigureReader(
    () => (isEnded ? undefined : driver.query),
    (known) => dispatch({ kind: 'figures', figures: known }),
  );
  const learnModel = async () => {
    const { applied } = await driver.query.getSettings();
    if (applied.model !== state.session.model)
      dispatch({ kind: 'opened', session: { model: applied.model } });
  };
  const cacheBreaks = createCacheBreaks({
    env,
    onFigure: (cache) => dispatch({ kind: 'figures', figures: { cache } }),
  });
  const onMessage = (message: SDKMessage) => {
    const isEdit = message.type === 'command_lifecycle' && withdrawn.has(message.command_uuid);
    if (!isEdit) dispatch({ kind: 'message', message });
    if (message.type === 'system' && message.subtype === 'init') hasBegun = true;
    if (changesFigures(message)) figures.refresh();
    cacheBreaks(message, state);
  };

  const open = ({ resume, resumeSessionAt, forkSession, carryOn }: ReopenTarget): Promise<void> => {
    const isNew = resume === undefined || forkSession === true;
    const id = isNew ? (firstId ?? randomUUID()) : resume;
    firstId = undefined;
    state = { ...state, session: { ...state.session, id } };
    options = {
      ...base,
      continue: undefined,
      resume,
      resumeSessionAt,
      forkSession,
      carryOn,
      sessionId: isNew ? id : undefined,
      onMcpWait(waiting) {
        if (driver !== opening) return;
        goOn = waiting.goOn;
        dispatch({ kind: 'serversAwaited', servers: waiting.servers });
      },
    };
    hasBegun = !isNew || resume !== undefined;
    isEnded = false;
    sent.clear();
    const opening = openSession(options, onMessage);
    driver = opening;
    void opening.ended.then((failure) => {
      // A session that does not open is reported by `opened`.
      if (driver !== opening || failure === undefined) return;
      isEnded = true;
      dispatch({ kind: 'failed', sentence: errorText(failure.error) });
    });
    return learn(opening, id);
  };
  const learn = async ({ query }: SessionDriver, id: string): Promise<void> => {
    const [settings, session] = await Promise.all([query.getSettings(), query.initializationResult()]);
    const { model } = settings.applied;
    dispatch({ kind: 'opened', session: { id, model, mode: session.current_permission_mode } });
    if (hasBegun) figures.refresh();
    else dispatch({ kind: 'figures', figures: { cost: { usd: 0, isUnpriced: false } } });
  };
  /** A session that has failed is opened again by the next prompt. */
  const live = (): SessionDriver => {
    if (isEnded) void open(hasBegun ? { resume: state.session.id } : {}).catch(() => undefined);
    return driver;
  };

  const send = (given: NewPrompt & Partial<QueuedPrompt>, how?: 'now') => {
    const isKnown = given.uuid === undefined || sent.has(given.uuid);
    const uuid = isKnown ? randomUUID() : (given.uuid as string);
    const prompt: QueuedPrompt = { uuid, text: given.text, images: given.images, place: 'session' };
    const session = live();
    sent.add(uuid);
    dispatch({ kind: 'entered', prompt });
    if (shell !== undefined) behindShell.push({ prompt, how });
    else session.send(prompt, how);
  };
  const without = (prompt: QueuedPrompt) =>
    dispatch({ kind: 'queued', queue: state.queue.filter(({ uuid }) => uuid !== prompt.uuid) });
  /** Takes a prompt back from the session. False: it has begun. */
  const recall = async (prompt: QueuedPrompt): Promise<boolean> => {
    if (prompt.place === 'here') return true;
    const held = behindShell.length;
    behindShell = behindShell.filter((waiting) => waiting.prompt.uuid !== prompt.uuid);
    if (behindShell.length < held) return true;
    withdrawn.add(prompt.uuid);
    const isBack = await driver.withdraw(prompt.uuid);
    if (!isBack) withdrawn.delete(prompt.uuid);
    return isBack;
  };
  const take = async (prompt: QueuedPrompt | undefined): Promise<QueuedPrompt | undefined> => {
    if (prompt === undefined || !(await recall(prompt))) return undefined;
    without(prompt);
    return prompt;
  };
  /** Makes `wanted` the queue: what the session has is withdrawn and sent again in this order. */
  const rearrange = async (wanted: readonly QueuedPrompt[]): Promise<boolean> => {
    const had = state.queue.filter(({ place }) => place === 'session');
    const back = await Promise.all(had.map(recall));
    if (back.includes(false)) return false;
    dispatch({ kind: 'queued', queue: wanted.filter(({ place }) => place === 'here') });
    for (const prompt of wanted) if (prompt.place === 'session') send(prompt);
    return true;
  };

  const runOwn = async (command: string) => {
    const id = randomUUID();
    dispatch({ kind: 'shellStarted', id, command });
    const run = runShell({
      command,
      cwd: state.session.cwd,
      env,
      onOutput: (text, totalLines) => dispatch({ kind: 'shellOutput', id, text, totalLines }),
    });
    shell = { id, run };
    const end = await run.ended;
    shell = undefined;
    dispatch({ kind: 'shellEnded', id, end });
    const text = shellPrompt(command, end);
    live().send({ uuid: randomUUID(), text, images: [], place: 'session' }, 'silent');
    for (const { prompt, how } of behindShell.splice(0)) driver.send(prompt, how);
  };

  const restart = async (next: ReopenTarget, kept: Partial<ConversationState>) => {
    shell?.run.stop();
    const before = driver;
    // From here on, what the old session says is not heard.
    driver = { ...before };
    await before.close();
    state = {
      ...startingState(clock.monotonicMs(), { cwd }),
      queue: state.queue.map((prompt) => ({ ...prompt, place: 'here' })),
      ...kept,
    };
    await open(next);
  };
  const finishCutOff = () => {
    const { figures, todos, session } = state;
    const kept = { figures, todos, session, phase: 'submitted' } as const;
    restart({ resume: session.id, carryOn: true }, kept).catch((error: unknown) =>
      dispatch({ kind: 'failed', sentence: errorText(error) }),
    );
  };

  const opened = open(target);
  opened.catch(() => undefined);
  return {
    get state() {
      return state;
    },
    get query() {
      return driver.query;
    },
    get options() {
      return options;
    },
    dispatch,
    enter: send,
    sendHeld() {
      if (state.isCutOff && state.phase === 'idle') {
        finishCutOff();
        return true;
      }
      const held = state.queue.find(({ place }) => place === 'here');
      if (held === undefined) return false;
      without(held);
      send(held);
      return true;
    },
    takeQueued: () => take(state.queue.at(-1)),
    queue: {
      remove: async (number) => (await take(state.queue[number - 1]))?.text,
      async move(from, to) {
        const { queue } = state;
        const moved = queue[from - 1];
        if (moved === undefined || queue[to - 1] === undefined) return false;
        const others = queue.filter((prompt) => prompt !== moved);
        return rearrange([...others.slice(0, to - 1), moved, ...others.slice(to - 1)]);
      },
      async replace(number, text) {
        const { queue } = state;
        const changed = queue[number - 1];
        if (changed === undefined) return false;
        return rearrange(queue.map((prompt) => (prompt === changed ? { ...prompt, text } : prompt)));
      },
    },
    goOnWithoutServers() {
      if (state.awaitedServers.length === 0) return false;
      goOn();
      return true;
    },
    interrupt() {
      if (!isWorking(state)) return false;
      dispatch({ kind: 'interrupting' });
      shell?.run.stop();
      const held = behindShell.splice(0).map(({ prompt }) => prompt.uuid);
      const queue = state.queue.map(
        (prompt): QueuedPrompt => (held.includes(prompt.uuid) ? { ...prompt, place: 'here' } : prompt),
      );
      dispatch({ kind: 'queued', queue });
      void driver.interrupt().catch(() => undefined);
      return true;
    },
    shell: (command) => void runOwn(command),
    refresh() {
      if (hasBegun) figures.refresh();
      void learnModel().catch(() => undefined);
    },
    cycleMode() {
      const mode = MODES[(MODES.indexOf(state.session.mode) + 1) % MODES.length] ?? 'default';
      dispatch({ kind: 'mode', mode });
      driver.query.setPermissionMode(mode).catch((error: unknown) => {
        dispatch({ kind: 'hint', text: errorText(error) });
      });
    },
    lookBack: async (place) => dispatch(await foundIn(place, { cwd, env })),
    reopen: (next) => restart(next, {}),
    async close() {
      dispatch({ kind: 'exiting' });
      shell?.run.stop();
      await driver.close();
    },
    opened,
  };
}
