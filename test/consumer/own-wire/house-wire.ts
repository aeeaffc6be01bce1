/** A wire as someone outside of this repository writes it: by the types of the package, and `fetch`. */
import type {
  ConversationTurn,
  FailureKind,
  HttpHead,
  ModelFailure,
  OwnWire,
  StopReason,
  StreamEvent,
  Usage,
} from '@turnwright/engine';

/** Answers of the house, one a line. */
type Line = {
  readonly begin?: string;
  readonly read?: { readonly fresh: number; readonly kept: number; readonly keeps: number };
  readonly open?: 'text' | 'thinking' | 'call';
  readonly id?: string;
  readonly name?: string;
  readonly add?: string;
  readonly close?: true;
  readonly signature?: string;
  readonly end?: 'done' | 'calls' | 'full' | 'no';
  readonly wrote?: number;
  readonly code?: string;
  readonly message?: string;
};

export const houseWire =
  (address: string): OwnWire =>
  (kit) => ({
    name: 'house',
    prepare(input) {
      const { credential, info, request, state } = input;
      const most = Math.min(state.maxTokens ?? request.maxTokens, info.maxOutputTokens);
      const body = JSON.stringify({
        model: request.model,
        stream: request.stream,
        system: request.system.join('\n\n'),
        most,
        tools: request.tools.map(({ name, description, input_schema: schema }) => ({
          name,
          description,
          schema,
        })),
        schema: request.outputSchema,
        turns: kit.turns(input).map(plain),
      });
      const headers = {
        'content-type': 'application/json',
        ...(credential.authToken !== undefined && { authorization: `Bearer ${credential.authToken}` }),
      };
      return {
        chunks: [body],
        length: Buffer.byteLength(body),
        maxTokens: most,
        open: (life) =>
          kit.openAttempt(input, life, {
            secrets: credential.authToken === undefined ? [] : [credential.authToken],
            async send(signal) {
              const response = await fetch(`${address}/answer`, { method: 'POST', headers, body, signal });
              const head = { status: response.status, headers: Object.fromEntries(response.headers) };
              if (!response.ok) throw new Refused(head, await response.text());
              if (response.headers.get('content-length') === '0') return { head, events: [] };
              const expected = request.stream ? 'application/x-ndjson' : 'application/json';
              if (head.headers['content-type'] !== expected || response.body === null) throw new Foreign();
              if (request.stream) return { head, events: eventsOf(linesOf(response.body)) };
              const lines = (await response.json()) as unknown;
              if (!Array.isArray(lines)) throw new Foreign();
              return { head, events: eventsOf(lines) };
            },
            classify(error, head) {
              if (error instanceof Refused) return refusedBy(error, kit.refusal(error.head, error.body));
              if (error instanceof Broken) return { kind: error.kind, message: error.message };
              if (!(error instanceof Foreign)) return undefined;
              const message = `${address} does not have the API of the house.`;
              return { kind: 'protocol', message, shouldRetry: false, ...(head && { status: head.status }) };
            },
          }),
      };
    },
    close() {},
  });

/** Marks for a prompt cache are for other APIs. */
const plain = ({ role, blocks }: ConversationTurn) => ({ role, blocks });

class Refused extends Error {
  readonly head: HttpHead;
  readonly body: string;

  constructor(head: HttpHead, body: string) {
    super(body);
    this.head = head;
    this.body = body;
  }
}

class Foreign extends Error {}

class Broken extends Error {
  readonly kind: FailureKind;

  constructor({ code, message }: Line) {
    super(`The house reported an error: ${message}`);
    this.kind = code === 'busy' ? 'overloaded' : 'stream_error';
  }
}

/** What the codes of the house mean, where the status does not say it. */
const KINDS: Readonly<Record<string, Partial<ModelFailure>>> = {
  busy: { kind: 'overloaded' },
  unpaid: { errorType: 'billing_error' },
  too_long: { kind: 'prompt_too_long' },
  too_large: { kind: 'prompt_too_long' },
  large_image: { kind: 'media_too_large' },
  forged_thought: { kind: 'invalid_signature' },
  odd_schema: { kind: 'invalid_request', outputSchema: true },
};

function refusedBy({ body }: Refused, failure: ModelFailure): ModelFailure {
  const { code, message, tokens } = JSON.parse(body) as {
    readonly code: string;
    readonly message: string;
    readonly tokens?: ModelFailure['tokens'];
  };
  const isKey = failure.kind === 'authentication';
  return {
    ...failure,
    message: isKey ? `The house refuses the key: ${message}` : message,
    ...KINDS[code],
    ...(tokens !== undefined && { tokens }),
  };
}

async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Line> {
  let rest = '';
  const decoder = new TextDecoder();
  const reader = body.getReader();
  for (let step = await reader.read(); !step.done; step = await reader.read()) {
    const lines = (rest + decoder.decode(step.value, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield JSON.parse(line) as Line;
  }
}

const STOPS: Readonly<Record<NonNullable<Line['end']>, StopReason>> = {
  done: 'end_turn',
  calls: 'tool_use',
  full: 'max_tokens',
  no: 'refusal',
};

/** The house's lines as the events of a stream, in whose words a session works. */
async function* eventsOf(lines: AsyncIterable<Line> | readonly Line[]): AsyncGenerator<StreamEvent> {
  let index = -1;
  let open: Line['open'];
  for await (const line of lines) {
    if (line.code !== undefined) throw new Broken(line);
    if (line.begin !== undefined) yield begun(line.begin, line.read);
    if (line.open !== undefined) {
      open = line.open;
      index++;
      yield { type: 'content_block_start', index, content_block: blockOf(line) };
    }
    const { add, signature } = line;
    if (add !== undefined) yield { type: 'content_block_delta', index, delta: deltaOf(open, add) };
    if (signature !== undefined)
      yield { type: 'content_block_delta', index, delta: { type: 'signature_delta', signature } };
    if (line.close === true) yield { type: 'content_block_stop', index };
    if (line.end === undefined) continue;
    const usage = line.wrote === undefined ? {} : { usage: { output_tokens: line.wrote } };
    yield { type: 'message_delta', delta: { stop_reason: STOPS[line.end] }, ...usage };
    yield { type: 'message_stop' };
  }
}

function begun(model: string, read: Line['read']): StreamEvent {
  const usage: Usage = {
    input_tokens: read?.fresh ?? 0,
    cache_read_input_tokens: read?.kept ?? 0,
    cache_creation_input_tokens: read?.keeps ?? 0,
    output_tokens: 0,
  };
  const message = { type: 'message', role: 'assistant', model, content: [], usage } as const;
  const id = crypto.randomUUID();
  return { type: 'message_start', message: { ...message, id, stop_reason: null, stop_sequence: null } };
}

function blockOf({ open, id = '', name = '' }: Line) {
  if (open === 'call') return { type: 'tool_use', id, name, input: {} } as const;
  return open === 'thinking'
    ? ({ type: 'thinking', thinking: '', signature: '' } as const)
    : ({ type: 'text', text: '' } as const);
}

function deltaOf(open: Line['open'], text: string) {
  if (open === 'call') return { type: 'input_json_delta', partial_json: text } as const;
  return open === 'thinking'
    ? ({ type: 'thinking_delta', thinking: text } as const)
    : ({ type: 'text_delta', text } as const);
}
