/**
 * A conversation without its screen: the session, the prompts that wait, interrupts, the person's own
 * commands. What happens leaves it as steps: the next state, and items for the transcript.
 */

import { randomUUID } from 'node:crypto';
import { readBranch } from '@turnwright/base/files/git-folder.ts';
import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import { errorText } from '@turnwright/base/text/error-text.ts';
import type { Options, PermissionMode, Query, SDKMessage } from '@turnwright/engine';
import type { QueueControls, ReopenTarget } from './command-context.ts';
import type { ConversationClock } from './conversation-clock.ts';
import {
  type ConversationState,
  isWorking,
  type PendingPrompt,
  startingState,
} from './conversation-state.ts';
import { type ConversationEvent, reduce } from './reduce/reduce.ts';
import type { Reduction } from './reduce/step.ts';
import { createCacheBreaks } from './session/cache-breaks.ts';
import { changesFigures, createFigureReader } from './session/figure-reader.ts';
import { foundIn, lastChoice } from './session/found-in-session.ts';
import { driveSession, type SessionDriver } from './session/session-driver.ts';
import { runShell, type ShellRun, shellPrompt } from './session/typed-command.ts';

type NewPrompt = Pick<PendingPrompt, 'text' | 'images'>;

interface ConversationOptions {
  /** Options of every session: `cwd`, `env`, `canUseTool` and so on. */
  readonly options: Options;
  readonly target: ReopenTarget;
  /** Prompts of an earlier process that were not sent. */
  readonly queue?: readonly PendingPrompt[];
  /** Drafts of an earlier process that were put aside. */
  readonly stash?: ConversationState['stash'] | undefined;
  readonly clock: ConversationClock;
  /** Gives the terminal to a program that takes keys. Default: there is none to give. */
  readonly lend?: <T>(use: () => Promise<T>) => Promise<T>;
  onStep(step: Reduction): void;
}

/** `auto` behind `plan`: what is passed on the way there may come back when the plan is approved. */
const MODES: readonly PermissionMode[] = ['default', 'acceptEdits', 'plan', 'auto'];

export class TerminalConversation {
  /** Rejects with the error that keeps the session from opening; resolves when it is open. */
  readonly opened: Promise<void>;
  readonly queue: QueueControls;
  #base: Options;
  /** Of the flags, which hold for every session. */
  readonly #given: Options;
  /** Model and effort that the session was opened with. */
  #openedWith: Partial<Record<'effort' | 'model', string | null>> = {};
  readonly #place: { readonly cwd: string; readonly env: NonNullable<Options['env']> };
  readonly #clock: ConversationClock;
  readonly #onStep: (step: Reduction) => void;
  readonly #lend: ConversationOptions['lend'];
  readonly #figures: ReturnType<typeof createFigureReader>;
  readonly #cacheBreaks: ReturnType<typeof createCacheBreaks>;
  /** uuids that the session has seen: it takes none twice. */
  readonly #sent = new Set<string>();
  /** uuids that are being withdrawn by an edit of the queue. */
  readonly #withdrawn = new Set<string>();
  #state: ConversationState;
  #firstId: string | undefined;
  #options: Options;
  #driver!: SessionDriver;
  #shell: ShellRun | undefined;
  /** Entered while a command of the person's own runs, whose output comes first. */
  #behindShell: { readonly prompt: PendingPrompt; readonly how: 'now' | undefined }[] = [];
  #hasBegun = false;
  #isEnded = false;
  #goOn = () => {};

