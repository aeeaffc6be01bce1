/** The lifetime of one submission: its scope, its clock, and who may still hear of it. */
import type { StopReason } from '../protocol/wire.ts';
import { openScope, type Scope } from '../util/scope.ts';
import type { Writable } from '../util/writable.ts';
import { tellWhenIdle } from './idle-notification.ts';
import type { EngineParts } from './parts.ts';
import type { Prompt } from './prepare-submission.ts';
import { suggestPrompt } from './prompt-suggestion.ts';

export interface Submission {
  readonly id: string;
  readonly prompt: Prompt;
  readonly scope: Scope;
  readonly startedMs: number;
  /** What drives it. */
  run: AsyncGenerator<unknown, void, void> | undefined;
  start(): void;
  /** It goes on with this interrupted one, under that one's id. */
  carryOn(id: string): void;
  /** Nobody is to be told how it ends: closed, returned from, or its session was taken over (L10.6). */
  silent(): boolean;
  onResponse(listener: (messageId: string, stopReason: StopReason | null) => void): void;
  /** Keeps the first figure: ms from request to first event. */
  firstByte(ttftMs: number | undefined): void;
  ttftMs(): number | undefined;
  /** The first request goes out. */
  firstRequest(): void;
  /** ms from the submission's start to its first request. */
  timeToRequestMs(): number | undefined;
  end(): Promise<void>;
}

export interface SubmissionOptions {
  readonly id: string;
  readonly prompt: Prompt;
  /** Called at the first step; throws when the engine cannot take a submission now. */
  onStart(submission: Submission): void;
  onEnd(submission: Submission): void;
  readonly parts: EngineParts;
}

export function openSubmission(options: SubmissionOptions): Submission {
  const { parts, prompt } = options;
  const scope = openScope(parts.scope);
  const abortController = parts.config.abortController;
  let ended = false;
  let ttftMs: number | undefined;
  let timeToRequestMs: number | undefined;
  const onCallerAbort = () =>
    scope.abort(abortController?.signal.reason === 'interrupt' ? 'interrupt' : 'user');

  const submission: Writable<Submission> = {
    id: options.id,
    prompt,
    scope,
    startedMs: 0,
    run: undefined,
    start() {
      options.onStart(submission);
      parts.memory.endIdle?.();
      submission.startedMs = parts.clock.monotonicMs();
      parts.state.enter('initial');
      parts.memory.submission = submission.id;
      parts.memory.denials = [];
      parts.memory.unaffordable = undefined;
      parts.memory.capWarnings.startSubmission();
      parts.memory.adopted = undefined;
      parts.ledger.startSubmission();
      parts.model.startSubmission();
      parts.structured?.startSubmission();
      if (abortController?.signal.aborted === true) onCallerAbort();
      abortController?.signal.addEventListener('abort', onCallerAbort, { once: true });
    },
    carryOn(interrupted) {
      submission.id = interrupted;
      parts.memory.submission = interrupted;
    },
    silent: () => parts.journal.lost || parts.scope.aborted,
    onResponse(listener) {
      const forget = parts.journal.onEntry((body) => {
        if (body.type === 'response' && body.submission === submission.id)
          listener(body.messageId, body.stopReason);
      });
      scope.onClose(forget);
    },
    firstByte(ms) {
      ttftMs ??= ms;
    },
    ttftMs: () => ttftMs,
    firstRequest() {
      timeToRequestMs ??= parts.clock.monotonicMs() - submission.startedMs;
    },
    timeToRequestMs: () => timeToRequestMs,
    async end() {
      if (ended) return;
      ended = true;
      abortController?.signal.removeEventListener('abort', onCallerAbort);
      await scope.close();
      parts.memory.submission = undefined;
      parts.state.enter('done');
      options.onEnd(submission);
      const { config, hooks, memory } = parts;
      const hook = hooks.has('Notification') ? tellWhenIdle(parts) : undefined;
      const suggestion = config.promptSuggestions === true ? suggestPrompt(submission.id, parts) : undefined;
      memory.endIdle = () => {
        hook?.();
        suggestion?.();
      };
    },
  };
  return submission;
}
