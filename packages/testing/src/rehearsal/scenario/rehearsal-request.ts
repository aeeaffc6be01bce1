/** A request as a scenario sees it. Fields that need a walk through the messages are computed on access. */
import { type ApiRequest, readBlockText } from '../request/api-request.ts';

/** The purpose of a request: the main loop, a compaction, or a helper call. */
export type RequestKind = 'main' | 'compaction' | 'helper';

/** A request as scenario functions see it. */
export interface RehearsalRequest {
  /** Number of the request at this server, from 1. */
  readonly number: number;
  readonly session: string;
  readonly kind: RequestKind;
  /** Number among the requests of its kind in its session, from 1. */
  readonly call: number;
  readonly model: string;
  /** The request as received; one that continues a message thread, with what the thread holds. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Names of the tools that it offers. */
  readonly tools: readonly string[];
  /** Text of the last user message, tool results included, without preceding reminders. */
  readonly lastMessage: string;
  /** Text of the first message of the conversation. */
  readonly firstUserMessage: string;
  /** Text of every tool result of the conversation, by `tool_use_id`. */
  readonly results: ReadonlyMap<string, string>;
  /** The last tool result of the conversation. */
  readonly lastResult: string | undefined;
}

const ASKS_FOR_SUMMARY =
  /<summary>|\bsummar(?:y|ise|ize)\b[^.]*\b(?:conversation|session|transcript|exchange)\b/i;

/**
 * What a request is for, by its shape: a compaction says so, or ends in a block that asks for a summary of
 * the conversation; a helper offers no tools in a session that has offered some.
 */
export function classifyRequest(request: ApiRequest, sessionOffersTools: boolean): RequestKind {
  if (request.body['compaction'] !== undefined) return 'compaction';
  const last = request.turns.findLast((turn) => turn.role === 'user')?.blocks.at(-1);
  if (last?.type === 'text' && ASKS_FOR_SUMMARY.test(readBlockText(last))) return 'compaction';
  return sessionOffersTools && request.tools.length === 0 ? 'helper' : 'main';
}

export function describeRequest(
  request: ApiRequest,
  facts: Pick<RehearsalRequest, 'number' | 'session' | 'kind' | 'call' | 'headers'>,
): RehearsalRequest {
  let results: Map<string, string> | undefined;
  return {
    ...facts,
    model: request.model,
    body: request.body,
    tools: request.tools.map((tool) => tool.name),
    get lastMessage() {
      return lastUserText(request);
    },
    get firstUserMessage() {
      return firstUserText(request);
    },
    get results() {
      results ??= readResults(request);
      return results;
    },
    get lastResult() {
      results ??= readResults(request);
      return [...results.values()].at(-1);
    },
  };
}

function lastUserText(request: ApiRequest): string {
  const turn = request.turns.findLast(({ role }) => role === 'user');
  return turn === undefined ? '' : withoutPreface(turn.blocks.map(readBlockText)).join('\n');
}

/** Drops reminders that a client puts before the prompt, such as folder and date. */
function withoutPreface(texts: readonly string[]): readonly string[] {
  const said = texts.findIndex((text) => !isReminder(text));
  return said < 0 ? texts : texts.slice(said);
}

function isReminder(text: string): boolean {
  return text.startsWith('<system-reminder>') && text.trimEnd().endsWith('</system-reminder>');
}

export function firstUserText(request: ApiRequest): string {
  return (
    request.turns
      .find((turn) => turn.role === 'user')
      ?.blocks.map(readBlockText)
      .join('\n') ?? ''
  );
}

function readResults(request: ApiRequest): Map<string, string> {
  const results = new Map<string, string>();
  for (const turn of request.turns) {
    for (const block of turn.blocks) {
      if (block.type === 'tool_result') results.set(String(block['tool_use_id']), readBlockText(block));
    }
  }
  return results;
}
