/** Texts of a compaction: the instruction, and what replaces the summarised messages. */

import { textOfContent } from '@turnwright/base/text/text-blocks.ts';
import type { UserMessage } from '../../protocol/model/messages.ts';

const REQUEST = `The conversation above is about to be replaced by a summary, because it no longer fits into the context window. Write that summary now. Whoever continues the work will have the summary, the user's latest request and the most recent steps, and nothing else of what stands above.

Answer with text only; do not call any tool. First think inside <analysis> tags: go through the conversation in order and note what the user asked for, what was decided and why, what was tried, what is known to be true, and what is still open. Then write the summary inside <summary> tags, in these parts, leaving out a part that has nothing in it:

1. Requests: everything the user asked for, in their own words where the wording matters, with corrections and preferences they gave along the way.
2. State of the work: what is done, what is half done, what has not been started.
3. Files and code: each file that was read, changed or created, by full path, with what matters about it; quote the code that the next step depends on.
4. Findings: facts, commands that work, causes of failures, figures. Keep identifiers, paths, numbers and error texts exact.
5. Failed attempts: what did not work, so that it is not tried again.
6. Pending: open tasks and promises, and running background work.
7. Next step: what was being done at the very end, and what comes directly after it.`;

/** Changes of a host to the instruction. */
export interface SummaryWords {
  /** Replaces the instruction. */
  readonly prompt?: string;
  /** Appended to the instruction. */
  readonly instructions?: readonly string[];
}

/** The user message at the end of a compaction request. */
export function summaryRequest({ prompt = REQUEST, instructions = [] }: SummaryWords): string {
  if (instructions.length === 0) return prompt;
  return `${prompt}\n\nInstructions for this summary in particular:\n${instructions.join('\n')}`;
}

/** The same for one part of a conversation that is too long for one request. */
export function partRequest(words: SummaryWords, part: number, parts: number): string {
  return (
    `What stands above is part ${part} of ${parts} of a conversation that is too long to be read in one go. Deal with this ` +
    `part alone: the others are summarised in the same way, and the summaries are put together afterwards.\n\n${summaryRequest(words)}`
  );
}

/** The summaries of the parts, as one message to be merged. */
export function partsText(summaries: readonly string[]): string {
  return summaries.map((text, i) => `<part number="${i + 1}">\n${text}\n</part>`).join('\n\n');
}

export function mergeRequest(words: SummaryWords): string {
  return (
    'The parts above are summaries of one conversation, in order. Put them together into one summary; where parts disagree, ' +
    `the later one holds. Leave out nothing that is still needed.\n\n${summaryRequest(words)}`
  );
}

/**
 * Extracts the summary from an answer: `<analysis>` is dropped. '' if there is none, which is a failure
 * (F09).
 */
export function extractSummary(answer: string): string {
  const withoutAnalysis = answer.replace(/<analysis>[\s\S]*?(<\/analysis>|(?=<summary>)|$)/, '');
  const open = withoutAnalysis.indexOf('<summary>');
  if (open < 0) return withoutAnalysis.trim();
  const start = open + '<summary>'.length;
  const close = withoutAnalysis.lastIndexOf('</summary>');
  return withoutAnalysis.slice(start, close >= start ? close : undefined).trim();
}

/** Replaces everything that was summarised. */
export function summaryText(
  summary: string,
  more: { readonly leftOut: number; readonly transcriptPath?: string; readonly historyTool?: string },
): string {
  const notes = [
    more.leftOut > 0 &&
      `The oldest ${more.leftOut} messages did not fit into the summary's own request and are not part of it.`,
    more.historyTool !== undefined &&
      `What the summary leaves out can be looked up with the ${more.historyTool} tool.`,
    more.transcriptPath !== undefined && `The full record of the conversation is in ${more.transcriptPath}.`,
  ].filter((note) => note !== false);
  return [
    'Earlier parts of this conversation no longer fit into the context window. This summary stands in their place:',
    summary,
    ...notes,
    "The user's latest request and the most recent steps follow as they were. Carry on from there without asking again and without commenting on this summary.",
  ].join('\n\n');
}

/** Replaces rounds that were dropped without a summary. */
export function trimmedText(dropped: number, historyTool?: string): string {
  const how = historyTool === undefined ? 'with the tools' : `with the ${historyTool} tool`;
  return `[${dropped} earlier messages of this conversation were removed because they no longer fit into the context window. What they held can be looked up again ${how} where it is needed.]`;
}

/** Tells the author of prompts that were truncated what became of them; `prompts`: as they are now. */
export function cutPromptsText(prompts: readonly UserMessage[]): string {
  const notes = prompts.flatMap(({ message }) => textOfContent(message.content).match(CUT) ?? []);
  const what = prompts.length === 1 ? 'A prompt does' : `${prompts.length} prompts do`;
  return `${what} not fit into the context window: the model gets the beginning and the end. ${notes.join(' ')}`;
}

/** What `cutMiddle` leaves in the place of a text. */
const CUT = /\[\u2026 .*? characters left out.*? \u2026\]/g;
