/** What one iteration decided, beside what it decides now: the first fact that differs. */

import type { DecisionRecord } from '../protocol/session/decision-record.ts';
import type { JournalBody, JournalEntry } from '../protocol/session/journal.ts';
import type { FactDifference } from '../protocol/session/replay-report.ts';
import { redactField } from '../session/redact-records.ts';
import { resultIds } from '../view/tool-results.ts';
import { WRITTEN_KINDS } from './read-iteration.ts';
import type { RecordedIteration } from './recorded.ts';

/** How a run is compared. */
interface Compared {
  /** uuids of the record by those of now. */
  readonly aliases: ReadonlyMap<string, string>;
  /** The record was redacted: what the loop says now is compared in that form. */
  readonly isRedacted: boolean;
}

/** All differences, the earliest first. */
export function differences(
  recorded: RecordedIteration,
  now: DecisionRecord,
  written: readonly JournalBody[],
  { aliases, isRedacted }: Compared,
): readonly FactDifference[] {
  const { record } = recorded;
  if (record === undefined) return impliedDifference(recorded, now);
  const rule = now.rules.find(({ verdict }) => verdict !== 'pass')?.name;
  const found: FactDifference[] = [];
  const compare = (fact: string, before: unknown, after: unknown, by?: string) => {
    const at = isRedacted
      ? firstDifference(redactField(before, fact), redactField(after, fact))
      : firstDifference(before, after);
    if (at !== undefined)
      found.push({
        fact: `${fact}${at.path}`,
        ...(by !== undefined && { rule: by }),
        recorded: at.before,
        now: at.after,
      });
  };
  compare('in', record.in, now.in);
  compare('prepare', record.prepare.map(lasting), now.prepare.map(lasting));
  compare('view', seen(record), seen(now, aliases));
  compare('context', record.context, now.context);
  compare('request', record.request, now.request);
  writtenDifferences(recorded, written, compare);
  compare(
    'attempts',
    record.attempts.map(({ outcome }) => outcome),
    now.attempts.map(({ outcome }) => outcome),
  );
  compare('fallback', record.fallback, now.fallback);
  compare('response', record.response, now.response);
  compare('usage', record.usage, now.usage);
  compare('tools', record.tools.map(outcomeOf), now.tools.map(outcomeOf));
  const rules = Math.max(record.rules.length, now.rules.length);
  for (let at = 0; at < rules; at++) {
    const [before, after] = [record.rules[at], now.rules[at]];
    compare(`rules[${at}]`, before, after, (before ?? after)?.name);
  }
  const { sentence: _, ...decision } = record.decision ?? { sentence: '' };
  const { sentence: __, ...decisionNow } = now.decision ?? { sentence: '' };
  compare('decision', decision, decisionNow, rule);
  compare('next', record.next, now.next, rule);
  compare('budgets', record.budgets, now.budgets);
  return found;
}

const lasting = ({ ms: _, ...step }: DecisionRecord['prepare'][number]) => step;

const seen = ({ view: { added, ...view } }: DecisionRecord, aliases?: ReadonlyMap<string, string>) => ({
  ...view,
  added: aliases === undefined ? added : added.map((uuid) => aliases.get(uuid) ?? uuid),
});

const outcomeOf = ({ id, name, outcome, permission }: DecisionRecord['tools'][number]) => ({
  id,
  name,
  outcome,
  permission: permission && { verdict: permission.verdict, source: permission.source, rule: permission.rule },
});

/** Blocks of the answer, results, and what the loop itself wrote. */
function writtenDifferences(
  { attempts, written, results }: RecordedIteration,
  now: readonly JournalBody[],
  compare: (fact: string, before: unknown, after: unknown) => void,
): void {
  compare(
    'answer',
    attempts.flatMap(({ blocks }) => blocks.map(({ message }) => message.content[0])),
    now.flatMap((body) =>
      body.type === 'assistant' && body.synthetic === undefined && body.settled === undefined
        ? [body.message.content[0]]
        : [],
    ),
  );
  compare(
    'results',
    [...results.values()].map(({ message }) => message.message.content),
    now.flatMap((body) => (body.type === 'user' && resultIds(body).length > 0 ? [body.message.content] : [])),
  );
  compare('written', written.flatMap(ofLoop), now.flatMap(ofLoop));
}

/** The loop wrote it by itself. */
export const isWritten = (body: JournalBody): boolean => ofLoop(body).length > 0;

/** The part of a message or retraction that a reader of the conversation would see. */
function ofLoop(body: JournalBody | JournalEntry): readonly unknown[] {
  switch (body.type) {
    case 'assistant':
      return body.synthetic === undefined ? [] : [{ kind: 'error', content: body.message.content }];
    case 'user':
      if (resultIds(body).length > 0 || !WRITTEN_KINDS.has(body.kind)) return [];
      return [{ kind: body.kind, content: body.message.content }];
    case 'attachment':
      return body.attachment.type === 'hook_context'
        ? [{ kind: 'hook_context', content: body.attachment.content }]
        : [];
    case 'retract':
      return [{ kind: 'retract', reason: body.reason, messages: body.uuids.length }];
    default:
      return [];
  }
}

/** Another program's transcript says only whether a further request followed. */
function impliedDifference(
  { implied }: RecordedIteration,
  { decision }: DecisionRecord,
): readonly FactDifference[] {
  const now = decision?.kind === 'continue' ? 'continue' : 'stop';
  return implied === undefined || implied === now ? [] : [{ fact: 'decision.kind', recorded: implied, now }];
}

interface At {
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** The first place at which two values of JSON differ. An absent field equals one that is undefined. */
function firstDifference(before: unknown, after: unknown): At | undefined {
  if (Object.is(before, after)) return undefined;
  const isPlain = (value: unknown) => typeof value === 'object' && value !== null;
  if (!isPlain(before) || !isPlain(after) || Array.isArray(before) !== Array.isArray(after))
    return { path: '', before, after };
  const [one, other] = [before as Record<string, unknown>, after as Record<string, unknown>];
  for (const key of new Set([...Object.keys(one), ...Object.keys(other)])) {
    const at = firstDifference(one[key], other[key]);
    if (at !== undefined)
      return { ...at, path: `${Array.isArray(before) ? `[${key}]` : `.${key}`}${at.path}` };
  }
  return undefined;
}
