/** The outer layer's face: one engine per session, one submission at a time (L1). */

import type { Output } from '@turnwright/base/async/batch-output.ts';
import { Door } from '@turnwright/base/async/door.ts';
import type { Known } from '../options/output-format.ts';
import { TurnwrightError } from '../protocol/errors.ts';
import type { UserBlock } from '../protocol/model/wire.ts';
import type { SDKMessage } from '../protocol/stream/sdk-messages.ts';
import { HostControls } from './host/host-controls.ts';
import { type HostFiles, hostFiles } from './host/host-files.ts';
import { ModelControls } from './host/model-controls.ts';
import { SessionMcp } from './host/session-mcp.ts';
import { SessionSettings } from './host/session-settings.ts';
import { BACKGROUND_WAIT_MS, type SessionTasks, sessionTasks } from './host/session-tasks.ts';
import type { PublicConfig } from './published-names.ts';
import { closeSession } from './session/close-session.ts';
import { handOver, type Inherited } from './session/hand-over.ts';
import type { Session } from './session/session.ts';
import type { Prompt, QueuedPrompt, SubmitOptions } from './submission/prompt.ts';
import type { SessionQueue } from './submission/prompt-queue.ts';
import { openSubmission, type Submission } from './submission/submission.ts';
import { submitMessage } from './submission/submit-message.ts';
import { composeEngine } from './wiring/compose-engine.ts';

export type { QueuedPrompt };

type Messages = Output<SDKMessage>;

/** Starts a submission, which emits its messages; settles when it has ended. */
export type Turn = () => Promise<void>;

/** See `QueryEngine.emitting`. */
interface EmittingEngine {
  submit(prompt: Prompt): Turn;
  /** Takes the next prompt of the queue, with those that join it. undefined: none waits. */
  next(): Turn | undefined;
  resume(): Turn;
}

/**
 * Drives a model through tools for one session. The constructor does no I/O: the first submission opens the
 * journal. It throws `invalid_option` for wrong or contradicting fields, and `unpriced_model` for a USD
 * budget without a price.
 *
 * @example
 * ```ts
 * const model = scriptedModel([say('Four.')]);
 * const engine = new QueryEngine({ cwd: '/work/app', tools: [], callModel: model.callModel });
 * for await (const message of engine.submitMessage('What is 2 + 2?')) console.log(message.type);
 * await engine.close();
 * ```
 */
export class QueryEngine<Value = unknown> {
  readonly sessionId: string;
  /** What runs in the background. */
  readonly tasks: SessionTasks;
  /** The session as a whole: opening and naming it, its commands and plugins, what it cost. */
  readonly controls: HostControls;
  readonly #session: Session;
  #model: ModelControls | undefined;
  #mcp: SessionMcp | undefined;
  #files: HostFiles | undefined;
  #settings: SessionSettings | undefined;
  #running: Submission | undefined;
  #closing: Promise<void> | undefined;
  #successor: QueryEngine<Value> | undefined;