  constructor({ options, target, queue = [], stash = [], clock, lend, onStep }: ConversationOptions) {
    const { cwd = '.', env = {} } = options;
    this.#base = options;
    this.#given = options;
    this.#options = options;
    this.#place = { cwd, env };
    this.#clock = clock;
    this.#onStep = onStep;
    this.#lend = lend;
    this.#firstId = options.sessionId;
    this.#state = { ...startingState(clock.monotonicMs(), { cwd }), queue, stash };
    this.#figures = createFigureReader(
      () => (this.#isEnded ? undefined : this.#driver.query),
      (figures) => this.dispatch({ kind: 'figures', figures }),
    );
    this.#cacheBreaks = createCacheBreaks({
      env,
      onFigure: (cache) => this.dispatch({ kind: 'figures', figures: { cache } }),
    });
    this.queue = {
      remove: async (number) => (await this.#take(this.#state.queue[number - 1]))?.text,
      move: (from, to) => this.#move(from, to),
      replace: (number, text) => this.#replace(number, text),
    };
    this.opened = this.#open(target);
    this.opened.catch(() => undefined);
  }

  get state(): ConversationState {
    return this.#state;
  }

  /** The session; another object after `reopen`. */
  get query(): Query {
    return this.#driver.query;
  }

  /** Options that the session was opened with. */
  get options(): Options {
    return this.#options;
  }

  /** For events that come from the screen: hints, questions. */
  dispatch(event: ConversationEvent): void {
    const step = reduce(this.#state, event, this.#clock.monotonicMs());
    if (step.state === this.#state && step.items.length === 0) return;
    this.#state = step.state;
    this.#onStep(step);
  }

  /** Sends a prompt; while the session works it joins the work, or with `now` it interrupts what runs. */
  enter(given: NewPrompt & Partial<PendingPrompt>, how?: 'now'): void {
    const isKnown = given.uuid === undefined || this.#sent.has(given.uuid);
    const uuid = isKnown ? randomUUID() : (given.uuid as string);
    const prompt: PendingPrompt = { uuid, text: given.text, images: given.images, place: 'session' };
    const session = this.#liveDriver();
    this.#sent.add(uuid);
    this.dispatch({ kind: 'entered', prompt });
    if (this.#shell !== undefined) this.#behindShell.push({ prompt, how });
    else session.send(prompt, how);
  }

  /** Finishes the turn that was cut off, else sends the first prompt that waits. False: there is neither. */
  sendHeld(): boolean {
    if (this.#state.isCutOff && this.#state.phase === 'idle') {
      this.#finishCutOff();
      return true;
    }
    const held = this.#state.queue.find(({ place }) => place === 'here');
    if (held === undefined) return false;
    this.#drop(held);
    this.enter(held);
    return true;
  }

  /** Takes the last prompt out of the queue; undefined: there is none that has not begun. */
  takeQueued(): Promise<PendingPrompt | undefined> {
    return this.#take(this.#state.queue.at(-1));
  }

  /** Begins without the MCP servers that are waited for. False: none is. */
  goOnWithoutServers(): boolean {
    if (this.#state.awaitedServers.length === 0) return false;
    this.#goOn();
    return true;
  }

  /** False: nothing runs. */
  interrupt(): boolean {
    if (!isWorking(this.#state)) return false;
    this.dispatch({ kind: 'interrupting' });
    this.#shell?.stop();
    const held = this.#behindShell.splice(0).map(({ prompt }) => prompt.uuid);
    const queue = this.#state.queue.map(
      (prompt): PendingPrompt => (held.includes(prompt.uuid) ? { ...prompt, place: 'here' } : prompt),
    );
    this.dispatch({ kind: 'queued', queue });
    void this.#driver.interrupt().catch(() => undefined);
    return true;
  }

  /** Runs a command of the person's own; its output becomes a part of the conversation. */
  shell(command: string): void {
    void this.#runShell(command);
  }

  /** Reads figures and model again, after a command that may have changed them. */
  refresh(): void {
    if (this.#hasBegun) this.#figures.refresh();
    void this.#learnModel().catch(() => undefined);
  }

  /** Switches to the next permission mode: manual, accept edits, plan; auto if the session has a judge. */
  cycleMode(): void {
    const mode = MODES[(MODES.indexOf(this.#state.session.mode) + 1) % MODES.length] ?? 'default';
    this.dispatch({ kind: 'mode', mode });
    this.#driver.query.setPermissionMode(mode).catch((error: unknown) => {
      if (mode === 'auto' && this.#state.session.mode === 'auto') this.cycleMode();
      else this.dispatch({ kind: 'hint', text: errorText(error) });
    });
  }

  /** Reads what an earlier process has left of the session: its todo list, and a turn that was cut off. */
  async lookBack(target: ReopenTarget): Promise<void> {
    this.dispatch(await foundIn(target, this.#place));
  }

  /** Ends the session and opens another one. */
  reopen(target: ReopenTarget): Promise<void> {
    return this.#restart(target, {});
  }

  async close(): Promise<void> {
    this.dispatch({ kind: 'exiting' });
    this.#shell?.stop();
    await this.#driver.close();
  }

  #open({ resume, resumeSessionAt, forkSession, carryOn, settings }: ReopenTarget): Promise<void> {
    const isNew = resume === undefined || forkSession === true;
    const id = isNew ? (this.#firstId ?? randomUUID()) : resume;
    this.#firstId = undefined;
    if (settings !== undefined) this.#base = { ...this.#base, settings };
    this.#state = { ...this.#state, session: { ...this.#state.session, id } };
    this.#options = {
      ...this.#base,
      // `/tasks` stops single ones, so Esc need not stop them all.
      perTaskStopAffordance: true,
      continue: undefined,
      resume,
      resumeSessionAt,
      forkSession,
      carryOn,
      sessionId: isNew ? id : undefined,
      onAttached: (attached) => {
        if (this.#driver === opening) this.dispatch({ kind: 'attached', attached });
      },
      onMcpWait: (waiting) => {
        if (this.#driver !== opening) return;
        this.#goOn = waiting.goOn;
        this.dispatch({ kind: 'serversAwaited', servers: waiting.servers });
      },
    };
    this.#hasBegun = !isNew || resume !== undefined;
    this.#isEnded = false;
    this.#sent.clear();
    const opening = driveSession(this.#options, (message) => this.#hear(message));
    this.#driver = opening;
    void opening.ended.then((failure) => {
      // A session that does not open is reported by `opened`.
      if (this.#driver !== opening || failure === undefined) return;
      this.#isEnded = true;
      this.dispatch({ kind: 'failed', sentence: errorText(failure.error) });
    });
    return this.#learn(opening, id);
  }

  #hear(message: SDKMessage): void {
    const isEdit = message.type === 'command_lifecycle' && this.#withdrawn.has(message.command_uuid);
    if (!isEdit) this.dispatch({ kind: 'message', message });
    if (message.type === 'system' && message.subtype === 'init') this.#hasBegun = true;
    if (changesFigures(message)) this.#figures.refresh();
    if (message.type === 'result') void this.#learnBranch();
    this.#cacheBreaks(message, this.#state);
  }

  async #learn({ query }: SessionDriver, id: string): Promise<void> {
    const [settings, session] = await Promise.all([query.getSettings(), query.initializationResult()]);
    const { model } = settings.applied;
    this.#openedWith = settings.applied;
    this.dispatch({ kind: 'opened', session: { id, model, mode: session.current_permission_mode } });
    void this.#learnBranch();
    if (this.#hasBegun) this.#figures.refresh();
    else this.dispatch({ kind: 'figures', figures: { cost: { usd: 0, isUnpriced: false } } });
  }

  /** Commands of the model and of the person may switch it. */
  async #learnBranch(): Promise<void> {
    const branch = await readBranch(this.#state.session.cwd, nodeFiles);
    if (branch !== this.#state.session.branch) this.dispatch({ kind: 'opened', session: { branch } });
  }

  async #learnModel(): Promise<void> {
    const { applied } = await this.#driver.query.getSettings();
    if (applied.model !== this.#state.session.model)
      this.dispatch({ kind: 'opened', session: { model: applied.model } });
  }

  /** A session that has failed is opened again by the next prompt. */
  #liveDriver(): SessionDriver {
    const { id } = this.#state.session;
    if (this.#isEnded) void this.#open(this.#hasBegun ? { resume: id } : {}).catch(() => undefined);
    return this.#driver;
  }

  #drop(prompt: PendingPrompt): void {
    const queue = this.#state.queue.filter(({ uuid }) => uuid !== prompt.uuid);
    this.dispatch({ kind: 'queued', queue });
  }

  /** Takes a prompt back from the session. False: it has begun. */
  async #recall(prompt: PendingPrompt): Promise<boolean> {
    if (prompt.place === 'here') return true;
    const held = this.#behindShell.length;
    this.#behindShell = this.#behindShell.filter((waiting) => waiting.prompt.uuid !== prompt.uuid);
    if (this.#behindShell.length < held) return true;
    this.#withdrawn.add(prompt.uuid);
    const isBack = await this.#driver.withdraw(prompt.uuid);
    if (!isBack) this.#withdrawn.delete(prompt.uuid);
    return isBack;
  }

  async #take(prompt: PendingPrompt | undefined): Promise<PendingPrompt | undefined> {
    if (prompt === undefined || !(await this.#recall(prompt))) return undefined;
    this.#drop(prompt);
    return prompt;
  }

  async #move(from: number, to: number): Promise<boolean> {
    const { queue } = this.#state;
    const moved = queue[from - 1];
    if (moved === undefined || queue[to - 1] === undefined) return false;
    const others = queue.filter((prompt) => prompt !== moved);
    return this.#rearrange([...others.slice(0, to - 1), moved, ...others.slice(to - 1)]);
  }

  async #replace(number: number, text: string): Promise<boolean> {
    const { queue } = this.#state;
    const changed = queue[number - 1];
    if (changed === undefined) return false;
    return this.#rearrange(queue.map((prompt) => (prompt === changed ? { ...prompt, text } : prompt)));
  }

  /** Makes `wanted` the queue: what the session has is withdrawn and sent again in this order. */
  async #rearrange(wanted: readonly PendingPrompt[]): Promise<boolean> {
    const had = this.#state.queue.filter(({ place }) => place === 'session');
    const back = await Promise.all(had.map((prompt) => this.#recall(prompt)));
    if (back.includes(false)) return false;
    this.dispatch({ kind: 'queued', queue: wanted.filter(({ place }) => place === 'here') });
    for (const prompt of wanted) if (prompt.place === 'session') this.enter(prompt);
    return true;
  }

  async #runShell(command: string): Promise<void> {
    const id = randomUUID();
    this.dispatch({ kind: 'shellStarted', id, command });
    const run = runShell({
      command,
      cwd: this.#state.session.cwd,
      env: this.#place.env,
      lend: this.#lend,
      onOutput: (text, totalLines) => this.dispatch({ kind: 'shellOutput', id, text, totalLines }),
    });
    this.#shell = run;
    const end = await run.ended;
    this.#shell = undefined;
    this.dispatch({ kind: 'shellEnded', id, end });
    void this.#learnBranch();
    const text = shellPrompt(command, end);
    this.#liveDriver().send({ uuid: randomUUID(), text, images: [], place: 'session' }, 'silent');
    for (const { prompt, how } of this.#behindShell.splice(0)) this.#driver.send(prompt, how);
  }

  async #restart(next: ReopenTarget, kept: Partial<ConversationState>): Promise<void> {
    this.#shell?.stop();
    const before = this.#driver;
    await this.#keepChoice(next.resume);
    // From here on, what the old session says is not heard.
    this.#driver = { ...before };
    await before.close();
    this.#state = {
      ...startingState(this.#clock.monotonicMs(), { cwd: this.#place.cwd }),
      queue: this.#state.queue.map((prompt) => ({ ...prompt, place: 'here' })),
      stash: this.#state.stash,
      ...kept,
    };
    await this.#open(next);
  }

  /** Model and effort go along: those that were set here, or those that the other session was asked with. */
  async #keepChoice(resume: string | undefined): Promise<void> {
    if (resume !== undefined && resume !== this.#state.session.id) {
      const { problem, ...choice } = await lastChoice(resume, this.#given);
      this.#base = { ...this.#base, model: this.#given.model, effort: this.#given.effort, ...choice };
      if (problem !== undefined) this.dispatch({ kind: 'hint', text: problem });
      return;
    }
    const applied = (await this.#driver.query.getSettings().catch(() => undefined))?.applied;
    if (applied === undefined) return;
    if (applied.model !== this.#openedWith.model) this.#base = { ...this.#base, model: applied.model };
    if (applied.effort !== this.#openedWith.effort)
      this.#base = { ...this.#base, effort: applied.effort ?? undefined };
  }

  #finishCutOff(): void {
    const { figures, todos, session } = this.#state;
    const kept = { figures, todos, session, phase: 'submitted' } as const;
    this.#restart({ resume: session.id, carryOn: true }, kept).catch((error: unknown) =>
      this.dispatch({ kind: 'failed', sentence: errorText(error) }),
    );
  }
}
