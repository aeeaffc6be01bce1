/** What a resume promises about a prefix of a journal (L10.8). */
import { expect } from 'vitest';
import type { JournalBody, JournalEntry } from '../../src/protocol/session/journal.ts';
import { resumeSession } from '../../src/session/resume/resume.ts';
import { faultsOf } from './conversation.ts';
import { asEntries } from './sample-journal.ts';

/** The journal with these records behind it. */
export function followedBy(entries: readonly JournalEntry[], bodies: readonly JournalBody[]): JournalEntry[] {
  const head = entries.at(-1)?.seq ?? 0;
  return [...entries, ...asEntries(bodies).map((entry, index) => ({ ...entry, seq: head + 1 + index }))];
}

/** Every promise of L10.8 about one prefix. Throws when one is broken. */
export function checkPrefix(entries: readonly JournalEntry[]): void {
  const resumed = resumeSession(entries);
  const { interrupted: open } = resumed;
  if (open === undefined) {
    expect(faultsOf(resumed.view.messages)).toEqual([]);
    return;
  }
  const closed = resumeSession(followedBy(entries, open.closing));
  expect(faultsOf(closed.view.messages)).toEqual([]);
  expect(closed.interrupted?.calls.filter(({ plan }) => plan !== 'answered') ?? []).toEqual([]);

  const started = new Set(
    entries.flatMap((entry) =>
      entry.type === 'intent' && entry.effectClass === 'unsafe' ? [entry.toolUseId] : [],
    ),
  );
  const { reopening, startAt } = open;
  const { response } = startAt;
  const carried = resumeSession(followedBy(entries, reopening));
  expect(carried.problems).toEqual(resumed.problems);
  if (response === undefined) {
    expect(faultsOf(carried.view.messages)).toEqual([]);
    return;
  }
  const known = new Set(
    response.known.map(({ message }) => (message.content[0] as { tool_use_id: string }).tool_use_id),
  );
  const runs = response.calls.map(({ block }) => block.id).filter((id) => !known.has(id));
  expect(runs.filter((id) => started.has(id))).toEqual([]);
  expect(startAt.turnCount).toBe(startAt.iteration);
  // Once those have run the conversation is whole.
  const done = runs.map((id, index) => ({
    type: 'user' as const,
    uuid: `ran-${index}`,
    timestamp: '',
    message: {
      role: 'user' as const,
      content: [{ type: 'tool_result' as const, tool_use_id: id, content: 'ok' }],
    },
    submission: open.id,
  }));
  expect(faultsOf(resumeSession(followedBy(entries, [...reopening, ...done])).view.messages)).toEqual([]);
}
