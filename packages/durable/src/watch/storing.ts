/** Whether the database takes what sessions write. */
import { systemClock } from '@turnwright/base/clock.ts';
import { errorText } from '@turnwright/base/text/error-text.ts';
import type { Database } from '../postgres/database.ts';
import { refusedFor } from '../postgres/outlasting.ts';

/** What is stored at the second or third attempt was stored. */
const REFUSED_MS = 1_000;
/** A database that could not store a run is said to be in trouble for so long, or until one is stored. */
const UNSTORED_MS = 60_000;

interface Storing {
  /** The end of a run was stored. */
  succeeded(): void;
  /** A run could not be stored. */
  failed(why: unknown): void;
  /** A sentence; undefined: there is none. */
  trouble(): string | undefined;
}

export function watchStoring(database: Database): Storing {
  let unstored: { readonly why: unknown; readonly atMs: number } | undefined;
  return {
    succeeded() {
      unstored = undefined;
    },
    failed(why) {
      unstored = { why, atMs: systemClock.monotonicMs() };
    },
    trouble() {
      const isRecent = unstored !== undefined && systemClock.monotonicMs() - unstored.atMs < UNSTORED_MS;
      const why = refusedFor(database, REFUSED_MS) ?? (isRecent ? unstored?.why : undefined);
      return why === undefined ? undefined : `What sessions do cannot be stored: ${errorText(why)}`;
    },
  };
}
