/**
 * Converts the view to the alternating messages of the API (L3). A fold: each message of the view is read
 * once, and what precedes the newest two exchanges never changes again, so its bytes can be kept
 * (`message-byte-cache.ts`).
 */

import type { AssistantMessage, ViewMessage } from '../../protocol/model/messages.ts';
import type { ConversationEffort } from '../../protocol/model/provider-wire.ts';
import type { EffortLevel } from '../../protocol/model/wire.ts';
import { type BlockJson, piecesOf, textJson, wireJson, withReferences, withToolId } from './message-json.ts';
import { NO_TOOLS } from './offered-tools.ts';
import { createToolIds, type ToolIds } from './wire-tool-ids.ts';

/** Result of a call that has none. */
export const MISSING_RESULT = 'This call was interrupted: its outcome is unknown.';
/** First message of a conversation that would otherwise begin with the assistant. */
export const OPENING = '(earlier conversation left out)';
/** Last message of a conversation that would otherwise end with the assistant. */
export const CONTINUE = '(continue)';

/** A wire message as JSON texts of its blocks. */
export interface WireTurn {
  readonly role: 'user' | 'assistant' | 'system';
  readonly blocks: readonly string[];
  /** Of a turn of the system without blocks: answers are made with it from here on. */
  readonly effort?: EffortLevel;
}

export interface NormaliseRules {
  /** Text blocks before the first user message. */
  readonly userContext: readonly string[];
  /** Thinking is sent back only to the model that signed it. */
  readonly keepsThinking: (message: AssistantMessage) => boolean;
  /** Effort of an answer, where the API takes changes inside the conversation. Default: it does not. */
  readonly effortOf?: ((message: AssistantMessage) => EffortLevel) | undefined;
}

export const createEffortLookup =
  ({ byDefault }: ConversationEffort) =>
  ({ effort = byDefault }: AssistantMessage): EffortLevel =>
    effort;

export interface References {
  readonly made: ReadonlySet<string>;
  readonly missed: ReadonlySet<string>;
}

interface Call {
  readonly wireId: string;
  result?: string;
}

/**
 * An answer of the model and the user side's reply to it; the first exchange has no answer. Its lists are
 * short and live while the model is waited for, so they are built with `concat`, which does not over-allocate
 * as `push` does.
 */
interface Exchange {
  /** Id of the response whose blocks came last. */
  messageId: string | undefined;
  answer: readonly BlockJson[];
  answerJson: readonly string[];
  calls: readonly Call[];
  /** Calls without a result, by the model's id. */
  unanswered: Map<string, Call[]> | undefined;
  answered: number;
  user: readonly string[];
  stopReason: string | null;
  beginsWithThinking: boolean;
}

export interface Normaliser {
  /**
   * Reads the next message of the view. Returns the exchanges that it finishes, oldest first.
   * @param loadable Tools that results may refer to. Default none.
   */
  add(message: ViewMessage, loadable?: ReadonlySet<string>): readonly (readonly WireTurn[])[];
  /** Names of tools that results refer to, and of those that they could not. */
  readonly references: References;
  /**
   * The turns of the exchange that is still open, as they would be sent now. Changes nothing.
   * @param effort Of the answer that is asked for.
   */
  open(effort?: EffortLevel): readonly WireTurn[];
  /** Effort of the first answer; undefined: there is none, or changes are not sent. */
  readonly firstEffort: EffortLevel | undefined;
  /**
   * The open run of tool calls began without thinking: a model with a fixed budget would refuse to think now.
   */
  toolRunWithoutThinking(): boolean;
}

