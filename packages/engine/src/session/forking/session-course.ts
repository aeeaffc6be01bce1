/** What a session did from one place of its journal on: its steps, and what they took. */

import { isRecord } from '@turnwright/base/json-values.ts';
import type { Usage } from '../../protocol/model/wire.ts';
import type { JournalEntry } from '../../protocol/session/journal.ts';
import { listSteps, nameStep } from './fork-point.ts';
import { type FolderMove, moveFolder } from './move-folder.ts';

/** One request of the main thread and what the model decided. */
export interface CourseStep {
  /** As `explainSession()` numbers it. */
  readonly step: string;
  readonly calls: readonly { readonly name: string; readonly input: Readonly<Record<string, unknown>> }[];
  /** What the model said, without thinking. */
  readonly text: string;
}

/** The part of a session from a step to its end. */
export interface SessionCourse {
  readonly steps: readonly CourseStep[];
  /** Why the last submission ended; undefined: it has no result. */
  readonly terminal: string | undefined;
  /** Of the requests in this journal; what agents asked for is in theirs. */
  readonly costUsd: number;
  readonly inputTokens: number;
  /** Of `inputTokens`. */
  readonly cachedTokens: number;
  readonly outputTokens: number;
  /** From its first request to its last record, in ms; pauses between prompts included. */
  readonly durationMs: number;
}

/** `from`: index of the first record. `move`: names of files are given back in this folder. */
export function readCourse(records: readonly JournalEntry[], from: number, move?: FolderMove): SessionCourse {
  const all = listSteps(records);
  const steps = all.filter(({ at }) => at >= from);
  const rest = records.slice(from);
  const responses = rest.flatMap((record) => (record.type === 'response' ? [record] : []));
  const sum = (pick: (usage: Usage) => number | null | undefined) =>
    responses.reduce((total, { usage }) => total + (pick(usage) ?? 0), 0);
  const cachedTokens = sum((usage) => usage.cache_read_input_tokens);
  const times = [records[steps[0]?.at ?? from], rest.at(-1)].map((each) => Date.parse(each?.timestamp ?? ''));
  const [begin = Number.NaN, end = Number.NaN] = times;
  const result = rest.findLast((record) => record.type === 'result')?.result;
  const terminal = isRecord(result) ? (result['terminal_reason'] ?? result['subtype']) : undefined;
  return {
    steps: steps.map((step, index) => {
      const said = records.slice(step.at, steps[index + 1]?.at);
      return { step: nameStep(step, all), ...readAnswer(move === undefined ? said : moveFolder(said, move)) };
    }),
    terminal: typeof terminal === 'string' ? terminal : undefined,
    costUsd: responses.reduce((total, { costUsd }) => total + costUsd, 0),
    inputTokens:
      sum((usage) => usage.input_tokens) + sum((usage) => usage.cache_creation_input_tokens) + cachedTokens,
    cachedTokens,
    outputTokens: sum((usage) => usage.output_tokens),
    durationMs: Number.isNaN(end - begin) ? 0 : Math.max(0, end - begin),
  };
}

function readAnswer(records: readonly JournalEntry[]): Omit<CourseStep, 'step'> {
  const blocks = records.flatMap((record) => (record.type === 'assistant' ? record.message.content : []));
  return {
    calls: blocks.flatMap((block) =>
      block.type === 'tool_use'
        ? [{ name: String(block['name']), input: isRecord(block['input']) ? block['input'] : {} }]
        : [],
    ),
    text: blocks.flatMap((block) => (block.type === 'text' ? [String(block['text'])] : [])).join('\n'),
  };
}
