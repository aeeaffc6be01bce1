/** `turnwright/web/client`: reads a run in a page and keeps what it shows. No imports: 1 kB compressed. */
import type { SDKMessage } from '../../protocol/stream/sdk-messages.ts';
import type { PageAnswer, PageAsk, PageEvent } from '../events.ts';

/** What a page shows of a run. A new object for each change. */
export interface RunView {
  /** Id of the run: `runAgent(url, { run }, …)` watches it, also on another device. */
  readonly run?: string;
  /** Whole messages, without those that were retracted, and without stream events. */
  readonly messages: readonly SDKMessage[];
  /** Text of the block that is being written; '' between blocks. Needs `includePartialMessages`. */
  readonly text: string;
  /** Questions that wait for an answer. */
  readonly asks: readonly PageAsk[];
  /** Why the run failed, as a sentence. */
  readonly error?: string;
  /** true: nothing follows. */
  readonly done: boolean;
}

/** A run that a page reads. */
export interface AgentRun {
  /** Resolves with the last view. Never rejects: `error` says what went wrong. */
  readonly finished: Promise<RunView>;
  /** Answers a question. Rejects with a sentence if it was answered before. */
  answer(ask: string, answer: PageAnswer): Promise<void>;
  /** Stops the turn; its result still follows. */
  interrupt(): Promise<void>;
  /** Stops reading. The server interrupts the run if no other page reads it. */
  leave(): void;
}

/**
 * Starts a run at the address of a `webAgent()`, or watches one: `{ run }`. Calls `show` with each change.
 * A connection that breaks is made again, five times in a row, and continues where it broke.
 *
 * @example
 * ```ts
 * const run = runAgent('/agent', { prompt: 'Which files are here?' }, ({ text }) => console.log(text));
 * await run.finished;
 * ```
 */
export function runAgent(
  url: string,
  body: { readonly prompt: string; readonly [key: string]: unknown } | { readonly run: string },
  show: (view: RunView) => void = () => {},
): AgentRun {
  let view: RunView = { messages: [], text: '', asks: [], done: false };
  let run = body['run'] as string | undefined;
  let last = '';
  let failures = 0;
  const left = new AbortController();
  const { signal } = left;
  const set = (change: Partial<RunView>) => {
    view = { ...view, ...change };
    show(view);
  };
  const post = (value: object, more?: RequestInit) =>
    fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(value),
      ...more,
    });
  const send = async (value: object) => {
    const response = await post({ run, ...value });
    if (!response.ok) throw new Error(((await response.json()) as { error: string }).error);
  };

  const hear = ({ event, data }: PageEvent) => {
    if (event === 'run') {
      run = data.run;
      set(data);
    } else if (event === 'ask') set({ asks: [...view.asks, data] });
    else if (event === 'answered') set({ asks: view.asks.filter(({ ask }) => ask !== data.ask) });
    else if (event === 'error') set({ error: data.message });
    else if (event === 'end') set({ done: true });
    else if (data.type !== 'stream_event') {
      const gone = named(data);
      const messages = view.messages.filter(({ uuid }) => !uuid || !gone.includes(uuid));
      const text = data.type === 'assistant' && !data.parent_tool_use_id ? '' : view.text;
      set({ messages: [...messages, data], text });
    } else if (!data.parent_tool_use_id) {
      const { event: part } = data;
      if (part.type === 'content_block_delta') {
        if (part.delta.type === 'text_delta') set({ text: view.text + part.delta.text });
      } else if (/start$/.test(part.type)) set({ text: '' });
    }
  };

  const read = async (response: Response) => {
    if (!response.ok || response.status === 204) {
      const error = response.ok ? 'The run has ended.' : ((await response.json()) as { error: string }).error;
      return set({ error, done: true });
    }
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    for (let text = ''; reader; ) {
      const { done, value } = await reader.read();
      if (done) return;
      const events = (text + value).split('\n\n');
      text = events.pop() ?? '';
      for (const lines of events) {
        const [, id, event, data] = /^id: (.*)\nevent: (.*)\ndata: (.*)/.exec(lines) ?? [];
        if (!data) continue;
        last = id as string;
        failures = 0;
        hear({ event, data: JSON.parse(data) } as unknown as PageEvent);
      }
    }
  };

  const finished = (async () => {
    while (!view.done && !signal.aborted) {
      try {
        await read(
          run
            ? await fetch(`${url}?run=${run}`, { signal, headers: last ? { 'last-event-id': last } : {} })
            : await post(body, { signal }),
        );
      } catch {}
      if (view.done || signal.aborted) break;
      failures += 1;
      if (!run || failures > 5) set({ error: 'The server cannot be reached.', done: true });
      else await new Promise((resolve) => setTimeout(resolve, 250 * 2 ** failures));
    }
    return view;
  })();

  return {
    finished,
    answer: (ask, answer) => send({ ask, ...answer }),
    interrupt: () => send({ interrupt: true }),
    leave: () => left.abort(),
  };
}

/** uuids of the messages that this one retracts. */
function named(message: SDKMessage): readonly string[] {
  const { supersedes, retracted_message_uuids } = message as {
    readonly supersedes?: readonly string[];
    readonly retracted_message_uuids?: readonly string[];
  };
  return [...(supersedes ?? []), ...(retracted_message_uuids ?? [])];
}

/** The text that the model wrote in a message; '' for every other message. */
export const textOf = (message: SDKMessage): string =>
  message.type === 'assistant'
    ? message.message.content.map((block) => (block.type === 'text' ? block.text : '')).join('')
    : '';

/**
 * The parts of a message of `useChat` without those that the model retracted. `parts`: `message.parts`.
 */
export function keptParts<P extends { readonly type: string }>(parts: readonly P[]): P[] {
  const marks = (part: P) =>
    (part as { readonly providerMetadata?: { readonly turnwright?: { uuid?: string; retracted?: true } } })
      .providerMetadata?.turnwright;
  const gone = parts.flatMap((part) =>
    part.type === 'data-retracted' ? (part as unknown as { data: { uuids: string[] } }).data.uuids : [],
  );
  return parts.filter((part) => {
    const { uuid, retracted } = marks(part) ?? {};
    return part.type !== 'data-retracted' && !retracted && !(uuid && gone.includes(uuid));
  });
}
