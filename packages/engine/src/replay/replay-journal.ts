/**
 * Runs the real loop from a journal alone: answers, results, answers of hooks, time and ids are those of the
 * record. Nothing is asked of the network, no tool runs, nothing is written.
 */

import { openScope } from '@turnwright/base/async/scope.ts';
import { errorText } from '@turnwright/base/text/error-text.ts';
import type { LoopDeps, LoopParams } from '../loop/deps.ts';
import { queryLoop } from '../loop/query-loop.ts';
import type { DecisionRecord } from '../protocol/session/decision-record.ts';
import type { JournalBody, JournalEntry, Recorder } from '../protocol/session/journal.ts';
import type { FactDifference, ReplayDifference, ReplayReport } from '../protocol/session/replay-report.ts';
import { differences, isWritten } from './compare.ts';
import { Cursor } from './cursor.ts';
import { depsOf, paramsOf } from './given.ts';
import type { AlterBytes } from './ports/model-port.ts';
import { LearnedSizes } from './ports/replayed-context.ts';
import { readRecorded } from './read-recorded.ts';
import type { RecordedRun } from './recorded.ts';

/** Options of `replay()`. */
export interface ReplayOptions {
  /** The entries are the journal of an agent. Default false. */
  readonly isAgent?: boolean;
  /** Only this submission, from 1. Default all. */
  readonly submission?: number;
  /** Changes the bytes of an answer before they are decoded. Default not. */
  readonly alterBytes?: AlterBytes;
  /** Changes what a run is given: parameters, ports. To see what one change does. Default nothing. */
  readonly alter?: (given: { readonly params: LoopParams; readonly deps: LoopDeps }) => {
    readonly params?: Partial<LoopParams>;
    readonly deps?: Partial<LoopDeps>;
  };
}

/** Replays a journal, and compares each decision with the recorded one, up to the first that differs. */
export async function replayJournal(
  entries: Iterable<JournalEntry>,
  options: ReplayOptions = {},
): Promise<ReplayReport> {
  const notRecorded = new Set<string>();
  let runs = 0;
  let iterations = 0;
  let learned = new LearnedSizes();
  let epoch = -1;
  for (const run of readRecorded(entries, { sidechain: options.isAgent === true })) {
    for (const each of run.missing) notRecorded.add(each);
    if (run.epoch !== epoch) learned = atStartOf(run);
    epoch = run.epoch;
    const isWanted = options.submission === undefined || options.submission === run.ordinal;
    const replayed = await replayRun(run, learned, options);
    if (!isWanted) continue;
    for (const each of replayed.missing) notRecorded.add(each);
    runs += 1;
    iterations += replayed.iterations;
    const { difference } = replayed;
    if (difference !== undefined) return { runs, iterations, difference, notRecorded: [...notRecorded] };
  }
  return { runs, iterations, notRecorded: [...notRecorded] };
}

function atStartOf(run: RecordedRun): LearnedSizes {
  const learned = new LearnedSizes();
  const counted = run.counted();
  if (counted !== undefined && counted.model === run.model) learned.counted = counted;
  return learned;
}

interface ReplayedRun {
  readonly iterations: number;
  readonly difference: ReplayDifference | undefined;
  readonly missing: Iterable<string>;
}

async function replayRun(
  run: RecordedRun,
  learned: LearnedSizes,
  options: ReplayOptions,
): Promise<ReplayedRun> {
  const scope = openScope();
  const cursor = new Cursor(run, scope);
  const recorder = new Comparing(cursor);
  const given = { params: paramsOf(run, scope), deps: depsOf(cursor, recorder, learned, options.alterBytes) };
  const altered = options.alter?.(given);
  const params = { ...given.params, ...altered?.params };
  const deps = { ...given.deps, ...altered?.deps };
  const loop = queryLoop(params, deps);
  try {
    while (true) {
      if (cursor.now === undefined || (isLeft(cursor) && cursor.isPlayed)) break;
      const step = await loop.next();
      if (step.done === true || recorder.difference !== undefined) break;
      if (cursor.isAbortedInRules && recorder.wroteLast) cursor.abort();
      // The driver of the loop ends it between two batches.
      if (deps.guard.verdict() !== undefined) break;
    }
  } catch (error) {
    recorder.failed(error);
  } finally {
    await loop.return(undefined as never).catch(() => undefined);
    await scope.close();
  }
  recorder.ended();
  return { iterations: recorder.compared, difference: recorder.difference, missing: cursor.missing };
}

