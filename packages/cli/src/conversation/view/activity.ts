/** What the conversation waits for, since when, and the key that ends it: one line for each state (S6.3). */

import { cells, cutRow } from '@turnwright/terminal/text/cells.ts';
import type { Theme } from '@turnwright/terminal/text/theme.ts';
import { oneLine } from '@turnwright/terminal/text/visible.ts';
import { waitingFor } from '../../words/server-problems.ts';
import { counted, duration } from '../../words/units.ts';
import { type ConversationState, isWorking } from '../conversation-state.ts';

/** Plain text. */
interface Activity {
  readonly what: string;
  /** Time that has passed, or is left. */
  readonly time: string;
  /** How much has come so far; left out where it does not fit. */
  readonly amount?: string | undefined;
  /** What the key does, and the key alone for narrow windows. */
  readonly ends: string;
  readonly key: string;
  readonly tone: 'dim' | 'warn';
  /** It moves: a spinner is before it. */
  readonly moves: boolean;
}

/** Keys as they are bound. */
export interface ActivityKeys {
  readonly interrupt: string;
  readonly exit: string;
}

/** undefined: nothing is waited for. */
export function findActivity(
  state: ConversationState,
  nowMs: number,
  keys: ActivityKeys,
): Activity | undefined {
  const { phase, retry, compactingSinceMs, interruptingSinceMs, questions, questionsSinceMs } = state;
  const { awaitedServers } = state;
  const quiet = {
    tone: 'dim',
    moves: true,
    ends: `${keys.interrupt} interrupts`,
    key: keys.interrupt,
  } as const;
  const loud = { ...quiet, tone: 'warn' } as const;
  const since = (ms: number) => seconds(nowMs - ms);
  const leaves = (how: string) => ({ ends: `${keys.exit} ${how}`, key: keys.exit });
  if (phase === 'exiting')
    return { ...quiet, what: 'leaving', time: since(state.sinceMs), ...leaves('again leaves at once') };
  if (interruptingSinceMs !== undefined)
    return { ...loud, what: 'interrupting', time: since(interruptingSinceMs), ...leaves('twice leaves') };
  if (questions > 0) {
    const what = questions === 1 ? 'a question waits for you' : `${questions} questions wait for you`;
    return { ...loud, what, time: since(questionsSinceMs), moves: false };
  }
  if (retry !== undefined && retry.untilMs > nowMs) {
    const of = retry.maxAttempts === undefined ? '' : ` of ${retry.maxAttempts}`;
    const what = `${oneLine(retry.reason)}, try ${retry.attempt}${of} in`;
    return { ...loud, what, time: seconds(retry.untilMs - nowMs) };
  }
  if (compactingSinceMs !== undefined)
    return { ...quiet, what: 'compacting the conversation', time: since(compactingSinceMs) };
  if (awaitedServers.length > 0)
    return {
      ...quiet,
      what: waitingFor(awaitedServers),
      time: since(state.sinceMs),
      ends: `${keys.interrupt} goes on without`,
    };
  if (phase === 'starting')
    return {
      ...quiet,
      what: 'opening the session',
      time: since(state.sinceMs),
      ...leaves('twice leaves'),
      moves: false,
    };
  if (!isWorking(state)) return undefined;
  return { ...quiet, what: describeWork(state), time: since(state.sinceMs), amount: amountOf(state) };
}

/** The line, at most `columns` wide; the time and the key are never cut off. */
export function activityLine(activity: Activity, mark: string, columns: number): string {
  const { what, time, amount, ends, key } = activity;
  const gap = what.endsWith(' in') ? ' ' : ' · ';
  if (amount !== undefined) {
    const row = `${mark}${what}${gap}${time} · ${amount} · ${ends}`;
    if (cells(row) <= columns) return row;
  }
  const long = `${mark}${what}${gap}${time} · ${ends}`;
  if (cells(long) <= columns) return long;
  const tail = `${gap}${time} · ${key}`;
  return cutRow(`${mark}${cutRow(what, columns - cells(mark) - cells(tail))}${tail}`, columns);
}

export const pickTone = (theme: Theme, { tone }: Activity): Theme['dim'] => theme[tone];

function describeWork({ phase, answer, tools, retry, session }: ConversationState): string {
  const model = session.model === '' ? 'the model' : oneLine(session.model);
  switch (phase) {
    case 'submitted':
      return 'the session takes the prompt';
    case 'waiting':
      return retry === undefined ? `waiting for ${model}` : `waiting for ${model}, try ${retry.attempt + 1}`;
    case 'streaming':
      return `${model} ${DOES[answer.kind]}`;
    case 'tools':
      return tools.length === 1 ? '1 tool runs' : `${tools.length} tools run`;
    default:
      return 'the next request is prepared';
  }
}

/** Characters of a token, roughly. */
const TOKEN_CHARS = 4;

function amountOf({ phase, answer: { received } }: ConversationState): string | undefined {
  const tokens = Math.round(received / TOKEN_CHARS);
  return phase === 'streaming' && tokens > 0 ? `~${counted(tokens, 'token')}` : undefined;
}

const DOES = { none: 'answers', writing: 'answers', thinking: 'thinks', calling: 'writes a call' } as const;

/** Whole seconds, so that the line changes once a second. */
function seconds(ms: number): string {
  const rounded = Math.max(0, Math.floor(ms / 1_000));
  return rounded < 60 ? `${rounded} s` : duration(rounded * 1_000);
}
