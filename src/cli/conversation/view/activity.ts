/** What the conversation waits for, since when, and the key that ends it: one line for each state (S6.3). */
import type { Theme } from '../../../terminal/text/theme.ts';
import { oneLine } from '../../../terminal/text/visible.ts';
import { duration } from '../../screen/units.ts';
import { type ConversationState, isWorking } from '../state.ts';

/** One line of plain text, and its colour; undefined: nothing is waited for. */
export interface Activity {
  readonly text: string;
  readonly tone: keyof Pick<Theme, 'dim' | 'warn' | 'accent'>;
  /** It moves: a spinner is shown before it. */
  readonly moves: boolean;
}

/** `keyOf`: the name of the key that interrupts, as it is bound. */
export function activityOf(
  state: ConversationState,
  nowMs: number,
  keys: ActivityKeys,
): Activity | undefined {
  const { phase, retry, compactingSinceMs, interruptingSinceMs, questions, session } = state;
  const since = (ms: number) => seconds(nowMs - ms);
  const ends = `${keys.interrupt} interrupts`;
  const model = session.model === '' ? 'the model' : oneLine(session.model);
  if (phase === 'exiting')
    return {
      text: `leaving · ${since(state.sinceMs)} · ${keys.exit} again leaves at once`,
      tone: 'dim',
      moves: true,
    };
  if (interruptingSinceMs !== undefined)
    return {
      text: `interrupting · ${since(interruptingSinceMs)} · children are ended within 2 s · ${keys.exit} twice leaves`,
      tone: 'warn',
      moves: true,
    };
  if (questions > 0) {
    const what = questions === 1 ? 'a question waits for you' : `${questions} questions wait for you`;
    return { text: `${what} · ${since(state.sinceMs)} · ${ends}`, tone: 'warn', moves: false };
  }
  if (retry !== undefined && retry.untilMs > nowMs)
    return {
      text: `${retry.reason}, try ${retry.attempt} of ${retry.maxAttempts} in ${seconds(retry.untilMs - nowMs)} · ${ends}`,
      tone: 'warn',
      moves: true,
    };
  if (compactingSinceMs !== undefined)
    return {
      text: `compacting the conversation · ${since(compactingSinceMs)} · ${ends}`,
      tone: 'dim',
      moves: true,
    };
  if (!isWorking(state)) {
    if (phase !== 'starting') return undefined;
    return {
      text: `opening the session · ${since(state.sinceMs)} · ${keys.exit} leaves`,
      tone: 'dim',
      moves: false,
    };
  }
  return { text: `${workOf(state, model)} · ${since(state.sinceMs)} · ${ends}`, tone: 'dim', moves: true };
}

export interface ActivityKeys {
  readonly interrupt: string;
  readonly exit: string;
}

function workOf({ phase, answer, tools, retry }: ConversationState, model: string): string {
  switch (phase) {
    case 'submitted':
      return 'the session takes the prompt';
    case 'waiting':
      return retry === undefined ? `waiting for ${model}` : `waiting for ${model}, try ${retry.attempt + 1}`;
    case 'streaming':
      return answer.kind === 'thinking'
        ? `${model} thinks`
        : answer.kind === 'calling'
          ? `${model} writes a call`
          : `${model} answers`;
    case 'tools':
      return tools.length === 1 ? '1 tool runs' : `${tools.length} tools run`;
    default:
      return 'the next request is prepared';
  }
}

/** Whole seconds, so that the line changes once a second. */
function seconds(ms: number): string {
  const rounded = Math.max(0, Math.floor(ms / 1_000));
  return rounded < 60 ? `${rounded} s` : duration(rounded * 1_000);
}
