/** A session as restored from its journal: everything that a later process needs to continue it. */

import type { TodoItem } from '../../protocol/model/attachment.ts';
import type { ViewMessage } from '../../protocol/model/messages.ts';
import type { DecisionRecord } from '../../protocol/session/decision-record.ts';
import type { RecoveredTask } from '../../protocol/tools/task.ts';
import type { PersistentList } from '../../util/collections/persistent-list.ts';
import type { ViewFold } from '../../view/fold.ts';
import type { InterruptedSubmission } from './interrupted.ts';
import type { CountedContext } from './last-count.ts';
import type { ResumeProblems } from './resume-problems.ts';
import type { SessionTotals } from './session-totals.ts';
import type { RecordOf } from './submission-state.ts';

export interface ResumedSession {
  /**
   * As recorded: after boundaries, edits and retractions; calls of an interrupted response are still open.
   */
  readonly view: PersistentList<ViewMessage>;
  /** The fold that made the view, to be continued: a later result is placed beside its call. */
  readonly fold: ViewFold;
  /**
   * Tokens that the provider counted with the last response, and the number of messages; absent after an
   * edit.
   */
  readonly counted: CountedContext | undefined;
  /** The submission without a result; absent if there is none. */
  readonly open: InterruptedSubmission | undefined;
  /** Where the session was started; the place to resume in (F74). Absent for an empty journal. */
  readonly cwd: string | undefined;
  readonly sessionId: string | undefined;
  /** `seq` of the last record; 0 for an empty journal. */
  readonly head: number;
  /** uuid of the last recorded message. */
  readonly lastUuid: string | null;
  readonly totals: SessionTotals;
  /** Tokens that compactions have removed from the view, which reduce a task budget. */
  readonly compactedTokens: number;
  readonly submissions: number;
  /** The result of the last submission, if it has one. */
  readonly lastResult: unknown;
  /** Of the last submission, in order. */
  readonly decisions: readonly DecisionRecord[];
  /** Of the last submission. */
  readonly model: string | undefined;
  readonly permissionMode: string | undefined;
  /** As the last TodoWrite call set them. */
  readonly todos: readonly TodoItem[];
  /** Background tasks whose end the model was not notified of. */
  readonly tasks: readonly RecoveredTask[];
  /** Deferred tools that were loaded, in that order. */
  readonly loadedTools: readonly string[];
  /** The last approved plan. */
  readonly plan: string | undefined;
  /** Calls that the model marked for removal, removed or not. */
  readonly snipped: readonly string[];
  readonly title: string | undefined;
  readonly firstPrompt: string | undefined;
  /** System prompt, contexts and tools as they were last sent. */
  readonly contextSnapshot: RecordOf<'context-snapshot'> | undefined;
  /** Keys and uuids of prompts that are part of the conversation: an inbox must not deliver them again. */
  readonly consumed: ReadonlySet<string>;
  /** Another program wrote at least part of it. */
  readonly foreign: boolean;
  readonly problems: Readonly<ResumeProblems>;
}