  /** `inherited`: see `successor`. */
  constructor(config: PublicConfig<Value>, inherited?: Inherited) {
    const session = composeEngine(config, inherited);
    const { budget, conversation, model, world } = session;
    this.#session = session;
    this.sessionId = conversation.sessionId;
    this.tasks = sessionTasks({
      table: session.tasks,
      enabled: config.backgroundTasks !== false,
      isSpent: () => budget.isSpent,
      clock: world.clock,
      waitMs: config.backgroundWaitMs ?? BACKGROUND_WAIT_MS,
      say: (sentence) => config.stderr?.(sentence),
    });
    this.controls = new HostControls(session, () => this.#refuseClosed());
    model.refuseUnpriced(model.name);
    session.queue.refuseWhen(() => this.#refuseClosed());
    session.queue.onArrival(({ priority }) => {
      if (priority === 'now') this.#running?.scope.abort('interrupt');
    });
    conversation.journal.onLost(() => void session.scope.close('lease_lost'));
  }

  /**
   * The engine for callers that have an output of their own: its submissions emit to it, what belongs
   * together at once.
   */
  static emitting(engine: QueryEngine, output: Messages): EmittingEngine {
    const submit = (prompt: Prompt): Turn => {
      const submission = engine.#open(prompt);
      return () => engine.#run(submission, output);
    };
    return {
      submit,
      next() {
        const prompt = engine.#session.queue.next();
        return prompt && submit(prompt);
      },
      resume() {
        const submission = engine.#open({ content: '' });
        return () => engine.#carryOn(submission, output);
      },
    };
  }

  /** Prompts that wait while a submission runs. */
  get queue(): SessionQueue {
    return this.#session.queue;
  }

  /** The model, and how it thinks. */
  get model(): ModelControls {
    this.#model ??= new ModelControls(this.#session);
    return this.#model;
  }

  /** MCP servers: their status, their connections, and their use beside the model. */
  get mcp(): SessionMcp {
    this.#mcp ??= new SessionMcp(this.#session, () => this.#refuseClosed());
    return this.#mcp;
  }

  /** Files as the host may see them. */
  get files(): HostFiles {
    this.#files ??= hostFiles(this.#session);
    return this.#files;
  }

  /** Settings, permission mode and permission rules while the session runs. */
  get settings(): SessionSettings {
    this.#settings ??= new SessionSettings(this.#session);
    return this.#settings;
  }

  /**
   * Submits a prompt. The stream ends in exactly one `result`, last; in none when the iterator is returned,
   * the engine is closed or another process takes the session over, and in `session_parked` when the run is
   * parked (`parkAfterMs`): the engine then takes no more prompts, and is to be closed. The first `next()`
   * rejects with `submission_running` while another submission runs, and with `engine_closed` after `close()`
   * and after parking.
   */
  submitMessage(
    prompt: string | readonly UserBlock[],
    options: SubmitOptions = {},
  ): AsyncGenerator<SDKMessage<Known<Value>>, void, void> {
    const submission = this.#open({ ...options, content: prompt });
    return this.#door(submission, (output) => this.#run(submission, output));
  }

  /**
   * Carries an interrupted submission on to its one result, without a new prompt (L4.1). Yields nothing when
   * the session has none. Must be the engine's first act; a submission before it closes what was interrupted.
   */
  resume(): AsyncGenerator<SDKMessage<Known<Value>>, void, void> {
    const submission = this.#open({ content: '' });
    return this.#door(submission, (output) => this.#carryOn(submission, output));
  }

  /**
   * Ends the running submission as a person would (Esc): it still yields its result. No effect when none
   * runs.
   */
  interrupt(): void {
    this.#running?.scope.abort('user');
  }

  /**
   * Calls back with messages that no submission yields: of background tasks, of hooks. Until the returned
   * function is called.
   */
  onEvent(listener: (message: SDKMessage) => void): () => void {
    return this.#session.host.listen(listener);
  }

  /**
   * After `/clear`: the engine of the conversation that begins, which takes over the MCP connections, what
   * was spent, model and mode. This one takes no more prompts and is then to be closed. undefined: nothing
   * was cleared.
   */
  successor(): QueryEngine<Value> | undefined {
    const { successor: id } = this.#session.conversation;
    if (id !== undefined)
      this.#successor ??= handOver(
        id,
        this.#session,
        (...made) => new QueryEngine(...made),
      ) as QueryEngine<Value>;
    return this.#successor;
  }

  /** Ends the session: what runs is abandoned within 100 ms, without a result. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= closeSession(this.#session, this.#running);
    return this.#closing;
  }

  /** `await using engine = new QueryEngine(…)` closes it. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #run(submission: Submission, output: Messages): Promise<void> {
    return submission.drive((messages) => submitMessage(submission, this.#session, messages), output);
  }

  #carryOn(submission: Submission, output: Messages): Promise<void> {
    return submission.drive(async (messages) => {
      // Loaded by the sessions that are resumed.
      const { resumeSubmission } = await import('./submission/resume-submission.ts');
      await resumeSubmission(submission, this.#session, messages);
    }, output);
  }

  #open(prompt: Prompt): Submission {
    return openSubmission({
      prompt,
      id: this.#session.world.ids.uuid(),
      session: this.#session,
      onStart: (submission) => {
        this.#refuseClosed();
        if (this.#session.conversation.successor !== undefined)
          throw new TurnwrightError(
            'engine_closed',
            'This conversation was cleared; successor() has the engine of the one that follows.',
          );
        if (this.#session.submissions.isParked)
          throw new TurnwrightError(
            'engine_closed',
            'The session is parked: close this engine, and open another one with resume to go on.',
          );
        if (this.#running !== undefined) {
          throw new TurnwrightError(
            'submission_running',
            'A submission is running in this session; queue the prompt, or wait for its result.',
          );
        }
        this.#running = submission;
      },
      onEnd: (submission) => {
        this.#session.skills.endSubmission();
        this.#session.queue.turnEnded();
        if (this.#running === submission) this.#running = undefined;
      },
    });
  }

  #door(
    submission: Submission,
    run: (output: Messages) => Promise<void>,
  ): AsyncGenerator<SDKMessage<Known<Value>>, void, void> {
    const door = new Door<SDKMessage, void>(run, {
      abort: (how) => submission.leave(how === 'return' ? 'returned' : 'thrown'),
      // Nothing is said any more once the engine is closed, or the session is another owner's (L10.6).
      wanted: () => this.#closing === undefined && !this.#session.conversation.journal.lost,
    });
    // The result's value is what the schema made of it.
    return door as AsyncGenerator<SDKMessage<Known<Value>>, void, void>;
  }

  #refuseClosed(): void {
    const why = 'This engine was closed; open another one to go on with the session.';
    if (this.#closing !== undefined) throw new TurnwrightError('engine_closed', why);
  }
}
