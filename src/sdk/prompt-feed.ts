/** Prompts on their way to a session: read as they come, in line by priority, each one a submission or part of one. */
import type { QueryEngine } from '../engine/query-engine.ts';
import type { PromptState, SDKUserMessage } from '../protocol/sdk-messages.ts';
import type { TerminalReason } from '../protocol/terminal.ts';
import type { UserBlock } from '../protocol/wire.ts';
import type { Writable } from '../util/writable.ts';
import { createPromptLifecycle } from './prompt-lifecycle.ts';

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
  /** These became part of the running turn. */
  joined(keys: readonly string[]): void;
  /** The turn that `next` gave is over. */
  turnEnded(reason: TerminalReason | undefined): void;
  /** Calls off a prompt that waits; false when there is none of this uuid, or it has begun. */
  withdraw(engine: QueryEngine, uuid: string): boolean;
  /** Calls off all that wait, what its turn was just given included; returns their uuids. */
  withdrawAll(engine: QueryEngine): readonly string[];
  /** No more prompts will come. */
  readonly ended: boolean;
  /** Resolves at the next change. */
  changed(): Promise<void>;
  wake(): void;
  /** Reads no further. */
  end(): void;
}

export function createPromptFeed(
  engine: () => Promise<QueryEngine>,
  /** Told what becomes of prompts with a uuid. */
  say: (uuid: string, state: PromptState) => void,
): PromptFeed {
  const lifecycle = createPromptLifecycle(say);
  /** Prompts that were put in line, by key. */
  const known = new Map<string, SDKUserMessage>();
  /** Still being read. */
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
    const session = await engine();
    lifecycle.queued(message.uuid);
    await session.enqueue({
      key,
      content: message.message.content,
      uuid: message.uuid,
      priority: message.priority,
    });
    wake();
  };

  const reading = async (work: () => Promise<void>) => {
    open += 1;
    feed.ended = false;
    try {
      await work();
    } finally {
      open -= 1;
      feed.ended = open === 0;
      wake();
    }
  };

  const feed: Writable<PromptFeed> = {
    ended: true,
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
      lifecycle.started(message?.uuid);
      return {
        content: item.content,
        uuid: message?.uuid,
        origin: message?.origin,
        shouldQuery: message?.shouldQuery,
        verbatim: message?.client_composed,
      };
    },
    joined(keys) {
      for (const key of keys) lifecycle.started(known.get(key)?.uuid);
    },
    turnEnded: (reason) => lifecycle.turnEnded(reason === 'aborted_streaming' || reason === 'aborted_tools'),
    withdraw(session, uuid) {
      const [gone] = session.controls.withdraw([uuid]);
      if (gone !== undefined) lifecycle.cancelled(gone);
      return gone !== undefined;
    },
    withdrawAll(session) {
      const prompts = session.queued().filter(({ key }) => known.has(key));
      session.controls.withdraw(prompts.map(({ key }) => key));
      const uuids = prompts.flatMap(({ uuid }) => uuid ?? []);
      for (const uuid of uuids) lifecycle.cancelled(uuid);
      return uuids;
    },
    changed: () => change,
    wake,
    end() {
      over = true;
      wake();
    },
  };
  return feed;
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
