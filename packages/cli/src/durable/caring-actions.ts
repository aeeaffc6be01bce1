/** For people on call: what `turnwright durable` does with one session, and `cordon <worker>`. */

import { shellWord } from '@turnwright/base/process/shell-program.ts';
import { bounded } from '@turnwright/base/text/cut-text.ts';
import {
  checkTables,
  type Database,
  durableClient,
  type OpenQuestion,
  type Operator,
  openOperator,
  restoreSession,
  type SessionDetails,
} from '@turnwright/durable';
import { visible } from '@turnwright/terminal/text/visible.ts';
import type { CaringAction, DurableInvocation } from '../flags/durable-flags.ts';
import { UsageError } from '../usage-error.ts';
import { age, counted } from '../words/units.ts';
import type { World } from '../world.ts';
import { neededArchive } from './archive-folder.ts';
import { wholeSession } from './whole-ids.ts';
import { isAlive } from './workers-alive.ts';

interface Asked {
  readonly action: CaringAction;
  /** An id, or its beginning; or a host. */
  readonly which: string;
  readonly url: string;
  readonly database: Database;
  readonly flags: DurableInvocation['flags'];
  readonly world: Pick<World, 'env'>;
}

export async function careFor({
  action,
  which,
  url,
  database,
  flags,
  world,
}: Asked): Promise<readonly string[]> {
  await checkTables(database.run);
  const client = durableClient(url);
  const operator = await openOperator(database);
  try {
    if (action === 'cordon') return [await cordon(operator, which)];
    // Its id is not among those of the sessions.
    if (action === 'restore') {
      const blobs = neededArchive(flags, world);
      const isBack = await restoreSession(database, { sessionId: which, blobs });
      return [isBack ? `${which} is back, as it was.` : `${which} was not archived.`];
    }
    return await ACTIONS[action](operator, await wholeSession(which, client), flags.json === true);
  } finally {
    await operator.close();
    await client.close();
  }
}

type Act = (operator: Operator, session: string, json: boolean) => Promise<readonly string[]>;

async function cordon(operator: Operator, which: string): Promise<string> {
  const told = await operator.cordon(which);
  if (told === 0)
    throw new UsageError(
      `No worker has this id, and none is on this host: ${visible(which)}. Which there are: npx turnwright durable status`,
    );
  return `${counted(told, 'worker')} ${told === 1 ? 'takes' : 'take'} no more sessions, and ${told === 1 ? 'ends' : 'end'} when what runs there is over or handed on.`;
}

const ACTIONS: Readonly<Record<Exclude<CaringAction, 'cordon' | 'restore'>, Act>> = {
  async show(operator, session, json) {
    const details = await operator.details(session);
    return json ? [JSON.stringify(details, undefined, 2)] : detailLines(details, Date.now());
  },
  async retry(operator, session) {
    await operator.retry(session);
    return [`${session} is queued, and its failures are forgotten.`];
  },
  async release(operator, session) {
    await operator.release(session);
    return [`${session} may run on any host now.`];
  },
  async move(operator, session) {
    await operator.move(session);
    return [`${session} was taken from its worker and is queued for the next free one.`];
  },
  async cancel(operator, session) {
    const interrupted = await operator.cancel(session);
    return [interrupted ? `${session} is interrupted.` : `Nothing runs in ${session}.`];
  },
  async delete(operator, session) {
    await operator.remove(session);
    return [`${session} was deleted, with its journal.`];
  },
};

function detailLines(details: SessionDetails, nowMs: number): readonly string[] {
  const { sessionId, state, tenant, host, heldBy, questions, prompts, promptedAt, writtenAt } = details;
  const ago = (at: number | undefined) => (at === undefined ? '' : `, the last ${age(nowMs - at)}`);
  const lines: readonly (readonly [string, string | undefined])[] = [
    ['session', `${sessionId}, ${state} since ${age(nowMs - details.updatedAt)}`],
    ['title', details.title],
    ['tenant', tenant === '' ? undefined : tenant],
    [
      'run',
      `${details.run}, taken over ${details.epoch} times, ${details.barrenRuns} in a row without progress`,
    ],
    ['host', host && `bound to ${host}`],
    [
      'worker',
      heldBy && `${heldBy.workerId} on ${heldBy.host}, process ${heldBy.pid}, version ${heldBy.version}`,
    ],
    ['prompts', `${prompts} stored${ago(promptedAt)}`],
    [
      'journal',
      `${counted(details.head, 'record')}, ${(details.bytes / 1e6).toFixed(2)} MB${ago(writtenAt)}`,
    ],
    ...questions.map((question) => ['question', asked(question)] as const),
    ['why', whyItWaits(details)],
  ];
  return lines.flatMap(([name, text]) => (text === undefined ? [] : [`${name.padEnd(10)} ${visible(text)}`]));
}

/** The id of a question, and what it is about. */
function asked({ askId, toolName, question }: OpenQuestion): string {
  const about = JSON.stringify(question['input'] ?? question['elicitation'] ?? {});
  return `${askId}: ${toolName} ${bounded(about, MOST_ASKED)}`;
}

const MOST_ASKED = 200;

const asSentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

/** One sentence, and the command that helps. */
function whyItWaits(details: SessionDetails): string {
  const {
    sessionId,
    state,
    outcome = {},
    heldBy,
    host,
    runState,
    wakeAt,
    questions,
    why = '',
    limit,
  } = details;
  const failure = outcome['failure'] ?? outcome['error'];
  const tried = failure === undefined ? '.' : `: ${asSentence(String(failure))}`;
  const act = (action: string) => `npx turnwright durable ${action} ${sessionId}`;
  const [question] = questions;
  if (question !== undefined && (state === 'parked' || state === 'running'))
    return `It waits for an answer: npx turnwright answer ${sessionId} ${question.askId} allow (or deny)`;
  switch (state) {
    case 'idle':
      return 'Every prompt has its result.';
    case 'poisoned':
      return `${asSentence(String(failure ?? 'It was set aside'))} Try it again: ${act('retry')} (or remove it: ${act('delete')})`;
    case 'parked': {
      if (limit !== undefined) return `${why} ${limitHelp(details)}`;
      const until = wakeAt === undefined ? '' : ` until ${new Date(wakeAt).toISOString()}`;
      return `It waits${until}${tried} Now: ${act('retry')}`;
    }
    case 'running':
      if (heldBy === undefined)
        return `Its worker is gone: another one takes it within seconds, if there is one (npx turnwright durable status).`;
      return isAlive(heldBy)
        ? `It runs. Stop it: ${act('cancel')} (or take it from its worker: ${act('move')})`
        : 'Its worker is silent: after 15 s without a sign it is handed over.';
    case 'queued': {
      if (typeof runState === 'object')
        return heldBy === undefined || !isAlive(heldBy)
          ? `It was given to a worker that is gone; another one finds it within seconds. At once: ${act('move')}`
          : `A worker has just been given it. If that lasts: ${act('move')}`;
      const bound =
        host === undefined ? '' : ` of ${host}, to which it is bound (any host: ${act('release')})`;
      return `It waits for a free worker${bound}${tried} Which there are: npx turnwright durable status`;
    }
  }
}

/** How a limit of a tenant is raised. */
export function limitHelp({ tenant, limit }: Pick<SessionDetails, 'tenant' | 'limit'>): string {
  const raise = `npx turnwright durable limits ${shellWord(tenant)}`;
  return limit === 'runs'
    ? `Raise the limit: ${raise} --runs <n>`
    : `It goes on with the next day, or with a higher limit: ${raise} --usd-per-day <usd>`;
}
