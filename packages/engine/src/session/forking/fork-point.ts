/** The steps of a session, as `explain` numbers them, and where its records are cut to begin again at one. */
import { TurnwrightError } from '../../protocol/errors.ts';
import type { JournalEntry } from '../../protocol/session/journal.ts';
import { isMainRequest } from '../../view/fold.ts';

/** One request of the main thread. */
export interface SessionStep {
  /** From 1. */
  readonly submission: number;
  /** Number of the iteration in its submission. */
  readonly iteration: number;
  /** The model that was asked. */
  readonly model: string;
  /** Index of the request; everything before it was there when it was sent. */
  readonly at: number;
  /** Index where its submission begins. */
  readonly beginsAt: number;
}

/** Of records in order. Of a request that was made again, the first attempt counts. */
export function listSteps(records: readonly JournalEntry[]): readonly SessionStep[] {
  const begins: { readonly id: string; readonly at: number }[] = [];
  const steps: SessionStep[] = [];
  for (const [at, record] of records.entries()) {
    if (record.type === 'submission' && !begins.some(({ id }) => id === record.submission))
      begins.push({ id: record.submission, at });
    if (record.type !== 'request' || !isMainRequest(record)) continue;
    const index = begins.findIndex(({ id }) => id === record.submission);
    const submission = index + 1;
    const { iteration, model } = record;
    const isKnown = steps.some((step) => step.submission === submission && step.iteration === iteration);
    if (index >= 0 && !isKnown)
      steps.push({ submission, iteration, model, at, beginsAt: begins[index]?.at ?? at });
  }
  return steps;
}

/** `3` in a session of one submission, else `2.3`. */
export function nameStep({ submission, iteration }: SessionStep, steps: readonly SessionStep[]): string {
  return (steps.at(-1)?.submission ?? 1) === 1 ? `${iteration}` : `${submission}.${iteration}`;
}

/**
 * `text`: a number that `explain` prints (`3`), with its submission (`2.3`) where there are several, or the
 * id of a message or its beginning: of an answer its own step, of a prompt or a result the step that read it.
 * Throws `invalid_option` with the steps that there are.
 */
export function findStep(records: readonly JournalEntry[], text: string): SessionStep {
  const steps = listSteps(records);
  const last = steps.at(-1);
  if (last === undefined)
    throw refused(
      records.some(({ v }) => v === 0)
        ? 'This session was written by another program and records no steps. turnwright sessions fork copies it up to a message.'
        : 'This session made no request, so there is no step to fork it at.',
    );
  const [, whole, part] = /^(\d{1,6})(?:\.(\d{1,6}))?$/.exec(text.trim()) ?? [];
  if (whole === undefined) return findByMessage(records, steps, text.trim());
  if (part === undefined && last.submission > 1)
    throw refused(
      `There are ${last.submission} submissions: say ${last.submission}.${whole}, or another. ${describe(steps)}`,
    );
  const submission = part === undefined ? 1 : Number(whole);
  const iteration = Number(part ?? whole);
  const found = steps.find((step) => step.submission === submission && step.iteration === iteration);
  if (found !== undefined) return found;
  throw refused(`There is no step ${text.trim()}. ${describe(steps)}${unfinished(records, last)}`);
}

function findByMessage(
  records: readonly JournalEntry[],
  steps: readonly SessionStep[],
  id: string,
): SessionStep {
  const isNamed = (record: JournalEntry): boolean =>
    ('uuid' in record && typeof record.uuid === 'string' && record.uuid.startsWith(id)) ||
    (record.type === 'assistant' && record.message.id === id);
  const at = id.length < 4 ? -1 : records.findIndex(isNamed);
  const record = records[at];
  if (record === undefined)
    throw refused(`"${id}" is neither a step nor a message of this session. ${describe(steps)}`);
  if (
    'uuid' in record &&
    records.some(
      (each) => isNamed(each) && 'uuid' in each && each.uuid !== record.uuid && record.type !== 'assistant',
    )
  )
    throw refused(`The ids of several messages begin with "${id}": type more of it.`);
  const found =
    record.type === 'assistant' ? steps.findLast((step) => step.at < at) : steps.find((step) => step.at > at);
  if (found === undefined) throw refused(`No request was made after the message ${id}. ${describe(steps)}`);
  return found;
}

/** Which steps there are: `Its steps are 1.1 to 1.5 and 2.1 to 2.3.` */
function describe(steps: readonly SessionStep[]): string {
  const lastOf = new Map<number, SessionStep>();
  const firstOf = new Map<number, SessionStep>();
  for (const step of steps) {
    lastOf.set(step.submission, step);
    if (!firstOf.has(step.submission)) firstOf.set(step.submission, step);
  }
  const ranges = [...firstOf].map(([submission, first]) => {
    const last = lastOf.get(submission) ?? first;
    return first === last ? nameStep(first, steps) : `${nameStep(first, steps)} to ${nameStep(last, steps)}`;
  });
  const [only = ''] = ranges;
  if (ranges.length === 1)
    return only.includes(' to ') ? `Its steps are ${only}.` : `Its only step is ${only}.`;
  return `Its steps are ${ranges.slice(0, -1).join(', ')} and ${ranges.at(-1)}.`;
}

/** A call of the last step that has no result is why there is no next one. */
function unfinished(records: readonly JournalEntry[], last: SessionStep): string {
  const open = new Map<string, string>();
  for (const record of records.slice(last.at)) {
    if (record.type !== 'assistant' && record.type !== 'user') continue;
    const { content } = record.message;
    if (typeof content === 'string') continue;
    for (const block of content) {
      if (block.type === 'tool_use') open.set(String(block['id']), String(block['name']));
      if (block.type === 'tool_result') open.delete(String(block['tool_use_id']));
    }
  }
  const [name] = open.values();
  return name === undefined ? '' : ` The last one is not finished: its call of ${name} has no result.`;
}

const refused = (sentence: string): TurnwrightError => new TurnwrightError('invalid_option', sentence);
