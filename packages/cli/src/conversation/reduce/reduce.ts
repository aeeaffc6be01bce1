/**
 * The conversation as a pure function: what happened turns a state into the next one, and into items for the
 * transcript.
 */
import type { PermissionMode, PromptAttachment, SDKMessage } from '@turnwright/engine';
import type { Draft } from '@turnwright/terminal/editor/buffer.ts';
import {
  type ConversationState,
  type Figures,
  isWorking,
  type PendingPrompt,
  type ShownSession,
  type Todo,
} from '../conversation-state.ts';
import type { TypedCommandEnd } from '../session/typed-command.ts';
import { attachedNotes } from '../view/attached-notes.ts';
import type { TranscriptItem } from '../view/transcript-item.ts';
import { reduceMessage } from './reduce-message.ts';
import { shellEnded, shellStarted } from './reduce-shell.ts';
import { changeCall, withOutput } from './reduce-tools.ts';
import { atRest, begin, inPhase, promptItem, type Reduction, still } from './step.ts';

export type { Reduction };

/** What happens in a conversation, besides the messages of its session. */
export type ConversationEvent =
  | { readonly kind: 'message'; readonly message: SDKMessage }
  /** The session is open, or its facts are known better. */
  | { readonly kind: 'opened'; readonly session: Partial<ShownSession> }
  /** The person entered a prompt; while the session works, it is queued. */
  | { readonly kind: 'entered'; readonly prompt: PendingPrompt }
  /** The queue as it is now, after an edit of the person. */
  | { readonly kind: 'queued'; readonly queue: readonly PendingPrompt[] }
  /** What an earlier process has left of the session. `cutOff`: where its last turn was cut off. */
  | { readonly kind: 'found'; readonly todos: readonly Todo[]; readonly cutOff: string | undefined }
  /** What the prompt that begins has brought along. */
  | { readonly kind: 'attached'; readonly attached: readonly PromptAttachment[] }
  | { readonly kind: 'interrupting' }
  | { readonly kind: 'serversAwaited'; readonly servers: readonly string[] }
  /** The person's own shell command (`!command`): its start, its output so far, and its end. */
  | { readonly kind: 'shellStarted'; readonly id: string; readonly command: string }
  | {
      readonly kind: 'shellOutput';
      readonly id: string;
      /** The end of it. */
      readonly text: string;
      readonly totalLines: number;
    }
  | { readonly kind: 'shellEnded'; readonly id: string; readonly end: TypedCommandEnd }
  /** The session ended by itself, with an error. */
  | { readonly kind: 'failed'; readonly sentence: string }
  | { readonly kind: 'mode'; readonly mode: PermissionMode }
  /** A question opened (1) or closed (-1). `waitedMs`: how long it was open, for the call it was about. */
  | {
      readonly kind: 'question';
      readonly change: 1 | -1;
      readonly toolUseId?: string;
      readonly waitedMs?: number;
      readonly isDenied?: boolean;
    }
  | { readonly kind: 'figures'; readonly figures: Partial<Figures> }
  | { readonly kind: 'todosToggled' }
  /** Drafts that are put aside now. */
  | { readonly kind: 'stashed'; readonly stash: readonly Draft[] }
  | { readonly kind: 'hint'; readonly text: string | undefined }
  | { readonly kind: 'exiting' };

export function reduce(state: ConversationState, event: ConversationEvent, nowMs: number): Reduction {
  const reduction = reduceEvent(state, event, nowMs);
  const { session } = reduction.state;
  const modeBeforePlan = state.session.mode;
  if (session.mode !== 'plan' || modeBeforePlan === 'plan') return reduction;
  return { ...reduction, state: { ...reduction.state, session: { ...session, modeBeforePlan } } };
}

