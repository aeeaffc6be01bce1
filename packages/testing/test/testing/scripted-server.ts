/** What a server would answer, as the script of a model: so the double runs the checks of every model client. */

import type { FailureKind } from '@turnwright/engine/protocol/model/failure.ts';
import { FALLBACK_POLICIES } from '@turnwright/engine/protocol/model/fallback.ts';
import type { ViewMessage } from '@turnwright/engine/protocol/model/messages.ts';
import type {
  CallModel,
  CallOptions,
  ModelRequest,
  RetryNotice,
} from '@turnwright/engine/protocol/model/model.ts';
import type { ContentBlock } from '@turnwright/engine/protocol/model/wire.ts';
import {
  type AnswerPart,
  block,
  broken,
  callTool,
  fail,
  fallback,
  hang,
  type MessageAnswer,
  type ModelClientSetup,
  type OpenedModel,
  type ReceivedPart,
  type ReceivedRequest,
  type RefusalReason,
  type Reply,
  type ReplyOptions,
  reply,
  retries,
  type ServerAnswer,
  type Step,
  say,
  scriptedModel,
  think,
  unfinished,
} from '../../src/testing/index.ts';

/** As many calls as one check may make. */
const MOST_CALLS = 20;
const FIRST_BACKOFF_MS = 500;
const DEFAULT_RETRIES = 10;

const overloadLimit = ({ fallsBackOn = [] }: ModelRequest) =>
  fallsBackOn.includes('overloaded') ? FALLBACK_POLICIES.overloaded.after : undefined;

type Refusal = readonly [kind: FailureKind, status?: number | null];

/** What each refusal becomes: the failure, and the status of a retry; without one it is final. */
const REFUSALS: Readonly<Record<RefusalReason, Refusal>> = {
  overloaded: ['overloaded', 529],
  rate_limited: ['rate_limited', 429],
  server_error: ['server_error', 500],
  timeout: ['timeout', 408],
  unauthorized: ['authentication'],
  forbidden: ['permission'],
  billing: ['permission'],
  not_found: ['not_found'],
  too_long: ['prompt_too_long'],
  too_large: ['prompt_too_long'],
  media_too_large: ['media_too_large'],
  bad_signature: ['invalid_signature'],
  bad_schema: ['invalid_request'],
  invalid: ['invalid_request'],
};

const STOPS = { end: 'end_turn', calls: 'tool_use', length: 'max_tokens', refusal: 'refusal' } as const;
const BREAKS = {
  cut: 'cut',
  reset: 'cut',
  stall: 'stalled',
  error: 'stream_error',
  overloaded: 'overloaded',
} as const;

export async function openScriptedModel(setup: ModelClientSetup): Promise<OpenedModel> {
  const { clock, maxRetries = DEFAULT_RETRIES, timeouts } = setup;
  const received: ReceivedRequest[] = [];
  let queue: ServerAnswer[] = [];
  let open = 0;
  let options: CallOptions | undefined;

  /** The answers up to the one that ends the call. */
  function play(request: ModelRequest): Step {
    if (options?.signal.aborted === true) return hang();
    const notices: Partial<RetryNotice>[] = [];
    for (;;) {
      received.push(receivedAs(request));
      const answer = queue.shift() ?? { kind: 'refusal', reason: 'server_error' };
      const refused = refusalOf(answer);
      if (refused === undefined) return retries(notices, playAnswer(answer, timeouts?.idleMs !== undefined));
      const [kind, status] = refused;
      const inARow = (options?.retry.overloadedInARow ?? 0) + notices.length + 1;
      if (kind === 'overloaded' && request.foreground && inARow === overloadLimit(request))
        return retries(notices, fallback());
      if (status === undefined || notices.length === maxRetries || !request.foreground)
        return retries(notices, failing(answer, kind));
      const delayMs = FIRST_BACKOFF_MS * 2 ** notices.length;
      notices.push({ attempt: notices.length + 1, maxRetries, delayMs, status, cause: `Refused: ${kind}.` });
    }
  }

  const model = scriptedModel(Array.from({ length: MOST_CALLS }, () => play));
  const call: CallModel = async function* call(request, given) {
    options = given;
    open++;
    const outputs = model.callModel(request, given);
    try {
      for (;;) {
        const step = await outputs.next();
        if (step.done) return step.value;
        yield step.value;
        // A double announces its waits, and takes none.
        if (step.value.kind === 'retry') await clock.sleep(step.value.notice.delayMs).catch(() => {});
      }
    } finally {
      open--;
      await outputs.return(undefined as never);
    }
  };
  return {
    client: {
      call,
      infoOf: () => {
        throw new Error('The checks ask for no sizes.');
      },
      ready: () => undefined,
      fastMode: () => ({ state: 'off' }),
      close: async () => {},
    },
    server: {
      answerWith: (...answers) => {
        queue = [...answers];
      },
      received,
      get openSockets() {
        return open;
      },
      get openAnswers() {
        return open;
      },
      stopListening: async () => {},
    },
    model: 'scripted',
    otherModel: 'scripted-too',
    dispose: async () => {},
  };
}

