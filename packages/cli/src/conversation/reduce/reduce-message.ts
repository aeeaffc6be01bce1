/** A message of the session as a change of the conversation's state and as items of the transcript. */
import type { SDKMessage } from '@turnwright/engine';
import { modeName } from '../../words/mode-name.ts';
import { lateServers, serverProblems } from '../../words/server-problems.ts';
import { type ConversationState, NO_ANSWER } from '../conversation-state.ts';
import type { TranscriptItem } from '../view/transcript-item.ts';
import { listed } from './reduce-tasks.ts';
import {
  changeCall,
  endedTools,
  progressed,
  startedTools,
  subagentAnswered,
  taskReported,
  todosIn,
} from './reduce-tools.ts';
import { atRest, begin, emptied, inPhase, promptItem, type Reduction, still } from './step.ts';
import { retryReason, systemNote } from './system-note.ts';

type Message<Type extends SDKMessage['type']> = Extract<SDKMessage, { readonly type: Type }>;

export function reduceMessage(state: ConversationState, message: SDKMessage, nowMs: number): Reduction {
  switch (message.type) {
    case 'stream_event':
      return message.parent_tool_use_id === null ? streamed(state, message, nowMs) : still(state);
    case 'assistant':
      return message.parent_tool_use_id === null
        ? answered(state, message, nowMs)
        : still(subagentAnswered(state, message.parent_tool_use_id, message, nowMs));
    case 'user':
      return message.parent_tool_use_id === null
        ? userMessage(state, message, nowMs)
        : endedTools(state, message, nowMs);
    case 'tool_progress':
      return still(progressed(state, message));
    case 'system':
      return systemMessage(state, message, nowMs);
    case 'result':
      return ended(state, message, nowMs);
    case 'command_lifecycle':
      return promptChanged(state, message, nowMs);
    case 'conversation_reset':
      return {
        state: emptied(state, message.new_conversation_id),
        items: [quiet('a new conversation begins')],
      };
    default:
      // Message types of later versions are ignored.
      return still(state);
  }
}

const quiet = (text: string): TranscriptItem => ({ kind: 'note', tone: 'quiet', text });

const RETRACTED: TranscriptItem = {
  kind: 'note',
  tone: 'notice',
  text: '↶ retracted: the answer above was truncated and is given again',
};

/** What was printed of the current answer is replaced by what follows. */
function takenBack(state: ConversationState): Reduction {
  const items: TranscriptItem[] = [...textEnd(state), RETRACTED];
  return { state: { ...state, answer: { ...NO_ANSWER, kind: state.answer.kind } }, items };
}

/** Ends text whose finished block has not arrived. */
const textEnd = ({ answer }: ConversationState): readonly TranscriptItem[] =>
  answer.unfinished === '' ? [] : [{ kind: 'textEnd' }];

function streamed(state: ConversationState, { event }: Message<'stream_event'>, nowMs: number): Reduction {
  switch (event.type) {
    case 'message_start': {
      const { answer } = state;
      // Two responses without a user message between them: the second replaces the first.
      const isAgain = answer.unfinished !== '' || answer.shown.length > 0;
      const step = isAgain ? takenBack(state) : still(state);
      const { usage } = event.message;
      const input = usage.input_tokens + usage.cache_creation_input_tokens + usage.cache_read_input_tokens;
      const cache = { readTokens: usage.cache_read_input_tokens, inputTokens: input, brokenBy: undefined };
      return {
        ...step,
        state: {
          ...step.state,
          retry: undefined,
          answer: { ...step.state.answer, kind: 'none', thinking: '', received: 0 },
          figures: { ...step.state.figures, ...(input > 0 && { cache }) },
        },
      };
    }
    case 'content_block_start': {
      const kind = KIND_OF_BLOCK[event.content_block.type] ?? 'calling';
      return still({
        ...inPhase(state, 'streaming', nowMs),
        retry: undefined,
        answer: { ...state.answer, kind, thinking: '' },
      });
    }
    case 'content_block_delta': {
      const { answer } = state;
      const [text, thinking, more] = readDelta(event.delta);
      if (text + thinking + more === '') return still(state);
      const received = answer.received + text.length + thinking.length + more.length;
      const unfinished = answer.unfinished + text;
      return {
        state: {
          ...state,
          answer: { ...answer, unfinished, thinking: answer.thinking + thinking, received },
        },
        items: text === '' ? [] : [{ kind: 'delta', text }],
      };
    }
    case 'message_stop':
      return still({ ...afterAnswer(state, nowMs), answer: { ...state.answer, kind: 'none' } });
    default:
      return still(state);
  }
}

const KIND_OF_BLOCK: Readonly<Record<string, 'thinking' | 'writing'>> = {
  thinking: 'thinking',
  redacted_thinking: 'thinking',
  text: 'writing',
};

type Delta = Extract<Message<'stream_event'>['event'], { readonly type: 'content_block_delta' }>['delta'];

