/** Replays a kept session, its agents included, out of files or a database. */
import { isRecord } from '@turnwright/base/json-values.ts';
import { TurnwrightError } from '../../protocol/errors.ts';
import type { JournalEntry } from '../../protocol/session/journal.ts';
import type { ReplayReport } from '../../protocol/session/replay-report.ts';
import { replayJournal } from '../../replay/replay-journal.ts';
import { redactRecords } from '../../session/redact-records.ts';
import type { SessionPlace } from './inspect-session.ts';
import { type InspectedJournal, type InspectionSource, openFileSource } from './open-inspection.ts';

export interface ReplayRequest {
  readonly submission?: number | undefined;
  readonly redact?: boolean | undefined;
  readonly source?: InspectionSource | undefined;
}

/** `submission`: only this one, from 1. Throws `session_not_found` and `invalid_option`. */
export async function replaySessionAt(
  sessionId: string | undefined,
  place: SessionPlace,
  { submission, redact, source: given }: ReplayRequest = {},
): Promise<ReplayReport> {
  const source = given ?? (await openFileSource(sessionId, place));
  const notRecorded: string[] = [];
  let report: ReplayReport = { runs: 0, iterations: 0, notRecorded };
  for await (const { entries, isAgent, damage } of readJournals(source, submission !== undefined)) {
    notRecorded.push(...damage);
    const part = await replayJournal(redact === true ? redactRecords(entries) : entries, {
      isAgent,
      ...(submission !== undefined && { submission }),
    });
    for (const each of part.notRecorded) if (!notRecorded.includes(each)) notRecorded.push(each);
    report = {
      ...part,
      runs: report.runs + part.runs,
      iterations: report.iterations + part.iterations,
      notRecorded,
    };
    if (part.difference !== undefined) return report;
  }
  if (submission !== undefined && report.runs === 0)
    throw new TurnwrightError(
      'invalid_option',
      `The session ${source.sessionId} has no submission ${submission} that was decided.`,
    );
  return report;
}

interface ReadJournal {
  readonly entries: readonly JournalEntry[];
  readonly isAgent: boolean;
  /** Sentences. */
  readonly damage: readonly string[];
}

/** The session's own first; those of agents as the journals before them name them. */
async function* readJournals(source: InspectionSource, isMainAlone: boolean): AsyncGenerator<ReadJournal> {
  const named = new Set<string>();
  const known = new Set<string>();
  const next = async (): Promise<InspectedJournal | undefined> => {
    const journals = await source.journals([...named]);
    return journals.find(({ agent }) => !known.has(agent?.id ?? ''));
  };
  for (let journal = await next(); journal !== undefined; journal = await next()) {
    const { agent } = journal;
    known.add(agent?.id ?? '');
    const entries: JournalEntry[] = [];
    const damage: string[] = [];
    for await (const entry of journal.read(0, (sentence) => damage.push(sentence))) {
      entries.push(entry);
      const result = entry.type === 'user' ? entry.toolUseResult : undefined;
      const agentId = isRecord(result) ? result['agentId'] : undefined;
      if (typeof agentId === 'string') named.add(agentId);
    }
    yield { entries, isAgent: agent !== undefined, damage };
    if (isMainAlone) return;
  }
}
