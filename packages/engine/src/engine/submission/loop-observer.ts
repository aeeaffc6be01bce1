/**
 * What the engine makes of the main loop's messages: the consumer's messages, and the notices between them.
 */
import type { LoopMessage, ProgressMessage, SystemMessage } from '../../protocol/model/messages.ts';
import type { SDKMessage } from '../../protocol/stream/sdk-messages.ts';
import { tellTaken } from '../output/block-acknowledgements.ts';
import type { SubmissionOutcome } from '../output/result.ts';
import type { SdkMapper } from '../output/to-sdk-message.ts';
import type { Session } from '../session/session.ts';
import type { Submission } from './submission.ts';

export class LoopObserver {
  readonly #mapper: SdkMapper;
  readonly #outcome: SubmissionOutcome;
  readonly #submission: Submission;
  readonly #session: Session;
  #turns = 1;
  /** Progress that was shown and that the consumer may not have received yet. */
  #progress: ProgressMessage['data'][] = [];

  constructor(mapper: SdkMapper, outcome: SubmissionOutcome, submission: Submission, session: Session) {
    this.#mapper = mapper;
    this.#outcome = outcome;
    this.#submission = submission;
    this.#session = session;
  }

  /** What the consumer receives of the message. */
  show(message: LoopMessage): readonly SDKMessage[] {
    const { budget, conversation, notices, structured } = this.#session;
    if (message.type === 'stream_request_start') this.#turns = message.turnCount;
    this.#submission.times.see(message);
    this.#outcome.observe(message);
    structured?.observe(message);
    if (message.type === 'system') atBoundary(message, this.#session);
    if (message.type === 'progress') this.#progress.push(message.data);
    if (message.type !== 'stream_events')
      for (const near of budget.warnings(this.#turns, conversation.measured?.usage)) notices.say(near);
    // The result of the call that changed the mode already holds in the new one.
    const changed = message.type === 'user' ? notices.modeChange() : undefined;
    const shown = this.#mapper.map(message);
    if (changed !== undefined) shown.unshift(changed);
    for (let notice = notices.take(); notice !== undefined; notice = notices.take()) shown.push(notice);
    return shown;
  }

  /** The consumer has received what was shown. */
  delivered(): void {
    if (this.#progress.length === 0) return;
    for (const data of this.#progress) tellTaken(data);
    this.#progress = [];
  }
}

/** A compaction lowers the task's budget; a snip is reported to the host. */
export function atBoundary(
  message: SystemMessage,
  { budget, config, conversation }: Pick<Session, 'budget' | 'config' | 'conversation'>,
): void {
  if (message.subtype === 'compact_boundary') budget.compacted(message.compact_metadata);
  if (message.subtype === 'snip_boundary') config.snipReplay?.(message, conversation.messages.slice());
}