/** What it brings: text, thinking, and anything else of which only the size is shown. */
function readDelta(delta: Delta): readonly [string, string, string] {
  switch (delta.type) {
    case 'text_delta':
      return [delta.text, '', ''];
    case 'thinking_delta':
      return ['', delta.thinking, ''];
    case 'input_json_delta':
      return ['', '', delta.partial_json];
    default:
      return ['', '', ''];
  }
}

function afterAnswer(state: ConversationState, nowMs: number): ConversationState {
  return inPhase(state, state.tools.length > 0 ? 'tools' : 'deciding', nowMs);
}

/** Least time of thinking without words that gets a line. */
const THOUGHT_MS = 1_000;

function answered(state: ConversationState, message: Message<'assistant'>, nowMs: number): Reduction {
  const { answer } = state;
  const isReplaced = message.supersedes?.some((uuid) => answer.shown.includes(uuid)) ?? false;
  const { content } = message.message;
  const text = content.map((block) => (block.type === 'text' ? block.text : '')).join('');
  // Something else was streamed: the block replaces it. An error does not.
  const isOther = message.error === undefined && !text.startsWith(answer.unfinished) && text !== '';
  const base = isOther || (isReplaced && answer.unfinished === '') ? takenBack(state) : still(state);
  const items = [...base.items];
  const shown = base.state.answer.shown.filter((uuid) => !message.supersedes?.includes(uuid));
  let next = message.error === undefined ? asked(base.state, message.message.id) : base.state;
  if (text !== '') {
    items.push(...blockItems(base.state, text, message.error !== undefined));
    next = { ...next, answer: { ...next.answer, unfinished: '', shown: [...shown, message.uuid] } };
  }
  const ms = message.thinking_duration_ms ?? 0;
  const thought = content
    .map((block) => (block.type === 'thinking' ? block.thinking : ''))
    .join('')
    .trim();
  if (thought !== '') next = { ...next, answer: { ...next.answer, thinking: '' } };
  if (thought !== '' || ms >= THOUGHT_MS) items.push({ kind: 'thought', ms, text: thought });
  const started = startedTools(next, content, null, nowMs);
  return { state: { ...started, todos: todosIn(content) ?? started.todos }, items };
}

/**
 * A finished block of text, of which only what was not streamed is shown: all of it (a retry without
 * streaming), or the last deltas, which a follower of a session elsewhere may not receive.
 */
function blockItems(state: ConversationState, text: string, isError: boolean): readonly TranscriptItem[] {
  const { unfinished } = state.answer;
  if (isError && text !== unfinished) return [...textEnd(state), { kind: 'note', tone: 'error', text }];
  const rest = text.slice(unfinished.length);
  return [...(rest === '' ? [] : [{ kind: 'delta', text: rest } as const]), { kind: 'textEnd' }];
}

/**
 * Counts a turn, as `--max-turns` does: a request, and each follow-up on tool results. Results may come while
 * their response still streams: its further blocks are no follow-up.
 */
function asked(state: ConversationState, response?: string): ConversationState {
  const { submission } = state;
  if (submission === undefined) return state;
  const isNew = !submission.isAsked && (response === undefined || response !== submission.response);
  const next = {
    ...submission,
    isAsked: submission.isAsked || isNew,
    turns: submission.turns + (isNew ? 1 : 0),
    response: response ?? submission.response,
  };
  return { ...state, submission: next };
}

const NUDGED: TranscriptItem = { kind: 'detail', text: 'the engine nudged the model to go on' };

function userMessage(state: ConversationState, message: Message<'user'>, nowMs: number): Reduction {
  const retracted = message.retracted_message_uuids ?? [];
  const isRetracted = retracted.some((uuid) => state.answer.shown.includes(uuid));
  const base = isRetracted ? takenBack(state) : still(state);
  const results = endedTools({ ...base.state, answer: { ...base.state.answer, shown: [] } }, message, nowMs);
  const { submission } = results.state;
  const isOver = results.items.some(({ kind }) => kind === 'tool') && submission !== undefined;
  const next = isOver ? { ...results.state, submission: { ...submission, isAsked: false } } : results.state;
  const isDone = next.tools.length === 0 && next.phase === 'tools';
  const nudge = message.isSynthetic === true ? [NUDGED] : [];
  return {
    state: isDone ? inPhase(next, 'deciding', nowMs) : next,
    items: [...base.items, ...results.items, ...nudge],
  };
}

