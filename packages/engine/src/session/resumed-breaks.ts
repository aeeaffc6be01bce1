/**
 * Cache breaks at the first request of a run. The process that made it had no request before it to compare
 * with: they follow from the records of the run before.
 */
import {
  CACHE_TTL_MS,
  type CacheBreak,
  type CacheBreakKind,
  type CacheTtl,
  missCost,
  missedTokens,
} from '../protocol/model/cache.ts';
import type { ModelPrice } from '../protocol/model/model.ts';
import type { DecisionRecord } from '../protocol/session/decision-record.ts';
import type { JournalEntry } from '../protocol/session/journal.ts';

type Snapshot = Extract<JournalEntry, { readonly type: 'context-snapshot' }>;

interface Answered {
  readonly record: DecisionRecord;
  readonly snapshot: Snapshot | undefined;
  /** ms since 1970. */
  readonly at: number;
}

export type PriceLookup = (model: string) => ModelPrice | undefined;

/** Entries of one journal go through it in order. */
export class ResumedBreaks {
  readonly #priceOf: PriceLookup;
  #snapshot: Snapshot | undefined;
  #before: Answered | undefined;
  /** No request was answered yet since the run began, or since another process took over. */
  #isFirst = false;
  #epoch: number | undefined;

  constructor(priceOf: PriceLookup) {
    this.#priceOf = priceOf;
  }

  /** The record of a decision, with the break that it lacks; undefined: the entry is of another type. */
  complete(entry: JournalEntry): DecisionRecord | undefined {
    if (entry.type === 'submission' || entry.epoch !== this.#epoch) this.#isFirst = true;
    this.#epoch = entry.epoch;
    if (entry.type === 'context-snapshot') this.#snapshot = entry;
    if (entry.type !== 'decision') return undefined;
    const { record } = entry;
    const { usage, cache, startedAt, startMs, endMs } = record;
    if (usage === undefined || cache === undefined) return record;
    const before = this.#before;
    const at = Date.parse(startedAt) + endMs - startMs;
    this.#before = { record, snapshot: this.#snapshot, at };
    const isFirst = this.#isFirst;
    this.#isFirst = false;
    if (
      !isFirst ||
      before === undefined ||
      cache.expectedReadTokens !== undefined ||
      cache.break !== undefined
    )
      return record;
    // A parked iteration is decided again, by the run that continues it.
    if (record.response?.messageId === before.record.response?.messageId) return record;
    const expectedReadTokens =
      (before.record.cache?.readTokens ?? 0) + (before.record.cache?.writtenTokens ?? 0);
    const tokens = missedTokens(expectedReadTokens, cache.readTokens);
    if (tokens === 0) return record;
    const price = record.request && this.#priceOf(record.request.model);
    const cause = findCause(before, this.#before);
    const found = { ...cause, tokens, ...missCost(tokens, price, lifetimeIn(record)) };
    return { ...record, cache: { ...cache, expectedReadTokens, break: found } };
  }
}

/** Of what this answer wrote. */
const lifetimeIn = ({ usage }: DecisionRecord): CacheTtl =>
  (usage?.cache_creation?.ephemeral_1h_input_tokens ?? 0) > 0 ? '1h' : '5m';

function findCause(
  { record: was, snapshot: old, at: since }: Answered,
  { record, snapshot, at }: Answered,
): Pick<CacheBreak, 'kind' | 'why'> {
  const cause = (kind: CacheBreakKind, detail = '') => ({
    kind,
    why: `It was the first request of a later run${detail === '' ? '' : `; ${detail}`}.`,
  });
  const [model, other] = [was.request?.model, record.request?.model];
  if (model !== other) return cause('model', `${model} before, ${other} now`);
  if (old !== undefined && snapshot !== undefined && old.hash !== snapshot.hash) {
    const tool = [...snapshot.toolNames, ...old.toolNames].find(
      (name) => snapshot.toolNames.includes(name) !== old.toolNames.includes(name),
    );
    if (tool !== undefined)
      return cause('tools', `${tool} was ${snapshot.toolNames.includes(tool) ? 'added' : 'taken away'}`);
    const isContext =
      old.system.join() === snapshot.system.join() && old.userContext.join() !== snapshot.userContext.join();
    return cause(isContext ? 'user_context' : 'system');
  }
  if (record.view.length < was.view.length) return cause('message_removed');
  const lifetime = lifetimeIn(was);
  const idle = at - since - (record.endMs - record.startMs);
  if (idle > CACHE_TTL_MS[lifetime])
    return cause(
      'expired',
      `${Math.round(idle / 60_000)} minutes had passed, and it is kept for ${lifetime === '1h' ? 'an hour' : '5 minutes'}`,
    );
  return cause('unexplained');
}