function reduceEvent(state: ConversationState, event: ConversationEvent, nowMs: number): Reduction {
  switch (event.kind) {
    case 'message':
      return reduceMessage(state, event.message, nowMs);
    case 'opened': {
      const session = { ...state.session, ...event.session };
      const opened = state.phase === 'starting' ? inPhase(state, 'idle', nowMs) : state;
      return still({ ...opened, session });
    }
    case 'entered':
      return entered(state, event.prompt, nowMs);
    case 'queued':
      return still({ ...state, queue: event.queue });
    case 'found':
      return found(state, event);
    case 'attached':
      return { state, items: attachedNotes(event.attached, state.session) };
    case 'interrupting':
      return still(isWorking(state) ? { ...state, interruptingSinceMs: nowMs } : state);
    case 'serversAwaited':
      return still({ ...state, awaitedServers: event.servers });
    case 'shellStarted':
      return shellStarted(state, event, nowMs);
    case 'shellOutput':
      return still(withOutput(state, event.id, event.text, event.totalLines));
    case 'shellEnded':
      return shellEnded(state, event, nowMs);
    case 'failed':
      return failed(state, event.sentence, nowMs);
    case 'mode':
      return still({ ...state, session: { ...state.session, mode: event.mode } });
    case 'question':
      return still(questioned(state, event, nowMs));
    case 'figures':
      return still({ ...state, figures: { ...state.figures, ...event.figures } });
    case 'stashed':
      return still({ ...state, stash: event.stash });
    case 'todosToggled':
      return still({ ...state, showsTodos: !state.showsTodos });
    case 'hint':
      return still(state.hint === event.text ? state : { ...state, hint: event.text });
    case 'exiting':
      return still({ ...inPhase(state, 'exiting', nowMs), hint: undefined });
  }
}

/** A new prompt closes what was cut off; without one, Enter goes on with it. */
function found(
  state: ConversationState,
  { todos, cutOff }: Extract<ConversationEvent, { readonly kind: 'found' }>,
): Reduction {
  if (cutOff === undefined) return still({ ...state, todos });
  const text = `the last prompt was cut off ${cutOff}; Enter goes on`;
  return { state: { ...state, todos, isCutOff: true }, items: [{ kind: 'note', tone: 'warning', text }] };
}

/** A prompt that begins a submission is printed at once, one that waits when it is taken. */
function entered(state: ConversationState, prompt: PendingPrompt, nowMs: number): Reduction {
  if (isWorking(state)) {
    const isHere = ({ place }: PendingPrompt) => place === 'here';
    // Prompts that wait for Enter come after those that the session has.
    const queue = [...state.queue.filter((other) => !isHere(other)), prompt, ...state.queue.filter(isHere)];
    return still({ ...state, queue });
  }
  return { state: begin(state, nowMs, prompt), items: [promptItem(prompt)] };
}

/** What the session had, and has not begun, waits for Enter. */
function failed(state: ConversationState, sentence: string, nowMs: number): Reduction {
  const { submission, queue } = state;
  const opener = submission?.opener;
  const held = [...(opener === undefined ? [] : [opener]), ...queue];
  const items: TranscriptItem[] = state.answer.unfinished !== '' ? [{ kind: 'textEnd' }] : [];
  return {
    state: {
      ...atRest(inPhase(state, 'idle', nowMs)),
      queue: held.map((prompt) => ({ ...prompt, place: 'here' })),
    },
    items: [...items, { kind: 'note', tone: 'error', text: sentence }],
  };
}

function questioned(
  state: ConversationState,
  event: Extract<ConversationEvent, { readonly kind: 'question' }>,
  nowMs: number,
): ConversationState {
  const { change, toolUseId = '', waitedMs = 0, isDenied = false } = event;
  const questions = Math.max(0, state.questions + change);
  const askedMs = questions === 0 && state.questions > 0 ? nowMs - state.questionsSinceMs : 0;
  const next = {
    ...state,
    questions,
    questionsSinceMs: state.questions === 0 ? nowMs : state.questionsSinceMs,
    submission: state.submission && { ...state.submission, askedMs: state.submission.askedMs + askedMs },
  };
  return changeCall(next, toolUseId, (call) => ({
    ...call,
    askedMs: call.askedMs + waitedMs,
    askedSinceMs: change === 1 ? nowMs : undefined,
    deniedBy: isDenied ? 'person' : call.deniedBy,
  }));
}
