/** Replays a kept session, its agents included. */
import { basename, join } from 'node:path';
import { TurnwrightError } from '../../protocol/errors.ts';
import type { JournalEntry } from '../../protocol/session/journal.ts';
import type { ReplayReport } from '../../protocol/session/replay-report.ts';
import { replayJournal } from '../../replay/replay-journal.ts';
import { type JournalProblem, readJournal } from '../../session/journal/read-journal.ts';
import { redactRecords } from '../../session/redact-records.ts';
import { foundSession, type SessionPlace } from './inspect-session.ts';

/** `submission`: only this one, from 1. Throws `session_not_found` and `invalid_option`. */
export async function replaySessionAt(
  sessionId: string | undefined,
  place: SessionPlace,
  {
    submission,
    redact,
  }: { readonly submission?: number | undefined; readonly redact?: boolean | undefined } = {},
): Promise<ReplayReport> {
  const { files, found } = await foundSession(sessionId, place);
  const notRecorded: string[] = [];
  let report: ReplayReport = { runs: 0, iterations: 0, notRecorded };
  const folder = join(found.directory, found.sessionId, 'subagents');
  const hasAgents = submission === undefined && (await files.stat(folder))?.kind === 'directory';
  const agents = hasAgents
    ? (await files.readDir(folder)).filter((name) => name.endsWith('.jsonl')).sort()
    : [];
  const journals = [found.file, ...agents.map((name) => join(folder, name))];
  for (const [at, file] of journals.entries()) {
    const problems: JournalProblem[] = [];
    const entries: JournalEntry[] = [];
    for await (const entry of readJournal(files, file, { onProblem: (problem) => problems.push(problem) }))
      entries.push(entry);
    if (problems.length > 0) notRecorded.push(damageIn(redact === true ? basename(file) : file, problems));
    const isAgent = at > 0;
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
      `The session ${found.sessionId} has no submission ${submission} that was decided.`,
    );
  return report;
}

function damageIn(file: string, problems: readonly JournalProblem[]): string {
  const lines = problems.length === 1 ? '1 damaged line' : `${problems.length} damaged lines`;
  const [first] = problems;
  return `${lines} of ${file} (${first?.kind} at byte ${first?.offset})`;
}
