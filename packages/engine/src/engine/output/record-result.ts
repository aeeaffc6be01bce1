/** The result is recorded before it is emitted. If the disk is full, it is emitted nevertheless. */

import { within } from '@turnwright/base/async/promises.ts';
import { takeStart } from '@turnwright/base/text/cut-text.ts';
import { textOfContent } from '@turnwright/base/text/text-blocks.ts';
import type { JournalBody } from '../../protocol/session/journal.ts';
import type { ParkedRun, Parking, StateWhenParked } from '../../protocol/session/parking.ts';
import type { SDKResultMessage } from '../../protocol/stream/result-message.ts';
import type { SDKMessage } from '../../protocol/stream/sdk-messages.ts';
import type {
  SDKModelRefusal,
  SDKSessionParked,
  SDKSessionWritesLost,
  Stamped,
} from '../../protocol/stream/session-messages.ts';
import { TASK_NOTICE } from '../../protocol/tools/task.ts';
import type { HostChannel } from '../session/host-channel.ts';
import type { Session } from '../session/session.ts';
import type { Prompt } from '../submission/prompt.ts';
import type { Submission } from '../submission/submission.ts';
import type { SubmissionOutcome } from './result.ts';

/** How long a result waits for the host's session store, in ms. */
const MIRROR_MS = 5_000;

/**
 * The last messages of a submission: the result, preceded by a notice if the transcript is incomplete (F71).
 */
export async function recordResult(
  result: SDKResultMessage,
  submission: Submission,
  session: Session,
): Promise<readonly SDKMessage[]> {
  session.submissions.ended(result);
  const { id } = submission;
  return recordEnd(
    result,
    { type: 'result', id: `${id}/result`, submission: id, result },
    submission,
    session,
  );
}

/** The last messages of a run whose submission is parked: it has no result yet. */
export async function recordParking(
  parked: ParkedRun,
  submission: Submission,
  session: Session,
): Promise<readonly SDKMessage[]> {
  session.submissions.parked();
  const { id } = submission;
  const stamp = session.host.stamp();
  const record = {
    type: 'parked',
    id: `${id}/parked/${stamp.uuid}`,
    submission: id,
    ...captureState(session),
    ...parked,
  } as const;
  return recordEnd(parkedMessage(parked, stamp), record, submission, session);
}

function captureState({ permissions, tools }: Session): StateWhenParked {
  const read = [...tools.readFileCache.entries()].slice(-MAX_FILES);
  return {
    permissionMode: permissions.mode,
    ...(read.length > 0 && { filesRead: Object.fromEntries(read) }),
  };
}

/** Records how a run ended, and then returns the message that says so. */
async function recordEnd(
  message: SDKMessage,
  end: RecordOf<'result' | 'parked'>,
  { id, prompt }: Submission,
  { budget, config, conversation, host, mirror }: Session,
): Promise<readonly SDKMessage[]> {
  // A session that could not be opened is not written to.
  if (!conversation.isOpen) return [message];
  const { recorder, messages } = conversation;
  const bodies: JournalBody[] = [
    ...(isCommand(message) ? [] : lastPrompt(prompt, id, messages.at(messages.length - 1)?.uuid)),
    {
      type: 'cost',
      id: end.type === 'result' ? `${id}/cost` : `${end.id}/cost`,
      submission: id,
      totalCostUsd: budget.ledger.totalCostUsd(),
      modelUsage: budget.ledger.modelUsage(),
      spending: budget.ledger.spending(),
    },
    end,
  ];
  let lost: SDKSessionWritesLost | undefined;
  try {
    await recorder.append(bodies);
    await recorder.commit();
  } catch (error) {
    if (!conversation.journal.lost) {
      config.stderr?.(
        `The ${end.type === 'result' ? 'result' : 'parking'} could not be recorded: ${(error as Error).message}`,
      );
      lost = writesLost(error, host);
    }
  }
  // Who reads the message may stop the machine; a store that hangs does not keep it from them.
  if (mirror !== undefined) await within(MIRROR_MS, mirror.flush());
  return lost === undefined ? [message] : [lost, message];
}

type RecordOf<T extends JournalBody['type']> = Extract<JournalBody, { type: T }>;

/** How many files that were read a parked run names. */
const MAX_FILES = 200;

/** In characters: enough for a list of sessions. */
const LAST_PROMPT_CHARS = 200;

/** A command such as /clear says nothing about what its session is about. */
const isCommand = (message: SDKMessage) =>
  message.type === 'result' && message.subtype === 'success' && message.local_command !== undefined;

/** Nothing for what no person said, and for an interrupted submission that goes on. */
function lastPrompt(
  { content, origin }: Prompt,
  submission: string,
  leafUuid: string | undefined,
): JournalBody[] {
  const text = textOfContent(content).replaceAll(/\s+/g, ' ').trim();
  if (text === '' || leafUuid === undefined || origin?.kind === TASK_NOTICE) return [];
  const id = `${submission}/last-prompt`;
  return [{ type: 'last-prompt', id, submission, lastPrompt: takeStart(text, LAST_PROMPT_CHARS), leafUuid }];
}

/** undefined: it was not for want of room. */
function writesLost(error: unknown, host: HostChannel): SDKSessionWritesLost | undefined {
  const cause = error instanceof Error ? (error.cause as { readonly code?: unknown } | undefined) : undefined;
  const error_code = (['ENOSPC', 'EDQUOT'] as const).find((code) => code === cause?.code);
  if (error_code === undefined) return undefined;
  return {
    type: 'system',
    subtype: 'session_writes_lost',
    error_code,
    lost: ['transcript'],
    transcript_session_ids: [host.sessionId],
    ...host.stamp(),
  };
}

/**
 * A refusal is an answer (L7.1); this says so to programs that would rather not look for it in the result.
 */
export function refusalNotice(
  outcome: Pick<SubmissionOutcome, 'last'>,
  { prompt }: Pick<Submission, 'prompt'>,
  host: HostChannel,
): readonly SDKModelRefusal[] {
  const last = outcome.last({ byModel: true });
  if (last?.stopReason !== 'refusal') return [];
  return [
    {
      type: 'system',
      subtype: 'model_refusal_no_fallback',
      original_model: last.model ?? '',
      request_id: last.requestId ?? null,
      api_refusal_category: last.refusal?.category ?? null,
      api_refusal_explanation: last.refusal?.explanation ?? null,
      refused_user_message_uuid: prompt.uuid ?? null,
      content: `${last.model ?? 'The model'} refused to answer.`,
      ...host.stamp(),
    },
  ];
}

/** The last message of a run whose submission is parked: when it happens, and of its record. */
export function parkedMessage({ on, askIds, wakeAt, why }: Parking, stamp: Stamped): SDKSessionParked {
  return {
    type: 'system',
    subtype: 'session_parked',
    on,
    ask_ids: askIds,
    ...(wakeAt !== undefined && { wake_at: wakeAt }),
    ...(why !== undefined && { why }),
    ...stamp,
  };
}
