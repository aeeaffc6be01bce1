/**
 * The bytes of one request. `model` and `max_tokens` first, then what recurs (`system`, `tools`, `messages`),
 * then everything that varies, so that a request's prefix recurs in the next one (L3).
 */

import { extended } from '@turnwright/base/collections/extended.ts';
import { isSameList, oncePer } from '@turnwright/base/collections/made-once.ts';
import type { CacheTtl } from '../../protocol/model/cache.ts';
import type { AssistantMessage } from '../../protocol/model/messages.ts';
import type { ModelInfo, ModelRequest } from '../../protocol/model/model.ts';
import type { ConversationEffort } from '../../protocol/model/provider-wire.ts';
import type { EffortLevel, WireTool } from '../../protocol/model/wire.ts';
import { wireModel } from '../catalog/model-info.ts';
import type { EndpointGaps } from '../http/endpoint-gaps.ts';
import { type CacheMark, cacheMark, joinMarked } from './engine-breakpoints.ts';
import { markedJson, type ViewBytes } from './message-byte-cache.ts';
import { textJson, wireJson } from './message-json.ts';
import type { MessageThreads, ThreadOfRequest } from './message-threads.ts';
import { loadableTools, NO_TOOLS, plainTools, withLoadedTools } from './offered-tools.ts';
import { type WireThinking, wireEffort, wireMaxTokens, wireThinking } from './thinking-options.ts';

/** With a refusal the API says how the same request to another model is billed as if it had been cached. */
export const FALLBACK_CREDIT_BETA = 'fallback-credit-2026-07-01';

export interface RequestBody {
  /** A short body is one string, which is sent in one write with its head. */
  readonly chunks: readonly (Buffer | string)[];
  /** Length in bytes of the whole conversation, of which a thread holds a part. */
  readonly length: number;
  /** Length in bytes of what is sent. */
  readonly sentLength: number;
  /** undefined: it is part of none. */
  readonly thread: ThreadOfRequest | undefined;
  readonly maxTokens: number;
  readonly thinking: WireThinking | undefined;
  /** Some tools are deferred. */
  readonly defers: boolean;
  /** Set inside the conversation; undefined: it is not. */
  readonly effort: ConversationEffort | undefined;
  readonly changesEffort: boolean;
}

interface BodyInput {
  readonly request: ModelRequest;
  readonly info: ModelInfo;
  readonly bytes: ViewBytes;
  /** Lowered by an earlier error of the API. */
  readonly maxTokens: number | undefined;
  readonly withoutThinking: boolean;
  readonly fast: boolean;
  /** Default 5m. */
  readonly cacheTtl?: CacheTtl;
  /** false: no cache breakpoints. Default true. */
  readonly caching?: boolean;
  /** Further fields of the body; they override fields of the request. */
  readonly extraBody?: Readonly<Record<string, unknown>> | undefined;
  /** undefined: the endpoint does not know `metadata`. */
  readonly metadataUserId: string | undefined;
  /** What else the endpoint does not know. Default nothing. */
  readonly gaps?: EndpointGaps;
  /** The endpoint knows deferred tools and references to them. Default false. */
  readonly references?: boolean;
  /** The endpoint takes changes of the effort inside the conversation. Default false. */
  readonly effortMessages?: boolean;
  /** Those of the client, if this request may use one. Default none. */
  readonly threads?: MessageThreads | undefined;
  readonly thinkingKey: string;
  /** Includes `withoutThinking`. Kept with the bytes of the view, so it must not reference this request. */
  readonly keepsThinking: (message: AssistantMessage) => boolean;
}

export function buildRequestBody(input: BodyInput): RequestBody {
  const { request, info } = input;
  const mark =
    input.caching !== false && request.cache !== false ? cacheMark(input.cacheTtl ?? '5m') : undefined;
  const maxTokens = wireMaxTokens(input.maxTokens ?? request.maxTokens, info);
  const effort = wireEffort(request, info);
  const byDefault = info.defaultEffort;
  const told =
    input.effortMessages === true && effort !== undefined && byDefault !== undefined
      ? { now: effort, byDefault }
      : undefined;
  const messages = input.bytes.messages({
    view: request.view,
    userContext: request.userContext ?? [],
    thinkingKey: input.withoutThinking ? '' : input.thinkingKey,
    keepsThinking: input.keepsThinking,
    mark,
    effort: told,
    loadable: input.references === true ? loadableTools(request.tools) : NO_TOOLS,
  });
  const tools =
    input.references === true
      ? withLoadedTools(request.tools, messages.referenced)
      : plainTools(request.tools);
  const thinking = wireThinking(request, info, maxTokens, messages.toolRunWithoutThinking);
  const head = `{"model":${JSON.stringify(wireModel(request.model))},"max_tokens":${maxTokens},`;
  const before = preamble({ head, system: request.system, tools, serverTools: request.serverTools, mark });
  const fields = tail(input, thinking, messages.firstEffort ?? effort);
  const thread = input.threads?.of({ request, tools, newest: messages.newest });
  const withThread = thread === undefined ? '' : `,"thread":${thread.field}`;
  const end = `${messages.rest}],${fields}${withThread}}`;
  const isShort = typeof before === 'string' && messages.sealed.length === 0;
  const chunks = isShort ? [before + end] : [before, ...messages.sealed, end];
  const whole = countBytes(chunks);
  const news = thread?.turns?.map((turn) => markedJson(turn, mark)).join(',');
  const sent = news === undefined ? chunks : [`${head}"messages":[${news}],${fields}${withThread}}`];
  return {
    chunks: sent,
    // The same with and without threads: what is estimated and recorded depends on the conversation alone.
    length: whole - withThread.length,
    sentLength: news === undefined ? whole : countBytes(sent),
    thread,
    maxTokens,
    thinking,
    defers: tools.at(-1)?.defer_loading === true,
    effort: told,
    changesEffort: messages.changesEffort,
  };
}