function systemMessage(state: ConversationState, message: Message<'system'>, nowMs: number): Reduction {
  switch (message.subtype) {
    case 'init': {
      const { session_id, cwd, model, permissionMode } = message;
      const { id, model: modelBefore, mode } = state.session;
      const isSame = id === session_id && model === modelBefore && mode === permissionMode;
      const text = `${model}, ${modeName(permissionMode)}, session ${session_id}`;
      const isReported = state.serversReportedOf === session_id;
      const problems = isReported ? [] : [...serverProblems(message), ...lateServers(message)];
      return {
        state: {
          ...working(state, nowMs),
          session: { ...state.session, id: session_id, cwd, model, mode: permissionMode },
          serversReportedOf: session_id,
        },
        items: [
          ...problems.map((problem) => ({ kind: 'note', tone: 'warning', text: problem }) as const),
          ...(isSame ? [] : [{ kind: 'detail', text } as const]),
        ],
      };
    }
    case 'status': {
      const compactingSinceMs = message.status === 'compacting' ? nowMs : undefined;
      const mode = message.permissionMode ?? state.session.mode;
      const next = { ...state, compactingSinceMs, session: { ...state.session, mode } };
      if (message.status !== 'requesting') return still(next);
      return still(requesting(next, nowMs));
    }
    case 'api_retry': {
      const retry = {
        reason: retryReason(message),
        attempt: message.attempt,
        maxAttempts: message.is_unlimited === true ? undefined : message.max_retries,
        untilMs: nowMs + message.retry_delay_ms,
      };
      return { state: { ...state, retry }, items: noteItems(message) };
    }
    case 'model_fallback':
    case 'model_refusal_fallback':
      return {
        state: { ...state, session: { ...state.session, model: message.fallback_model } },
        items: noteItems(message),
      };
    case 'session_title_changed':
      return still({ ...state, session: { ...state.session, title: message.title } });
    case 'permission_denied': {
      return still(
        changeCall(state, message.tool_use_id, (call) => ({ ...call, deniedBy: call.deniedBy ?? 'rule' })),
      );
    }
    case 'task_started':
    case 'task_progress':
    case 'task_notification':
      return { state: taskReported(listed(state, message, nowMs), message), items: noteItems(message) };
    case 'task_updated':
    case 'background_tasks_changed':
      return still(listed(state, message, nowMs));
    case 'informational': {
      const { retracted_message_uuids: uuids = [] } = message;
      const { shown, unfinished } = state.answer;
      const isShown = unfinished !== '' || uuids.some((uuid) => shown.includes(uuid));
      if (uuids.length > 0 && isShown) return takenBack(state);
      return { state, items: noteItems(message) };
    }
    default:
      return { state, items: noteItems(message) };
  }
}

/** A request is made: the session has taken the prompt. */
function requesting(state: ConversationState, nowMs: number): ConversationState {
  const next = inPhase(asked(working(state, nowMs)), 'waiting', nowMs);
  const submission = next.submission && { ...next.submission, opener: undefined };
  return { ...next, submission, retry: undefined };
}

function noteItems(message: Message<'system'>): readonly TranscriptItem[] {
  const note = systemNote(message);
  return note === undefined ? [] : [note];
}

/**
 * The session works at what no prompt has begun here: background work has ended, or an interrupted turn is
 * continued.
 */
function working(state: ConversationState, nowMs: number): ConversationState {
  return state.submission === undefined ? begin(state, nowMs) : state;
}

function ended(state: ConversationState, result: Message<'result'>, nowMs: number): Reduction {
  const { submission } = state;
  const usd = result.total_cost_usd;
  const isUnpriced = Object.values(result.modelUsage).some(({ costBasis }) => costBasis === 'unknown');
  const items: TranscriptItem[] = [...textEnd(state)];
  const isAsked = (submission?.turns ?? 0) > 0;
  // A command of the engine answers without the model.
  const said = result.subtype === 'success' && !isAsked ? result.result.trim() : '';
  if (said !== '') items.push({ kind: 'delta', text: said }, { kind: 'textEnd' });
  if (submission !== undefined && (isAsked || result.is_error))
    items.push({
      kind: 'end',
      result,
      turns: submission.turns,
      calls: submission.calls,
      ms: nowMs - submission.startedMs - submission.askedMs,
      usd: Math.max(0, usd - submission.usdBefore),
      isUnpriced,
    });
  const rest = atRest(inPhase(state, state.tools.some(({ isOwn }) => isOwn) ? 'tools' : 'idle', nowMs));
  return { state: { ...rest, figures: { ...state.figures, cost: { usd, isUnpriced } } }, items };
}

/** A queued prompt is printed when the session takes it; one that an interrupt withdrew waits here. */
function promptChanged(
  state: ConversationState,
  { command_uuid, state: change }: Message<'command_lifecycle'>,
  nowMs: number,
): Reduction {
  const { queue, submission } = state;
  const opener = submission?.opener;
  if (change === 'cancelled' && state.phase === 'submitted' && opener?.uuid === command_uuid)
    return still({
      ...atRest(inPhase(state, 'idle', nowMs)),
      queue: [{ ...opener, place: 'here' }, ...queue],
    });
  const queued = queue.find(({ uuid }) => uuid === command_uuid);
  if (queued === undefined || change === 'queued') return still(state);
  if (change === 'cancelled')
    return still({
      ...state,
      queue: queue.map((prompt) => (prompt === queued ? { ...queued, place: 'here' } : prompt)),
    });
  const others = queue.filter((prompt) => prompt !== queued);
  return { state: { ...working(state, nowMs), queue: others }, items: [promptItem(queued)] };
}
