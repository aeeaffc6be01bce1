import type { JournalEntry } from '@turnwright/engine/protocol/session/journal.ts';
import { expect } from 'vitest';
import { resumeSession } from '../../packages/engine/src/session/resume/resume.ts';
import { prefixFaults } from './prefix-faults.ts';

/** Every promise of L10.8 about one prefix of runs without continuations. Throws when one is broken. */
export function checkPrefix(entries: readonly JournalEntry[]): void {
  expect(prefixFaults(entries)).toEqual([]);
  const { startAt } = resumeSession(entries).interrupted ?? {};
  if (startAt?.response !== undefined) expect(startAt.turnCount).toBe(startAt.iteration);
}