const countBytes = (chunks: RequestBody['chunks']): number =>
  chunks.reduce((sum, chunk) => sum + Buffer.byteLength(chunk), 0);

/** `effort`: where it changes inside the conversation, the first one: another would cost the cache. */
function tail(input: BodyInput, thinking: WireThinking | undefined, effort: EffortLevel | undefined): string {
  const { request } = input;
  const outputConfig = {
    ...(effort !== undefined && { effort }),
    ...(request.outputSchema !== undefined && {
      format: { type: 'json_schema', schema: request.outputSchema },
    }),
    ...(request.taskBudget !== undefined && { task_budget: { type: 'tokens', ...request.taskBudget } }),
  };
  const knows = (field: string) => input.gaps?.lacks(field) !== true;
  const credit = knows(FALLBACK_CREDIT_BETA) ? request.refusalCredit?.token : undefined;
  const varying = {
    ...(thinking !== undefined && knows('thinking') && { thinking }),
    ...(Object.keys(outputConfig).length > 0 && knows('output_config') && { output_config: outputConfig }),
    ...(request.contextManagement !== undefined &&
      knows('context_management') && { context_management: request.contextManagement }),
    ...(request.summarises === true && { compaction: { type: 'summarize' } }),
    ...(input.fast && knows('speed') && { speed: 'fast' }),
    ...(input.metadataUserId !== undefined &&
      knows('metadata') && { metadata: { user_id: input.metadataUserId } }),
    // A credit that does not hold must not cost the answer.
    ...(credit !== undefined &&
      knows('fallback_credit_token') && {
        fallback_credit_token: { token: credit, mode: 'best_effort' },
      }),
    stream: request.stream,
    ...input.extraBody,
  };
  return wireJson(varying).slice(1, -1);
}

/** From here on, the preamble is kept as bytes: those of all built-in tools are sent with every request. */
const KEPT_FROM_CHARS = 4 * 1024;

/** What a preamble is made of. */
interface Beginning extends Pick<ModelRequest, 'system' | 'tools'> {
  readonly head: string;
  readonly serverTools: ModelRequest['serverTools'] | undefined;
  readonly mark: CacheMark;
}

interface Preamble extends Beginning {
  readonly wire: Buffer | string;
}

/**
 * By the tools of a session: the last one that was made with them. By the first of its tools, which sessions
 * share: the last one that was made at all, for sessions whose requests begin alike.
 */
const preambles = new WeakMap<object, Preamble>();

/** What precedes the messages: `head`, `system` and `tools`, with a breakpoint on the last one. */
function preamble(beginning: Beginning): Buffer | string {
  const { tools } = beginning;
  const known = preambles.get(tools);
  if (known !== undefined && isAlike(known, beginning)) return known.wire;
  const first = tools[0] ?? tools;
  const shared = preambles.get(first);
  const made = shared !== undefined && isAlike(shared, beginning) ? shared : begun(beginning);
  preambles.set(tools, made);
  preambles.set(first, made);
  return made.wire;
}

function begun(beginning: Beginning): Preamble {
  const { head, system, tools, serverTools, mark } = beginning;
  const server = (serverTools ?? []).map(wireJson);
  // A deferred tool takes no breakpoint.
  const last = server.length > 0 ? undefined : tools.findLastIndex((tool) => tool.defer_loading !== true);
  const text = preambleText(systemBlocks(system), [...toolBlocks(tools), ...server], mark, last);
  return extended(beginning, {
    wire: text.length < KEPT_FROM_CHARS ? head + text : Buffer.from(head + text),
  });
}

const isAlike = (a: Beginning, b: Beginning): boolean =>
  a.head === b.head &&
  a.mark === b.mark &&
  a.serverTools === b.serverTools &&
  isSameList(a.tools, b.tools) &&
  isSameList(a.system, b.system);

function preambleText(
  system: readonly string[],
  tools: readonly string[],
  mark: CacheMark,
  lastTool: number | undefined,
): string {
  const systemJson = system.length > 0 ? `"system":[${joinMarked(system, mark)}],` : '';
  const toolsJson =
    tools.length > 0
      ? `"tools":[${joinMarked(tools, system.length === 0 ? mark : undefined, lastTool)}],`
      : '';
  return `${systemJson}${toolsJson}"messages":[`;
}

const systemBlocks = oncePer((texts: readonly string[]) =>
  texts.filter((text) => text.trim() !== '').map(textJson),
);

const toolBlocks = oncePer((tools: readonly WireTool[]) => tools.map(toolJson));

const toolJson = oncePer((tool: WireTool) => wireJson({ ...tool, cache_control: undefined }));
