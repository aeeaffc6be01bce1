/**
 * Calls in transcripts of other programs: they hold what ran and what was denied, and not whether a call that
 * ran had been asked about.
 */

import { textOfContent } from '@turnwright/base/text/text-blocks.ts';
import type { JournalEntry } from '../protocol/session/journal.ts';
import type { RecordedAnswer } from '../protocol/session/policy-trial.ts';
import { messageOfRecord } from '../session/journal/message-record.ts';
import type { ReadCalls, RecordedCall } from './recorded-call.ts';

/** How the results of calls begin that a person refused, and what those without an answer say. */
const REFUSED = /^(?:Error: )?The user doesn't want to (?:proceed|take this action)/i;
const UNANSWERED = /requested permissions? to |but you haven't granted it/i;
const DENIED = /^(?:Error: )?Permission to (?:use|read|edit|write|run) .{0,400}?(?:denied|not allowed)/is;

export function readForeignCalls(
  entries: readonly JournalEntry[],
  agentId: string | undefined,
): Pick<ReadCalls, 'calls' | 'unjudged'> {
  const open = new Map<string, Omit<RecordedCall, 'answer'>>();
  const calls: RecordedCall[] = [];
  const root = entries.find(({ cwd }) => typeof cwd === 'string')?.cwd ?? '/';
  for (const entry of entries) {
    const message = entry.type === 'user' || entry.type === 'assistant' ? messageOfRecord(entry) : undefined;
    if (message?.type === 'assistant')
      for (const block of message.message.content) {
        if (block.type !== 'tool_use') continue;
        open.set(block.id, {
          sessionId: entry.sessionId,
          agentId,
          toolUseId: block.id,
          tool: block.name,
          input: block.input,
          root,
          cwd: entry.cwd ?? root,
          permission: undefined,
          policy: undefined,
          answeredInput: undefined,
        });
      }
    if (message?.type !== 'user' || typeof message.message.content === 'string') continue;
    for (const block of message.message.content) {
      if (block.type !== 'tool_result') continue;
      const call = open.get(block.tool_use_id);
      if (call === undefined) continue;
      open.delete(block.tool_use_id);
      calls.push({ ...call, answer: block.is_error === true ? answerIn(block.content) : 'unknown' });
    }
  }
  return { calls, unjudged: open.size };
}

function answerIn(content: unknown): RecordedAnswer {
  const text = typeof content === 'string' ? content : textOfContent(content as never);
  if (REFUSED.test(text)) return 'refused';
  if (UNANSWERED.test(text)) return 'nobody';
  return DENIED.test(text) ? 'not-asked' : 'unknown';
}
