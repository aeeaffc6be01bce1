/** What an earlier life of a session left on record: to be gone on with, or copied for a fork. Loaded for a resume. */
import { afterCompactions } from '../../loop/task-budget.ts';
import type { JournalStore } from '../../protocol/ports.ts';
import type { JournalBody } from '../../protocol/session/journal.ts';
import type { JournalWriter } from '../../session/journal/journal-writer.ts';
import { readEntries } from '../../session/journal/read-journal.ts';
import { carryOnInterrupted, closeInterrupted } from '../../session/resume/interrupted.ts';
import { resumeSession } from '../../session/resume/resume.ts';
import type { ResumedSession } from '../../session/resume/resumed-session.ts';
import { type Rewound, rewoundTo } from '../../session/resume/rewind.ts';
import { ViewFold } from '../../view/fold.ts';
import type { QueryEngineConfig } from '../config.ts';
import type { Recovered } from './session-journal.ts';

interface EarlierLife {
  /** Reads it, once the session is ours. */
  recover(writer: JournalWriter): Promise<Recovered>;
}

/** Rejects with `invalid_option` or `resume_rejected` when the session cannot be gone on with as asked. */
export async function openEarlierLife(
  store: JournalStore,
  resume: string,
  config: QueryEngineConfig,
): Promise<EarlierLife> {
  const rewound = await rewindOf(store, resume, config);
  return {
    async recover(writer) {
      if (config.forkSession === true) {
        const earlier = resumeSession(rewound?.kept ?? (await readEntries(store, resume)));
        return copied(earlier, resume, writer);
      }
      if (rewound !== undefined && rewound.dropped.length > 0) {
        await writer.append([rewindRecord(config.resumeSessionAt as string, rewound.dropped, writer.epoch)]);
        return recoveredFrom(resumeSession(await readEntries(store, resume)), config);
      }
      return recoveredFrom(resumeSession(writer.takeEarlier() ?? (await readEntries(store, resume))), config);
    },
  };
}

async function rewindOf(
  store: JournalStore,
  resume: string,
  { resumeSessionAt, resumeDropsTurn }: QueryEngineConfig,
): Promise<Rewound | undefined> {
  if (resumeSessionAt === undefined) return undefined;
  return rewoundTo(await readEntries(store, resume), resumeSessionAt, resumeDropsTurn);
}

function rewindRecord(to: string, uuids: readonly string[], epoch: number): JournalBody {
  const submission = `rewind/${epoch}`;
  return { type: 'rewind', id: submission, submission, to, uuids };
}

function recoveredFrom(earlier: ResumedSession, config: QueryEngineConfig): Recovered {
  const { open, fold: view, counted, totals, title } = earlier;
  const { todos, tasks, loadedTools, plan, snipped, consumed } = earlier;
  const answered = answeredIn(earlier);
  const state = { todos, tasks, loadedTools, plan, snipped, consumed };
  const known = { view, counted, totals, title, ...state, answered };
  const taskRemaining = afterCompactions(config.taskBudget?.total, [{ pre_tokens: earlier.compactedTokens }]);
  if (open === undefined) return { ...known, taskRemaining };
  const { records, carryOn } = carryOnInterrupted(open);
  const interrupted = {
    submission: open.id,
    carryOn,
    startAt: { iteration: open.iteration, turnCount: open.turnCount, carried: open.carried },
    usages: open.usages,
    switched: open.switched,
    lent: open.lent,
    denied: open.denied,
    answers: open.asks.flatMap(({ toolUseId, answer }) =>
      answer === undefined ? [] : [{ toolUseId, answer }],
    ),
    terminal: open.terminal,
    said: open.said,
    closing: closeInterrupted(open),
    reopening: records,
  };
  return { ...known, taskRemaining, interrupted };
}

/** The other session's conversation, closed for good, and what it cost, on record as this one's. */
async function copied(earlier: ResumedSession, from: string, writer: JournalWriter): Promise<Recovered> {
  if (earlier.open !== undefined) earlier.fold.apply(closeInterrupted(earlier.open));
  const submission = `fork/${from}`;
  const copies = [...earlier.fold.messages].map((message) =>
    message.type === 'assistant' ? { ...message, submission, iteration: 0 } : { ...message, submission },
  );
  const { totals } = earlier;
  await writer.append([...copies, { type: 'cost', id: `${submission}/cost`, submission, ...totals }]);
  const view = new ViewFold();
  view.apply(copies);
  const { todos, loadedTools, plan, snipped } = earlier;
  return { view, totals, todos, loadedTools, plan, snipped, answered: answeredIn(earlier) };
}

function answeredIn({ consumed, open }: ResumedSession): ReadonlySet<string> {
  if (open === undefined) return consumed;
  const owed = new Set(open.prompts);
  return new Set([...consumed].filter((prompt) => !owed.has(prompt)));
}
