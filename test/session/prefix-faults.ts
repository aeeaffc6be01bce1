/** What a resume promises about a prefix of a journal (L10.8), and what is broken of it. */
import type { JournalBody, JournalEntry } from '@turnwright/engine/protocol/session/journal.ts';
import { resumeSession } from '../../packages/engine/src/session/resume/resume.ts';
import { faultsOf } from './conversation.ts';
import { asEntries } from './sample-journal.ts';

/** The journal with these records behind it. */
export function followedBy(entries: readonly JournalEntry[], bodies: readonly JournalBody[]): JournalEntry[] {
  const head = entries.at(-1)?.seq ?? 0;
  return [...entries, ...asEntries(bodies).map((entry, index) => ({ ...entry, seq: head + 1 + index }))];
}

/** Every broken promise of L10.8 about one prefix. */
export function prefixFaults(entries: readonly JournalEntry[]): string[] {
  const resumed = resumeSession(entries);
  const { interrupted: open } = resumed;
  if (open === undefined) return faultsOf(resumed.view.messages);
  const closed = resumeSession(followedBy(entries, open.closing));
  const found = faultsOf(closed.view.messages);
  for (const { plan } of closed.interrupted?.calls ?? [])
    if (plan !== 'answered') found.push(`a call of the closed submission is planned: ${plan}`);

  const started = new Set(
    entries.flatMap((entry) =>
      entry.type === 'intent' && entry.effectClass === 'unsafe' ? [entry.toolUseId] : [],
    ),
  );
  const { reopening, startAt } = open;
  const { response } = startAt;
  const carried = resumeSession(followedBy(entries, reopening));
  if (JSON.stringify(carried.problems) !== JSON.stringify(resumed.problems))
    found.push(`reopening makes problems: ${JSON.stringify(carried.problems)}`);
  if (response === undefined) return [...found, ...faultsOf(carried.view.messages)];
  const known = new Set(
    response.known.map(({ message }) => (message.content[0] as { tool_use_id: string }).tool_use_id),
  );
  const runs = response.calls.map(({ block }) => block.id).filter((id) => !known.has(id));
  for (const id of runs) if (started.has(id)) found.push(`${id} is not safe to repeat, and would run again`);
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
  const whole = resumeSession(followedBy(entries, [...reopening, ...done]));
  return [...found, ...faultsOf(whole.view.messages)];
}
