/** The lifetime of one submission: its scope, its clock, and who may still hear of it. */

import { ConsumerLeft, type Output } from '@turnwright/base/async/batch-output.ts';
import { openScope, type Scope } from '@turnwright/base/async/scope.ts';
import { textOfContent } from '@turnwright/base/text/text-blocks.ts';
import { estimateText } from '../../context/estimate/text-estimate.ts';
import { contextTokens } from '../../protocol/model/usage.ts';
import type { StopReason } from '../../protocol/model/wire.ts';
import { MAIN_AGENT } from '../../protocol/session/spending.ts';
import type { SDKMessage } from '../../protocol/stream/sdk-messages.ts';
import type { Session } from '../session/session.ts';
import type { Prompt } from './prompt.ts';
import { TimesOfSubmission } from './submission-times.ts';

export interface Submission {
  readonly id: string;
  readonly prompt: Prompt;
  readonly scope: Scope;
  readonly startedMs: number;
  /** Its work; undefined until `drive`. */
  readonly run: Promise<void> | undefined;
  /** Does this work, which emits to the output through the submission. */
  drive(work: (output: Output<SDKMessage>) => Promise<void>, output: Output<SDKMessage>): Promise<void>;
  /** Its consumer reads no further: its work ends without a result, also where it waits for the consumer. */
  leave(why: 'returned' | 'thrown' | 'closed'): void;
  start(): void;
  /** It goes on with this interrupted one, under that one's id. */
  carryOn(id: string): void;
  /** It ends without a result: closed, returned from, thrown into, or its session was taken over (L10.6). */
  silent(): boolean;
  onResponse(listener: (messageId: string, stopReason: StopReason | null) => void): void;
  /** Since it was started. */
  readonly times: TimesOfSubmission;
  end(): Promise<void>;
}

interface SubmissionOptions {
  readonly id: string;
  readonly prompt: Prompt;
  /** Called at the first step; throws when the engine cannot take a submission now. */
  onStart(submission: Submission): void;
  onEnd(submission: Submission): void;
  readonly session: Session;
}

export function openSubmission(options: SubmissionOptions): Submission {
  return new RunningSubmission(options);
}

/** How long the session waits for a prompt before its user is notified, in ms. */
const IDLE_MS = 60_000;

class RunningSubmission implements Submission, Output<SDKMessage> {
  id: string;
  readonly prompt: Prompt;
  readonly scope: Scope;
  startedMs = 0;
  run: Promise<void> | undefined = undefined;
  readonly #options: SubmissionOptions;
  #onCallerAbort: (() => void) | undefined;
  #ended = false;
  #resultsBefore = 0;
  #isLeft = false;
  #output: Output<SDKMessage> | undefined;
  /** Ends the wait for the consumer. */
  #stopWaiting: ((error: ConsumerLeft) => void) | undefined;
  times: TimesOfSubmission;

  constructor(options: SubmissionOptions) {
    this.#options = options;
    this.id = options.id;
    this.prompt = options.prompt;
    this.scope = openScope(options.session.scope);
    this.times = new TimesOfSubmission(options.session.world.clock, 0);
  }

  start(): void {
    const { onStart, session } = this.#options;
    const { clock } = session.world;
    onStart(this);
    session.submissions.start(this.id);
    this.startedMs = clock.monotonicMs();
    this.times = new TimesOfSubmission(clock, this.startedMs);
    session.host.enter('initial');
    this.#resultsBefore = session.submissions.results;
    session.config.spans?.submissionStarted({
      sessionId: session.conversation.sessionId,
      submission: this.id,
      agent: session.config.mainAgent,
      model: session.model.current,
      prompt: textOfContent(this.prompt.content),
    });
    session.budget.startSubmission();
    session.budget.runs?.start({
      model: session.model.current,
      agent: session.config.mainAgent ?? MAIN_AGENT,
      tokens: countTokens(this.prompt, session.conversation),
      ledger: session.budget.ledger,
    });
    session.model.startSubmission();
    session.structured?.startSubmission();
    this.#heedCaller();
  }

  carryOn(interrupted: string): void {
    this.id = interrupted;
    this.#options.session.submissions.carryOn(interrupted);
  }