/** Its consumer left in the middle of this iteration: nothing was decided. */
const isLeft = ({ now }: Cursor): boolean => now?.record !== undefined && now.record.decision === undefined;

/** Takes what the loop records; each decision is compared as it comes. */
class Comparing implements Recorder {
  readonly #cursor: Cursor;
  readonly #aliases = new Map<string, string>();
  #written: JournalBody[] = [];
  compared = 0;
  difference: ReplayDifference | undefined;

  constructor(cursor: Cursor) {
    this.#cursor = cursor;
  }

  append(entries: readonly JournalBody[]): undefined {
    this.later(entries);
  }

  later(entries: readonly JournalBody[]): void {
    for (const body of entries) {
      if (body.type === 'decision') this.#decided(body.record);
      else this.#written.push(body);
      if (isWritten(body)) this.#cursor.wrote += 1;
    }
  }

  commit(): undefined {}

  /** What the loop wrote before the submission was aborted. */
  get wroteLast(): boolean {
    const { now } = this.#cursor;
    const own = this.#written.filter((body) => isWritten(body)).length;
    const all = now?.written ?? [];
    return own >= all.filter((entry) => entry.type !== 'user' || entry.kind !== 'interruption').length;
  }

  #decided(now: DecisionRecord): void {
    const written = this.#written;
    this.#written = [];
    const cursor = this.#cursor;
    const recorded = cursor.now;
    if (recorded === undefined || this.difference !== undefined) return;
    if (isLeft(cursor)) {
      cursor.next();
      return;
    }
    this.#learnNames(written);
    this.compared += 1;
    const [first, ...others] = differences(recorded, now, written, {
      aliases: this.#aliases,
      isRedacted: cursor.run.isRedacted,
    });
    if (first !== undefined) this.#differs(first, others, now);
    cursor.next();
  }

  /** The uuids of what the loop wrote, in the record. */
  #learnNames(written: readonly JournalBody[]): void {
    const left = [...(this.#cursor.now?.written ?? [])];
    for (const body of written) {
      if (!('uuid' in body) || !isWritten(body)) continue;
      const at = left.findIndex(
        (entry) => entry.type === body.type && 'uuid' in entry && kindOf(entry) === kindOf(body),
      );
      const [entry] = at < 0 ? [] : left.splice(at, 1);
      if (entry !== undefined && 'uuid' in entry) this.#aliases.set(body.uuid, entry.uuid);
    }
  }

  #differs(first: FactDifference, others: readonly FactDifference[], now: DecisionRecord | undefined): void {
    const { run, now: recorded } = this.#cursor;
    this.difference = {
      submission: run.ordinal,
      iteration: recorded?.number ?? now?.iteration ?? 0,
      agentPath: run.agentPath,
      ...first,
      others,
      records: { recorded: recorded?.record, now },
    };
  }

  failed(error: unknown): void {
    if (this.difference !== undefined) return;
    const text = errorText(error);
    this.#differs(
      { fact: 'decision', recorded: this.#cursor.now?.record?.decision, now: text },
      [],
      undefined,
    );
  }

  /** The loop has ended: so has the record, unless it was cut off. */
  ended(): void {
    const { now } = this.#cursor;
    if (this.difference !== undefined || now === undefined || isLeft(this.#cursor)) return;
    this.#differs(
      { fact: 'decision', recorded: now.record?.decision ?? now.implied, now: undefined },
      [],
      undefined,
    );
  }
}

const kindOf = (body: JournalBody): unknown =>
  'kind' in body ? body.kind : 'subtype' in body ? body.subtype : undefined;
