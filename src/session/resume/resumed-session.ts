/** What a journal comes to: all that a later process needs to carry the session on. */

import type { TodoItem } from '../../protocol/attachment.ts';
import type { DecisionRecord } from '../../protocol/decision-record.ts';
import type { ViewMessage } from '../../protocol/messages.ts';
import type { RecoveredTask } from '../../protocol/task.ts';
import type { PersistentList } from '../../util/collections/persistent-list.ts';
import type { ViewFold } from '../../view/fold.ts';
import type { InterruptedSubmission } from './interrupted.ts';
import type { CountedContext } from './last-count.ts';
import type { ResumeProblems } from './resume-problems.ts';
import type { SessionTotals } from './session-totals.ts';
import type { RecordOf } from './submission-state.ts';

export interface ResumedSession {
  /** As recorded: after boundaries, edits and retractions; calls of an interrupted response stay open. */
  readonly view: PersistentList<ViewMessage>;
  /** What made the view, to be gone on with: a result that is recorded next takes its place beside its call. */
  readonly fold: ViewFold;
  /** What the provider counted with the last answer, for so many messages of the view; absent: an edit came after it. */
  readonly counted: CountedContext | undefined;
  /** The submission that has no result; absent when every one has, or nothing was asked yet. */
  readonly open: InterruptedSubmission | undefined;
  /** Where the session was started; the place to resume in (F74). Absent for an empty journal. */
  readonly cwd: string | undefined;
  readonly sessionId: string | undefined;
  /** `seq` of the last record; 0 for an empty journal. */
  readonly head: number;
  /** uuid of the last message on record. */
  readonly lastUuid: string | null;
  readonly totals: SessionTotals;
  /** Tokens that compactions have taken out of the view: what a task budget has lost to them. */
  readonly compactedTokens: number;
  readonly submissions: number;
  /** The result of the last submission, when it has one. */
  readonly lastResult: unknown;
  /** Of the last submission, in order. */
  readonly decisions: readonly DecisionRecord[];
  /** Of the last submission. */
  readonly model: string | undefined;
  readonly permissionMode: string | undefined;
  /** As the last TodoWrite call left them. */
  readonly todos: readonly TodoItem[];
  /** Background tasks whose end the model has not been told. */
  readonly tasks: readonly RecoveredTask[];
  /** Deferred tools that were loaded, in that order. */
  readonly loadedTools: readonly string[];
  /** The plan that was approved last. */
  readonly plan: string | undefined;
  /** Calls that the model marked as dead weight, removed or not. */
  readonly snipped: readonly string[];
  readonly title: string | undefined;
  readonly firstPrompt: string | undefined;
  /** System prompt, contexts and tools as they were last sent. */
  readonly contextSnapshot: RecordOf<'context-snapshot'> | undefined;
  /** Keys and uuids of prompts that are part of the conversation: an inbox that has them still is not heard again. */
  readonly consumed: ReadonlySet<string>;
  /** Another program wrote at least part of it. */
  readonly foreign: boolean;
  readonly problems: Readonly<ResumeProblems>;
}
