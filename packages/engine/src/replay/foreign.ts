/** Transcripts of other programs: prompts, answers and results, without a record of decisions. */
import type { AssistantMessage, UserMessage } from '../protocol/model/messages.ts';
import type { JournalEntry } from '../protocol/session/journal.ts';
import { messageOfRecord, promptText } from '../session/journal/message-record.ts';
import { isRedacted } from '../session/redact-records.ts';
import { resumeSession } from '../session/resume/resume.ts';
import { resultIds } from '../view/tool-results.ts';
import type { RecordedIteration, RecordedResult, RecordedRun } from './recorded.ts';

const MISSING = [
  'decision records: whether a request followed is compared, and nothing else',
  'failed attempts and their waits',
  'hook and permission answers, limits and budgets',
];

/** One run for each prompt. */
export function readForeign(records: readonly JournalEntry[]): readonly RecordedRun[] {
  const runs: RecordedRun[] = [];
  const foreign = records.filter(({ v }) => v === 0);
  let prompt = -1;
  const close = (end: number) => {
    const run = prompt < 0 ? undefined : foreignRun(foreign, prompt, end, runs.length + 1);
    if (run !== undefined) runs.push(run);
  };
  for (const [at, entry] of foreign.entries()) {
    const message = entry.type === 'user' ? messageOfRecord(entry) : undefined;
    if (message?.type !== 'user' || promptText(message) === undefined) continue;
    close(at);
    prompt = at;
  }
  close(foreign.length);
  return runs;
}

function foreignRun(
  records: readonly JournalEntry[],
  prompt: number,
  end: number,
  ordinal: number,
): RecordedRun | undefined {
  const first = records[prompt] as JournalEntry;
  const answers: { blocks: AssistantMessage[]; results: Map<string, RecordedResult> }[] = [];
  for (const entry of records.slice(prompt + 1, end)) {
    const message = messageOfRecord(entry);
    if (message?.type === 'assistant') addBlock(message, answers);
    if (message?.type === 'user')
      for (const id of resultIds(message))
        answers.at(-1)?.results.set(id, { message: withOnly(message, id), more: [] });
  }
  // What was cut off, or not answered, decided nothing.
  const complete = answers.filter(
    ({ blocks, results }, at) => at < answers.length - 1 || callsIn(blocks).every((id) => results.has(id)),
  );
  if (complete.length === 0) return undefined;
  return {
    sessionId: first.sessionId,
    submission: `transcript/${ordinal}`,
    ordinal,
    agentPath: '',
    epoch: 0,
    model: '',
    facts: undefined,
    isRedacted: isRedacted(first),
    view: resumeSession(records.slice(0, prompt + 1)).view.messages,
    startAt: undefined,
    counted: () => undefined,
    iterations: complete.map((answer, at) => iterationOf(answer, at + 1, at < answers.length - 1)),
    missing: MISSING,
  };
}

function addBlock(
  message: AssistantMessage,
  answers: { blocks: AssistantMessage[]; results: Map<string, RecordedResult> }[],
) {
  if (message.synthetic !== undefined || message.message.content.length === 0) return;
  const last = answers.at(-1);
  const isSame = last?.blocks[0]?.message.id === message.message.id;
  if (isSame) last?.blocks.push(message);
  else answers.push({ blocks: [message], results: new Map() });
}

const callsIn = (blocks: readonly AssistantMessage[]): string[] =>
  blocks.flatMap(({ message }) =>
    message.content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : [])),
  );

function withOnly(message: UserMessage, id: string): UserMessage {
  const { content } = message.message;
  if (typeof content === 'string') return message;
  const only = content.filter((block) => block.type !== 'tool_result' || block.tool_use_id === id);
  return { ...message, kind: 'tool_result', message: { role: 'user', content: only } };
}

function iterationOf(
  { blocks, results }: { readonly blocks: AssistantMessage[]; readonly results: Map<string, RecordedResult> },
  number: number,
  goesOn: boolean,
): RecordedIteration {
  const last = blocks.at(-1)?.message;
  const stopReason = last?.stop_reason ?? (callsIn(blocks).length > 0 ? 'tool_use' : 'end_turn');
  const model = last?.model ?? '';
  // A message of several blocks is several records of ours.
  const single = blocks.flatMap((block) =>
    block.message.content.map((content, at) => ({
      ...block,
      uuid: at === 0 ? block.uuid : `${block.uuid}/${at}`,
      message: { ...block.message, content: [content] },
    })),
  );
  const response = { messageId: last?.id ?? '', stopReason, usage: last?.usage, costUsd: 0 };
  return {
    number,
    record: undefined,
    told: {},
    querySource: 'main',
    attempts: [
      { model, maxTokens: 8_000, number: 1, retries: [], blocks: single, response: response as never },
    ],
    results,
    attachments: [],
    consumed: [],
    edits: [],
    written: [],
    made: [],
    notices: [],
    parked: undefined,
    head: undefined,
    implied: goesOn ? 'continue' : 'stop',
  };
}
