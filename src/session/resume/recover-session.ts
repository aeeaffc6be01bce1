/** Reads what earlier processes recorded of a session: to continue it, or to copy it for a fork. */
import type { JournalStore } from '../../protocol/ports.ts';
import type { JournalBody } from '../../protocol/session/journal.ts';
import { ViewFold } from '../../view/fold.ts';
import type { JournalWriter } from '../journal/journal-writer.ts';
import { readEntries } from '../journal/read-journal.ts';
import { type ResumedSession, resumeSession } from './resume.ts';
import { rewoundTo } from './rewind.ts';

interface ResumeOptions {
  /** Id of the session that is resumed. */
  readonly resume: string;
  /** Its conversation is copied into the session that is opened. Default false. */
  readonly forkSession?: boolean | undefined;
  /** uuid of the last message that counts. Default: the last one. */
  readonly resumeSessionAt?: string | undefined;
  /** uuid of the only prompt whose turn may be lost by that. */
  readonly resumeDropsTurn?: string | undefined;
}

interface EarlierRecords {
  /** Reads them. Called once the session is taken over: an earlier owner can write nothing more. */
  recover(writer: JournalWriter): Promise<ResumedSession>;
}

/** Rejects with `invalid_option` or `resume_rejected` when the session cannot be resumed as requested. */
export async function openEarlierRecords(
  store: JournalStore,
  { resume, forkSession, resumeSessionAt: to, resumeDropsTurn }: ResumeOptions,
): Promise<EarlierRecords> {
  const rewound =
    to === undefined ? undefined : rewoundTo(await readEntries(store, resume), to, resumeDropsTurn);
  return {
    async recover(writer) {
      if (forkSession === true)
        return copied(resumeSession(rewound?.kept ?? (await readEntries(store, resume))), resume, writer);
      const isRewound = to !== undefined && rewound !== undefined && rewound.dropped.length > 0;
      if (isRewound) await writer.append([rewindRecord(to, rewound.dropped, writer.epoch)]);
      const gathered = isRewound ? undefined : writer.takeEarlier();
      return resumeSession(gathered ?? (await readEntries(store, resume)));
    },
  };
}

function rewindRecord(to: string, uuids: readonly string[], epoch: number): JournalBody {
  const submission = `rewind/${epoch}`;
  return { type: 'rewind', id: submission, submission, to, uuids };
}

/** Records the other session's conversation, with open calls answered, and its cost as this one's. */
async function copied(earlier: ResumedSession, from: string, writer: JournalWriter): Promise<ResumedSession> {
  if (earlier.interrupted !== undefined) earlier.view.apply(earlier.interrupted.closing);
  const submission = `fork/${from}`;
  const copies = [...earlier.view.messages].map((message) =>
    message.type === 'assistant' ? { ...message, submission, iteration: 0 } : { ...message, submission },
  );
  const cost = { type: 'cost', id: `${submission}/cost`, submission, ...earlier.totals } as const;
  await writer.append([...copies, cost]);
  const view = new ViewFold();
  view.apply(copies);
  return {
    ...earlier,
    view,
    interrupted: undefined,
    counted: undefined,
    compactedTokens: 0,
    title: undefined,
    tasks: [],
    consumed: new Set(),
  };
}
