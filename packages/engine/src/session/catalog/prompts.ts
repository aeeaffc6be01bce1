/** The prompts of a session, and where to resume in order to go back before each of them. Pure. */

import { textOfContent } from '@turnwright/base/text/text-blocks.ts';
import type { ViewMessage } from '../../protocol/model/messages.ts';
import type { JournalEntry } from '../../protocol/session/journal.ts';
import { TASK_NOTICE } from '../../protocol/tools/task.ts';
import { retractedIn } from '../../view/changes.ts';
import { REWINDS } from '../file-history/create-file-history.ts';
import { messageOfRecord, promptText } from '../journal/message-record.ts';
import { noProblems, recordsInOrder } from '../resume/record-order.ts';
import { typedWords } from '../typed-words.ts';

/** A prompt of a session, and where to resume in order to go back before it. */
export interface SessionPrompt {
  /** For `rewindFiles`. */
  readonly uuid: string;
  readonly text: string;
  readonly timestamp: string;
  /** For `resumeSessionAt`: the message before the prompt. Absent: nothing was said before it. */
  readonly resumeAt?: string;
  /**
   * Absolute paths of the files that tools have changed after this prompt and before the next one, where
   * checkpoints of files are kept.
   */
  readonly filesChanged: readonly string[];
}

/** In order. Prompts that an earlier rewind left behind are no part of the session any more. */
export function listPrompts(entries: Iterable<JournalEntry>): readonly SessionPrompt[] {
  const records = recordsInOrder(entries, noProblems());
  const retracted = retractedIn(records);
  const prompts: SessionPrompt[] = [];
  let files = new Set<string>();
  let before: string | undefined;
  /** The submission of the last message, if it is a command's: a command may write several. */
  let command: string | undefined;
  for (const record of records) {
    // What a rewind restores, no prompt has changed.
    if (record.type === 'file-change' && !record.submission.startsWith(REWINDS)) files.add(record.path);
    if (!('uuid' in record) || retracted.has(record.uuid)) continue;
    const message = messageOfRecord(record);
    const isCommand = message?.type === 'user' && message.kind === 'command';
    const text = isCommand ? textOfContent(message.message.content) : message && textOfPrompt(message);
    const isMore = isCommand && command === record.submission;
    if (text !== undefined && !isMore) {
      closeLast(prompts, files);
      files = new Set();
      prompts.push({
        uuid: record.uuid,
        text: asTyped(text),
        timestamp: record.timestamp,
        ...(before !== undefined && { resumeAt: before }),
        filesChanged: [],
      });
    }
    if (record.type === 'user' || record.type === 'assistant') before = record.uuid;
    command = isCommand ? record.submission : undefined;
  }
  closeLast(prompts, files);
  return prompts;
}

function closeLast(prompts: SessionPrompt[], files: ReadonlySet<string>): void {
  const last = prompts.at(-1);
  if (last !== undefined) prompts[prompts.length - 1] = { ...last, filesChanged: [...files] };
}

/** Commands of files say in front of their text how they were called, as transcripts of other programs do. */
function asTyped(text: string): string {
  const { words, command } = typedWords(text);
  return command ?? words ?? text;
}

/**
 * undefined: not a prompt, or none of a person: a notice of a background task. A queued prompt joined a
 * running turn as an attachment.
 */
function textOfPrompt(message: ViewMessage): string | undefined {
  if (message.type === 'user') return message.origin?.kind === TASK_NOTICE ? undefined : promptText(message);
  if (message.type !== 'attachment' || message.attachment.type !== 'queued_command') return undefined;
  const { origin, prompt } = message.attachment as { origin?: { kind?: unknown }; prompt: unknown };
  if (origin?.kind === TASK_NOTICE) return undefined;
  return typeof prompt === 'string' || Array.isArray(prompt)
    ? textOfContent(prompt as Parameters<typeof textOfContent>[0])
    : undefined;
}
