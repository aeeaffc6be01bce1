/** Prompts on their way to a session: read as they come, in line by priority, each one a submission or part of one. */
import type { QueryEngine } from '../engine/query-engine.ts';
import type { SDKUserMessage } from '../protocol/sdk-messages.ts';
import type { UserBlock } from '../protocol/wire.ts';

export interface NextPrompt {
  readonly content: string | readonly UserBlock[];
  /** As its sender gave it; an unstamped prompt has none. */
  readonly uuid: string | undefined;
  readonly origin: SDKUserMessage['origin'];
  readonly shouldQuery: boolean | undefined;
  /** As it is: no command, no files for `@path`. */
  readonly verbatim: boolean | undefined;
}

export interface PromptFeed {
  add(message: SDKUserMessage): Promise<void>;
  /** Reads to the end. Rejects with the iterable's error. */
  read(input: AsyncIterable<SDKUserMessage>): Promise<void>;
  /** Takes the next prompt that did not join a running turn. */
  next(engine: QueryEngine): NextPrompt | undefined;
  /** No more prompts will come. */
  readonly ended: boolean;
  /** Resolves at the next change. */
  changed(): Promise<void>;
  wake(): void;
  /** Reads no further. */
  end(): void;
}

export function createPromptFeed(engine: () => Promise<QueryEngine>): PromptFeed {
  /** Prompts that were put in line, by key. */
  const known = new Map<string, SDKUserMessage>();
  let open = 0;
  let over = false;
  let wakeUp = () => {};
  let change = new Promise<void>((resolve) => {
    wakeUp = resolve;
  });

  const wake = () => {
    const before = wakeUp;
    change = new Promise<void>((resolve) => {
      wakeUp = resolve;
    });
    before();
  };

  let count = 0;
  const put = async (message: SDKUserMessage) => {
    count += 1;
    const key = message.uuid ?? `prompt-${count}`;
    known.set(key, message);
    await (await engine()).enqueue({
      content: message.message.content,
      uuid: key,
      priority: message.priority,
    });
    wake();
  };

  const reading = async (work: () => Promise<void>) => {
    open += 1;
    try {
      await work();
    } finally {
      open -= 1;
      wake();
    }
  };

  return {
    add: (message) => reading(() => put(message)),
    read: (input) =>
      reading(async () => {
        const iterator = input[Symbol.asyncIterator]();
        while (!over) {
          const step = await iterator.next();
          if (step.done === true) return;
          if (!over) await put(step.value);
        }
        await iterator.return?.();
      }),
    next(session) {
      const item = session.takeQueued();
      if (item === undefined) return undefined;
      const message = known.get(item.key ?? '');
      // What joined a running turn is no longer in line either.
      const left = new Set(session.queued().map(({ key }) => key));
      for (const key of known.keys()) if (!left.has(key)) known.delete(key);
      return {
        content: item.content,
        uuid: message?.uuid,
        origin: message?.origin,
        shouldQuery: message?.shouldQuery,
        verbatim: message?.client_composed,
      };
    },
    get ended() {
      return open === 0;
    },
    changed: () => change,
    wake,
    end() {
      over = true;
      wake();
    },
  };
}

/** Prompts that wait in one session, moved to the one that follows it. */
export async function handQueueOn(from: QueryEngine, to: QueryEngine): Promise<void> {
  for (let item = from.takeQueued(); item !== undefined; item = from.takeQueued()) await to.enqueue(item);
}

/** What ended in the background, as a prompt to go on with. */
export function noticeFrom(session: QueryEngine): NextPrompt | undefined {
  const notice = session.tasks.takeNotice();
  return notice && { ...notice, uuid: undefined, shouldQuery: undefined, verbatim: true };
}

export function userMessage(text: string): SDKUserMessage {
  return { type: 'user', message: { role: 'user', content: text }, parent_tool_use_id: null };
}