  async drive(
    work: (output: Output<SDKMessage>) => Promise<void>,
    output: Output<SDKMessage>,
  ): Promise<void> {
    this.#output = output;
    this.run = work(this);
    try {
      await this.run;
    } catch (error) {
      if (!(this.#isLeft && error instanceof ConsumerLeft)) throw error;
    }
  }

  emit(batch: readonly SDKMessage[]): Promise<void> | undefined {
    if (this.#isLeft) throw new ConsumerLeft();
    const taken = this.#output?.emit(batch);
    if (taken === undefined) return undefined;
    return new Promise((resolve, reject) => {
      this.#stopWaiting = reject;
      taken.then(resolve, reject);
    });
  }

  leave(why: 'returned' | 'thrown' | 'closed'): void {
    this.#isLeft = true;
    this.scope.abort(why);
    this.#stopWaiting?.(new ConsumerLeft());
  }

  silent(): boolean {
    const { conversation, scope } = this.#options.session;
    return this.#isLeft || conversation.journal.lost || scope.aborted;
  }

  onResponse(listener: (messageId: string, stopReason: StopReason | null) => void): void {
    const forget = this.#options.session.conversation.journal.onEntry((body) => {
      if (body.type === 'response' && body.submission === this.id) listener(body.messageId, body.stopReason);
    });
    this.scope.onClose(forget);
  }

  async end(): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    const { onEnd, session } = this.#options;
    const { config, hooks, host, submissions } = session;
    if (this.#onCallerAbort !== undefined)
      config.abortController?.signal.removeEventListener('abort', this.#onCallerAbort);
    await this.scope.close();
    const hasResult = submissions.results > this.#resultsBefore;
    const result = hasResult ? submissions.lastResult : undefined;
    config.spans?.submissionEnded(result, submissions.isParked);
    const kept = result && session.budget.runs?.end(result);
    if (kept !== undefined) void kept.then(session.scope.onClose(() => kept));
    submissions.end();
    host.enter('done');
    onEnd(this);
    if (submissions.isParked) return;
    const hook = hooks.has('Notification') ? notifyWhenIdle(session) : undefined;
    const suggestion = config.promptSuggestions === true ? suggestNext(this.id, session) : undefined;
    submissions.onNextStart(() => {
      hook?.();
      suggestion?.();
    });
  }

  /** The caller's own signal aborts it too. */
  #heedCaller(): void {
    const signal = this.#options.session.config.abortController?.signal;
    if (signal === undefined) return;
    const abort = () => this.scope.abort(signal.reason === 'interrupt' ? 'interrupt' : 'user');
    this.#onCallerAbort = abort;
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
  }
}

/** What the run begins with, about. */
function countTokens({ content }: Prompt, { measured }: Session['conversation']): number {
  return estimateText(textOfContent(content)) + (measured === undefined ? 0 : contextTokens(measured.usage));
}

/** A suggestion is emitted when there is one, never waited for; the returned function calls it off. */
function suggestNext(submission: string, session: Session): (() => void) | undefined {
  if (session.scope.aborted) return undefined;
  const life = session.scope.child();
  import('../side-calls/prompt-suggestion.ts')
    .then(({ suggestPrompt }) => suggestPrompt(submission, life.signal, session))
    // Then there is none.
    .catch(() => undefined)
    .finally(() => life.close());
  return () => life.abort('prompted');
}

/**
 * Runs the Notification hooks after a time without a prompt. The returned function, or the session's end,
 * cancels it.
 */
function notifyWhenIdle({
  config,
  hooks,
  scope,
  world,
}: Pick<Session, 'config' | 'hooks' | 'scope' | 'world'>): (() => void) | undefined {
  if (scope.aborted) return undefined;
  const { signal } = scope;
  const stop = world.clock.timer(config.idleNotificationMs ?? IDLE_MS, () => {
    if (signal.aborted) return;
    void hooks.run(
      {
        event: 'Notification',
        message: 'The session is waiting for a prompt.',
        notification_type: 'idle_prompt',
      },
      { signal },
    );
  });
  signal.addEventListener('abort', stop, { once: true });
  return () => {
    signal.removeEventListener('abort', stop);
    stop();
  };
}
