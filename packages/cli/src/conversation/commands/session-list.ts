/** The picker of sessions: `/resume`, and `--resume` without an id. */
import { describeTerminal, listSessions, type SDKSessionInfo, type SessionOutcome } from '@turnwright/engine';
import { age, dollars } from '../../words/units.ts';
import type { ConversationCommandContext } from '../command-context.ts';
import type { ConversationCommand } from './command-type.ts';
import { CommandMistake } from './command-type.ts';
import { type ListItem, listOverlay } from './list.ts';

/** What the picker needs: also before a session is open. */
type PickerPlace = Pick<ConversationCommandContext, 'clock' | 'cwd' | 'env' | 'open'>;

const MOST_SESSIONS = 200;

/** Lets the person choose a session of this folder; undefined: none was chosen. */
export async function pickSession(
  { clock, cwd, env, open }: PickerPlace,
  { current, search }: { readonly current?: string; readonly search?: string } = {},
): Promise<string | undefined> {
  const reading = listSessions({ dir: cwd, env, limit: MOST_SESSIONS, withOutcome: true });
  return open(
    listOverlay<string>({
      title: 'Resume a session',
      async *find(text, signal) {
        const { searchSessions } = await import('../../run/search-sessions.ts');
        for await (const { sessionId, line } of searchSessions(text, await reading, { cwd, env, signal }))
          yield { value: sessionId, line };
      },
      items: [],
      search,
      empty: 'No session of this folder is kept.',
      enter: 'resumes it',
      later: {
        what: 'Reading the sessions …',
        items: reading.then((sessions) => sessionItems(sessions, clock.nowMs(), current)),
      },
    }),
  );
}

/** Title, age, cost and end of each session, newest first; without those of archived ones. */
export function sessionItems(
  sessions: readonly SDKSessionInfo[],
  nowMs: number,
  current?: string,
): readonly ListItem<string>[] {
  return sessions
    .filter(({ archived }) => archived !== true)
    .map(({ sessionId, summary, lastModified, outcome, firstPrompt, gitBranch, tag }) => ({
      value: sessionId,
      label: summary,
      detail: [gitBranch, age(nowMs - lastModified), ...outcomeWords(outcome)]
        .filter((part) => part !== undefined && part !== '')
        .join(' · '),
      about: [
        [sessionId, tag && `#${tag}`].filter(Boolean).join(' · '),
        ...(firstPrompt !== undefined && firstPrompt !== summary ? [`began with: ${firstPrompt}`] : []),
      ],
      isCurrent: sessionId === current,
    }));
}

function outcomeWords(outcome: SessionOutcome | undefined): readonly string[] {
  if (outcome === undefined) return [];
  return [`${outcome.isPriced ? '' : '≥ '}${dollars(outcome.costUsd)}`, describeOutcome(outcome)];
}

/** How the last prompt ended, in two words at most. */
export function describeOutcome({ lastResult }: SessionOutcome): string {
  if (lastResult === undefined) return 'unfinished';
  const { terminal_reason: reason, is_error } = lastResult;
  return describeTerminal(reason)?.brief ?? (is_error ? 'failed' : 'done');
}

export const resumeCommand: ConversationCommand = {
  name: 'resume',
  aliases: ['continue'],
  summary: 'Continues an earlier session of this folder',
  argument: '[id or title]',
  async run(argument, context) {
    const { cwd, env, state } = context;
    const sessions = argument === '' ? [] : await listSessions({ dir: cwd, env });
    const named = sessions.find(({ sessionId }) => sessionId === argument)?.sessionId;
    const chosen = named ?? (await pickSession(context, { current: state.session.id, search: argument }));
    if (chosen === undefined) return;
    if (chosen === state.session.id) throw new CommandMistake('This session is open already.');
    await context.reopen({ resume: chosen });
  },
};
