/** Continues from an earlier message of a session: what is left out, and whether that was intended. */
import { TurnwrightError } from '../../protocol/errors.ts';
import type { JournalEntry } from '../../protocol/session/journal.ts';
import { messageOfRecord, promptText } from '../journal/message-record.ts';
import { cutBehind, noProblems, recordsInOrder } from './record-order.ts';

interface Rewound {
  /** Records that still count. */
  readonly kept: readonly JournalEntry[];
  /** Messages that no longer count; none if the session ends with the message already. */
  readonly dropped: readonly string[];
}

/** Beginning of a refusal: clients of the protocol check for it. */
const REJECTED = 'Resume rejected by --resume-drops-turn:';

/**
 * `dropsTurn`: uuid of the one prompt whose turn may be lost. Throws `invalid_option` for a message that the
 * session does not have, and `resume_rejected` when more than that turn would be lost.
 */
export function rewoundTo(
  entries: readonly JournalEntry[],
  to: string,
  dropsTurn: string | undefined,
): Rewound {
  const records = recordsInOrder(entries, noProblems());
  const cut = cutBehind(records, to);
  if (cut === undefined)
    throw new TurnwrightError(
      'invalid_option',
      `No message found with message.uuid of: ${to}${missing(entries)}`,
    );
  const lost = records.slice(cut);
  if (dropsTurn !== undefined) refuseOtherLoss(lost, dropsTurn);
  return {
    kept: records.slice(0, cut),
    dropped: lost.flatMap((record) =>
      'uuid' in record && typeof record.uuid === 'string' ? [record.uuid] : [],
    ),
  };
}

function refuseOtherLoss(lost: readonly JournalEntry[], prompt: string): void {
  const at = lost.findIndex((record) => 'uuid' in record && record.uuid === prompt);
  if (at < 0) throw rejected(`the prompt ${prompt} is not behind the message to resume at.`);
  const payload = lost.slice(0, at).find((record) => !isLeftover(record));
  if (payload !== undefined)
    throw rejected(
      `${describeRecord(payload)} stands between the message to resume at and the prompt ${prompt}.`,
    );
  const other = lost.slice(at + 1).find(isPrompt);
  if (other !== undefined)
    throw rejected(`${describeRecord(other)} came after the prompt ${prompt} and would be lost as well.`);
}

/** Leftovers of the previous turn: interruption notes and unanswered calls. */
function isLeftover(record: JournalEntry): boolean {
  if (record.type !== 'user') return !('uuid' in record) || record.type === 'system';
  const { content } = record.message;
  if (typeof content === 'string') return content.startsWith('[Request interrupted by user');
  return content.every(
    (block) =>
      (block.type === 'tool_result' && block.is_error === true) ||
      (block.type === 'text' && block.text.startsWith('[Request interrupted by user')),
  );
}

function isPrompt(record: JournalEntry): boolean {
  if (record.type === 'attachment') return record.attachment.type === 'queued_command';
  if (record.type !== 'user') return false;
  const message = messageOfRecord(record);
  return message?.type === 'user' && promptText(message) !== undefined;
}

const describeRecord = (record: JournalEntry): string =>
  `${isPrompt(record) ? 'the prompt' : `a record of type ${record.type},`} ${'uuid' in record ? record.uuid : ''}`.trim();

/** Where early records of a long session were removed, the message may have been among them. */
function missing(entries: readonly JournalEntry[]): string {
  const first = entries.findIndex(({ seq, v }, at) => v !== 0 && seq !== at + 1);
  return first < 0 ? '' : `. Early messages of this session were removed: it can go back to later ones only.`;
}

const rejected = (reason: string): TurnwrightError =>
  new TurnwrightError('resume_rejected', `${REJECTED} ${reason}`);