function refusalOf(answer: ServerAnswer): Refusal | undefined {
  if (answer.kind === 'refusal') return REFUSALS[answer.reason];
  if (answer.kind === 'reset' || answer.kind === 'empty') return ['connection', null];
  return answer.kind === 'web_page' || answer.kind === 'other_api' ? ['protocol'] : undefined;
}

function failing(answer: ServerAnswer, kind: FailureKind): Step {
  if (answer.kind !== 'refusal') return fail({ kind });
  const tokens =
    answer.reason === 'too_long' ? { input: 250_000, limit: 200_000, ...answer.tokens } : undefined;
  return fail({
    kind,
    ...(tokens !== undefined && { tokens }),
    ...(answer.reason === 'billing' && { errorType: 'billing_error' }),
    ...(answer.reason === 'bad_schema' && { outputSchema: true }),
  });
}

function playAnswer(answer: ServerAnswer, isLimited: boolean): Step {
  if (answer.kind !== 'message') return isLimited ? fail({ kind: 'timeout' }) : hang();
  const { breaks, parts = [] } = answer;
  if (breaks === undefined) return reply(parts.map(partOf), optionsOf(answer));
  const at = parts.findIndex(({ kind }) => kind === breaks.at);
  const before = breaks.at === 'end' ? parts : parts.slice(0, Math.max(at, 0));
  const inside = at < 0 ? [] : parts.slice(at, at + 1).map(halfOf);
  const after = [...before.map(partOf), ...inside];
  if (breaks.how === 'stall' && !isLimited) return hang(...after);
  return broken({ after, failure: { kind: BREAKS[breaks.how] } });
}

function partOf(part: AnswerPart): Reply {
  if (part.kind === 'text') return say(part.text);
  if (part.kind === 'thinking') return think(part.text, { signature: part.signature ?? '' });
  return callTool(part.name, part.input as never, { id: part.id });
}

/** The part begins and does not end. */
function halfOf(part: AnswerPart): Reply {
  const [whole] = partOf(part).parts;
  return whole?.kind === 'block' ? unfinished(whole.block) : block({ type: 'text', text: '' });
}

function optionsOf({ model, parts = [], stop, usage }: MessageAnswer): ReplyOptions {
  const lengths = parts.map((part) => {
    const text = part.kind === 'call' ? JSON.stringify(part.input) : part.text;
    return Math.ceil(text.length / (part.pieces ?? 2));
  });
  const { input = 0, output = 0, cacheRead = 0, cacheWritten = 0 } = usage ?? {};
  return {
    chunkChars: Math.max(1, ...lengths),
    ...(model !== undefined && { model }),
    ...(stop !== undefined && { stopReason: STOPS[stop] }),
    ...(usage !== undefined && {
      usage: {
        input_tokens: input - cacheRead - cacheWritten,
        output_tokens: output,
        cache_read_input_tokens: cacheRead,
        cache_creation_input_tokens: cacheWritten,
      },
    }),
  };
}

/** The request as it was made. */
function receivedAs(request: ModelRequest): ReceivedRequest {
  const view = request.view.slice();
  return {
    model: request.model,
    stream: request.stream,
    maxTokens: request.maxTokens,
    system: request.system.join('\n\n'),
    messages: view.map((message) => ({
      role: message.type === 'assistant' ? 'assistant' : 'user',
      parts: blocksOf(message).map(readBlock),
    })),
    tools: request.tools.map(({ name, input_schema }) => ({ name, schema: input_schema })),
    outputSchema: request.outputSchema,
    thinks: undefined,
    credential: undefined,
    cacheMarks: 0,
    body: JSON.stringify([request.system, request.tools, view.map(blocksOf)]),
  };
}

function blocksOf(message: ViewMessage): readonly ContentBlock[] {
  if (message.type === 'attachment') return message.rendered;
  const { content } = message.message;
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

function readBlock(of: ContentBlock): ReceivedPart {
  switch (of.type) {
    case 'tool_use':
      return { kind: 'call', id: of.id, name: of.name, input: of.input };
    case 'tool_result': {
      const content = typeof of.content === 'string' ? [] : (of.content ?? []);
      const images = content.filter(({ type }) => type === 'image').length;
      return { kind: 'result', id: of.tool_use_id, text: String(of.content), images };
    }
    case 'image':
      return of.source.type === 'base64'
        ? { kind: 'image', mediaType: of.source.media_type, data: of.source.data }
        : { kind: 'image', mediaType: '', data: '' };
    default:
      return { kind: 'text', text: 'text' in of ? String(of.text) : '' };
  }
}
