/** Ids by their beginning: what was typed of an id becomes the whole id, if it begins only one. */
import { getSessionMessages, listSessions, type SDKSessionInfo } from '@turnwright/engine';
import type { Invocation } from '../flags/args.ts';
import { UsageError } from '../usage-error.ts';
import { localMinute } from '../words/units.ts';
import type { World } from '../world.ts';

const WHOLE = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
/** So many are named when an id is ambiguous. */
const MOST_NAMED = 10;

/** The call with the whole id of the session that it names. Only ids that are not whole cost a look. */
export async function withWholeId(invocation: Invocation, world: Pick<World, 'env'>): Promise<Invocation> {
  switch (invocation.command) {
    case 'run': {
      const { flags } = invocation;
      const { resume } = flags.options;
      if (!isPart(resume)) return invocation;
      const options = { ...flags.options, resume: await wholeSessionId(resume, world) };
      return { ...invocation, flags: { ...flags, options } };
    }
    case 'sessions': {
      const [id, ...more] = invocation.words;
      if (!isPart(id) || invocation.action === 'list') return invocation;
      return { ...invocation, words: [await wholeSessionId(id, world), ...more] };
    }
    case 'explain':
    case 'inspect':
    case 'context':
    case 'cost':
    case 'record':
    case 'replay':
    case 'case':
    case 'fork':
      // Ids in a database are chosen by those who send, and are whole.
      if (invocation.command === 'inspect' && invocation.flags.db !== undefined) return invocation;
      if (invocation.command === 'replay' && invocation.db !== undefined) return invocation;
      return isPart(invocation.session)
        ? { ...invocation, session: await wholeSessionId(invocation.session, world) }
        : invocation;
    case 'policy': {
      const sessions = invocation.sessions.map((id) => (isPart(id) ? wholeSessionId(id, world) : id));
      return { ...invocation, sessions: await Promise.all(sessions) };
    }
    default:
      return invocation;
  }
}

export const isPart = (id: string | undefined): id is string =>
  id !== undefined && id !== '' && !WHOLE.test(id);

/** In any folder. The text itself when no id begins with it; throws which ones do when there are several. */
async function wholeSessionId(given: string, { env }: Pick<World, 'env'>): Promise<string> {
  const sessions = await listSessions({ env });
  return theOnly(given, sessions, {
    what: 'sessions',
    idOf: ({ sessionId }) => sessionId,
    lineOf: sessionLine,
  });
}

/** A message of a session. */
export async function wholeMessageId(
  given: string,
  sessionId: string,
  { env }: Pick<World, 'env'>,
): Promise<string> {
  if (!isPart(given)) return given;
  const messages = await getSessionMessages(sessionId, { env });
  return theOnly(given, messages, {
    what: 'messages',
    idOf: ({ uuid }) => uuid,
    lineOf: ({ uuid, type }) => `${uuid}  ${type}`,
  });
}

interface Ids<T> {
  /** Plural. */
  readonly what: string;
  idOf(each: T): string;
  lineOf(each: T): string;
}

export function theOnly<T>(given: string, all: readonly T[], { what, idOf, lineOf }: Ids<T>): string {
  const typed = given.toLowerCase();
  const found = all.filter((each) => idOf(each).toLowerCase().startsWith(typed));
  if (found.some((each) => idOf(each) === given)) return given;
  const [only, ...others] = found;
  if (only === undefined) return given;
  if (others.length === 0) return idOf(only);
  const more = found.length - MOST_NAMED;
  const lines = found.slice(0, MOST_NAMED).map((each) => `  ${lineOf(each)}`);
  throw new UsageError(
    [
      `The ids of ${found.length} ${what} begin with "${given}": type more of the one that you mean.`,
      ...lines,
      ...(more > 0 ? [`  … and ${more} more`] : []),
    ].join('\n'),
  );
}

/** A session in a list. */
export function sessionLine({ sessionId, lastModified, summary, tag, archived }: SDKSessionInfo): string {
  const when = localMinute(lastModified);
  const marks = [tag && `#${tag}`, archived === true ? '(archived)' : ''].filter(Boolean).join(' ');
  return [sessionId, when, summary, marks].filter((part) => part !== '').join('  ');
}
