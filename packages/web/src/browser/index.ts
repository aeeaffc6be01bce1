/** `turnwright/web/client`: reads a run in a page and keeps what it shows. No imports: 1 kB compressed. */
import type { SDKMessage } from '@turnwright/engine/protocol/stream/sdk-messages.ts';
import type { PageAnswer, PageAsk, PageEvent } from '../page-events.ts';

export type { PageAnswer, PageAsk } from '../page-events.ts';
export type { ChatAsk, ChatData, ChatMetadata } from '../ui-message-chunks.ts';

/**
 * What a page shows of a run. A new object for each change.
 *
 * @example
 * ```ts
 * const lines = ({ messages, text, error = '' }: RunView) => [...messages.map(textOf), text, error];
 * ```
 */
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

/**
 * A run that a page reads.
 *
 * @example
 * ```ts
 * const run: AgentRun = runAgent('/agent', { prompt: 'Clean up.' }, ({ asks: [question] }) => {
 *   if (question !== undefined) void run.answer(question.ask, { behavior: 'allow', always: true });
 * });
 * ```
 */
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
  let view: RunView = { run: body['run'] as string, messages: [], text: '', asks: [], done: false };
  // Before the first event of a run.
  let last = '-1';
  let failures = 0;
  const left = new AbortController();
  const { signal } = left;
  const set = (change: Partial<RunView>) => {
    view = { ...view, ...change };
    show(view);
    return view;
  };
  const post = (value: object, more?: RequestInit) =>
    fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(value),
      ...more,
    });
  const send = async (value: object) => {
    const error = await errorIn(await post({ run: view.run, ...value }));
    if (error) throw new Error(error);
  };

  const hear = ({ event, data }: PageEvent) => {
    if (event === 'run') set(data);
    else if (event === 'ask') set({ asks: [...view.asks, data] });
    else if (event === 'answered') set({ asks: view.asks.filter(({ ask }) => ask !== data.ask) });
    else if (event === 'error') set({ error: data.message });
    else if (event === 'end') set({ done: true });
    else {
      const { type, supersedes, retracted_message_uuids, parent_tool_use_id, event: part } = data as Message;
      if (type !== 'stream_event') {
        const gone = [supersedes, retracted_message_uuids].flat();
        set({
          messages: [...view.messages.filter(({ uuid }) => !uuid || !gone.includes(uuid)), data],
          text: type === 'assistant' && !parent_tool_use_id ? '' : view.text,
        });
      } else if (!parent_tool_use_id) {
        // Only a delta of text has one.
        const { text } = part.delta ?? {};
        if (text) set({ text: view.text + text });
        else if (/start$/.test(part.type)) set({ text: '' });
      }
    }
  };

  const read = async (response: Response) => {
    const reader = response.ok && response.body?.pipeThrough(new TextDecoderStream()).getReader();
    if (!reader) return set({ error: (await errorIn(response)) || 'The run has ended.', done: true });
    for (let text = ''; ; ) {
      const { done, value } = await reader.read();
      if (done) return view;
      // Lines that begin with a colon keep the connection open.
      text = (text + value).replace(
        /:.*\n\n|id: (.*)\nevent: (.*)\ndata: (.*)\n\n/g,
        (_, id, event, data) => {
          if (id) {
            last = id;
            failures = 0;
            hear({ event, data: JSON.parse(data) } as PageEvent);
          }
          return '';
        },
      );
    }
  };

  const readAll = async () => {
    for (;;) {
      try {
        await read(
          await (view.run
            ? fetch(`${url}?run=${view.run}`, { signal, headers: { 'last-event-id': last } })
            : post(body, { signal })),
        );
      } catch {}
      if (view.done || signal.aborted) return view;
      if (!view.run || ++failures > 5) return set({ error: 'The server cannot be reached.', done: true });
      await new Promise((resolve) => setTimeout(resolve, 250 * 2 ** failures));
    }
  };

  return {
    finished: readAll(),
    answer: (ask, answer) => send({ ask, ...answer }),
    interrupt: () => send({ interrupt: true }),
    leave: () => left.abort(),
  };
}

/** What any message may have of this. */
interface Message {
  readonly type: string;
  readonly supersedes?: readonly string[];
  readonly retracted_message_uuids?: readonly string[];
  readonly parent_tool_use_id?: string | null;
  readonly event: { readonly type: string; readonly delta?: { readonly text?: string } };
}

/** '' for a response without one. */
const errorIn = async (response: Response): Promise<string> =>
  response.ok ? '' : ((await response.json()) as { readonly error: string }).error;

/**
 * The text that the model wrote in a message; '' for every other message.
 *
 * @example
 * ```ts
 * runAgent('/agent', { prompt: 'Hello.' }, ({ messages }) => console.log(messages.map(textOf)));
 * ```
 */
export const textOf = (message: SDKMessage): string =>
  // Only blocks of text have one; join leaves out what is undefined.
  message.type === 'assistant'
    ? message.message.content.map((block) => (block as { readonly text?: string }).text).join('')
    : '';

/**
 * The parts of a message of `useChat` without those that the model retracted. `parts`: `message.parts`.
 *
 * @example
 * ```ts
 * const parts = [
 *   { type: 'text', text: 'Half.', providerMetadata: { turnwright: { retracted: true } } },
 *   { type: 'text', text: 'Whole.' },
 * ];
 * console.log(keptParts(parts).map(({ text }) => text));
 * ```
 */
export function keptParts<P extends { readonly type: string }>(parts: readonly P[]): P[] {
  const gone = parts.flatMap((part) => ((part as Part).type === RETRACTED ? (part as Part).data?.uuids : []));
  return parts.filter((part) => {
    const { uuid, retracted } = (part as Part).providerMetadata?.turnwright ?? {};
    return part.type !== RETRACTED && !retracted && !gone.includes(uuid);
  });
}

const RETRACTED = 'data-retracted';

/** What any part may have of this. */
interface Part {
  readonly type: string;
  readonly data?: { readonly uuids: readonly string[] };
  readonly providerMetadata?: { readonly turnwright?: { uuid?: string; retracted?: true } };
}