export function createNormaliser(rules: NormaliseRules): Normaliser {
  const ids = createToolIds();
  let exchange = emptyExchange(undefined);
  let first = true;
  /** Thinking that is not followed by anything yet: an answer must not end with it or consist of it. */
  let pending: { id: string; pieces: BlockJson[] } | undefined;
  let runBeganWithThinking: boolean | undefined;

  let firstEffort: EffortLevel | undefined;
  let effort: EffortLevel | undefined;

  function addAnswer(message: AssistantMessage): WireTurn[][] {
    const pieces = piecesOf(message);
    const { id, stop_reason } = message.message;
    const keep = pieces.some((piece) => piece.type === 'thinking') && rules.keepsThinking(message);
    const sealed: WireTurn[][] = [];
    if (pending?.id !== id) pending = undefined;
    for (const piece of pieces) {
      if (piece.type === 'thinking') {
        if (!keep) continue;
        pending ??= { id, pieces: [] };
        pending.pieces.push(piece);
        continue;
      }
      if (!continues(exchange, id)) {
        sealed.push([...seal(), ...changeTo(rules.effortOf?.(message))]);
        effort = rules.effortOf?.(message);
        firstEffort ??= effort;
        exchange = emptyExchange(id);
      }
      exchange.messageId = id;
      if (exchange.answer.length === 0) exchange.beginsWithThinking = pending !== undefined;
      for (const thought of pending?.pieces ?? []) append(exchange, thought, ids);
      pending = undefined;
      append(exchange, piece, ids);
    }
    if (exchange.messageId === id && stop_reason !== null) exchange.stopReason = stop_reason;
    return sealed;
  }

  const changeTo = (next: EffortLevel | undefined): WireTurn[] =>
    next === undefined || effort === undefined || next === effort
      ? []
      : [{ role: 'system', blocks: [], effort: next }];

  function seal(): WireTurn[] {
    const turns = toTurns(exchange, first ? rules.userContext : undefined, OPENING);
    runBeganWithThinking = toolRun(exchange, runBeganWithThinking);
    first = false;
    return turns;
  }

  const references = { made: new Set<string>(), missed: new Set<string>() };

  function addResult(piece: Extract<BlockJson, { id: string }>, loadable: ReadonlySet<string>): void {
    const { loads } = piece;
    if (loads === undefined) return void answerCall(exchange, piece);
    const known = loads.names.filter((name) => loadable.has(name));
    const isAnswer = answerCall(exchange, known.length === 0 ? piece : withReferences(piece, known));
    if (!isAnswer) return;
    for (const name of loads.names) references[loadable.has(name) ? 'made' : 'missed'].add(name);
    if (known.length > 0) exchange.user = exchange.user.concat(loads.text);
  }

  return {
    references,
    add(message, loadable = NO_TOOLS) {
      if (message.type === 'assistant') return addAnswer(message);
      for (const piece of piecesOf(message)) {
        if (piece.type === 'tool_result') addResult(piece, loadable);
        else exchange.user = exchange.user.concat(piece.json);
      }
      if (exchange.answered === exchange.calls.length) pending = undefined;
      return [];
    },
    get firstEffort() {
      return firstEffort;
    },
    open(next) {
      if (first) return toTurns(exchange, rules.userContext, OPENING);
      const fallback = exchange.stopReason === 'pause_turn' ? undefined : CONTINUE;
      return [...toTurns(exchange, undefined, fallback), ...changeTo(next)];
    },
    toolRunWithoutThinking: () => toolRun(exchange, runBeganWithThinking) === false,
  };
}

function emptyExchange(messageId: string | undefined): Exchange {
  return {
    messageId,
    answer: [],
    answerJson: [],
    calls: [],
    unanswered: undefined,
    answered: 0,
    user: [],
    stopReason: null,
    beginsWithThinking: false,
  };
}

/** Whether a block of response `id` belongs to this exchange's answer. */
function continues(exchange: Exchange, id: string): boolean {
  if (exchange.messageId === undefined) return false;
  const same = exchange.messageId === id;
  if (exchange.user.length === 0 && exchange.answered === 0) return same || exchange.calls.length === 0;
  // Results may arrive while their response still streams.
  return same && exchange.answered < exchange.calls.length;
}

function append(exchange: Exchange, piece: BlockJson, ids: ToolIds): void {
  exchange.answer = exchange.answer.concat(piece);
  if (piece.type !== 'tool_use') {
    exchange.answerJson = exchange.answerJson.concat(piece.json);
    return;
  }
  const call: Call = { wireId: ids.assign(piece.id) };
  exchange.calls = exchange.calls.concat(call);
  exchange.answerJson = exchange.answerJson.concat(withToolId(piece, call.wireId));
  exchange.unanswered ??= new Map();
  const namesakes = exchange.unanswered.get(piece.id);
  if (namesakes === undefined) exchange.unanswered.set(piece.id, [call]);
  else namesakes.push(call);
}

/**
 * The first result of a call counts; orphans and repeats are dropped. Calls that share an id are answered in
 * order.
 */
function answerCall(exchange: Exchange, piece: Extract<BlockJson, { id: string }>): boolean {
  const call = exchange.unanswered?.get(piece.id)?.shift();
  if (call === undefined) return false;
  call.result = withToolId(piece, call.wireId);
  exchange.answered++;
  return true;
}

/** Whether the run of tool calls of this exchange began with thinking; undefined outside such a run. */
function toolRun(exchange: Exchange, before: boolean | undefined): boolean | undefined {
  if (exchange.calls.length === 0) return undefined;
  return before ?? exchange.beginsWithThinking;
}

function toTurns(
  exchange: Exchange,
  context: readonly string[] | undefined,
  fallback: string | undefined,
): WireTurn[] {
  const head = (context ?? []).filter((text) => text.trim() !== '').map(textJson);
  const results = exchange.calls.map((call) => call.result ?? missingResult(call.wireId));
  let user = [...head, ...results, ...exchange.user];
  if (user.length === 0 && fallback !== undefined) user = [textJson(fallback)];
  const turns: WireTurn[] = [];
  if (exchange.answer.length > 0) turns.push({ role: 'assistant', blocks: trimmedAnswer(exchange) });
  if (user.length > 0) turns.push({ role: 'user', blocks: user });
  return turns;
}

/** The API refuses a last assistant text that ends in white space. */
function trimmedAnswer(exchange: Exchange): readonly string[] {
  const last = exchange.answer.at(-1);
  if (last?.type !== 'plain' || last.trimmed === undefined) return exchange.answerJson;
  return [...exchange.answerJson.slice(0, -1), last.trimmed];
}

function missingResult(wireId: string): string {
  return wireJson({ type: 'tool_result', tool_use_id: wireId, content: MISSING_RESULT, is_error: true });
}
