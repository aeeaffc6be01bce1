/** What one event makes of the conversation, and the changes of state that several events share. */
import { type ConversationState, NO_ANSWER, type PendingPrompt, type Phase } from '../conversation-state.ts';
import type { PromptItem, TranscriptItem } from '../view/transcript-item.ts';

/** The next state, and what it adds to the transcript. */
export interface Reduction {
  readonly state: ConversationState;
  readonly items: readonly TranscriptItem[];
}

export function still(state: ConversationState): Reduction {
  return { state, items: [] };
}

export function inPhase(state: ConversationState, phase: Phase, nowMs: number): ConversationState {
  return state.phase === phase ? state : { ...state, phase, sinceMs: nowMs };
}

export function promptItem({ text, images }: Pick<PendingPrompt, 'text' | 'images'>): PromptItem {
  return { kind: 'prompt', text, images: images.length };
}

/** The state in which a submission has been asked for. */
export function begin(state: ConversationState, nowMs: number, opener?: PendingPrompt): ConversationState {
  return {
    ...inPhase(state, 'submitted', nowMs),
    hint: undefined,
    isCutOff: false,
    submission: {
      startedMs: nowMs,
      askedMs: 0,
      turns: 0,
      calls: 0,
      isAsked: false,
      response: '',
      usdBefore: state.figures.cost?.usd ?? 0,
      opener,
    },
  };
}

/** Another conversation, of which nothing has been asked yet. */
export function emptied(state: ConversationState, id: string): ConversationState {
  const figures = { ...state.figures, cache: undefined };
  return { ...state, session: { ...state.session, id }, figures, todos: [], isCutOff: false };
}

/** Nothing runs any more. */
export function atRest(state: ConversationState): ConversationState {
  return {
    ...state,
    submission: undefined,
    answer: NO_ANSWER,
    tools: state.tools.filter(({ isOwn }) => isOwn),
    agentCalls: [],
    retry: undefined,
    compactingSinceMs: undefined,
    interruptingSinceMs: undefined,
  };
}
