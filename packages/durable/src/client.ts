/** The door for servers and people: prompts for sessions in a database, answers, interrupts, their state. */
import { setMaxListeners } from 'node:events';
import { stableUuid, uuid } from '@turnwright/base/ids/hash-and-uuid.ts';
import {
  type InboxPriority,
  type PermissionResult,
  TurnwrightError,
  type UserBlock,
} from '@turnwright/engine';
import type { BlobStore } from '@turnwright/engine/protocol/ports.ts';
import type { Database } from './postgres/database.ts';
import { createListener, type Listener } from './postgres/listener.ts';
import { createOutbox } from './postgres/outbox-rows.ts';
import { afterRemoval } from './postgres/retention/after-removal.ts';
import { putAnswer, putInterrupt, sendPrompt } from './postgres/session-rows.ts';
import { openTables } from './postgres/tables/migrations.ts';
import {
  listSessionStatuses,
  type SessionState,
  type SessionStatus,
  sessionStatus,
} from './session-status.ts';
import { type FollowOptions, followSession } from './stream/follow.ts';
import { openPages, type Pages } from './stream/pages.ts';
import type { Followed } from './stream/reader.ts';

export interface SendOptions {
  /** A second send under the same key changes nothing. Default: a new key. */
  readonly key?: string | undefined;
  /** `now` interrupts what runs, `next` joins it, `later` waits until it is over. Default `next`. */
  readonly priority?: InboxPriority | undefined;
  /** Whose limits the session counts against; taken from its first prompt. Default ''. */
  readonly tenant?: string | undefined;
  /** Folder of a new session, on every machine that may run it. Default: the worker's. */
  readonly cwd?: string | undefined;
}

/** What became of a prompt. */
export interface Sent {
  /** uuid of the prompt: the result that answers it names it in `user_message_uuids`. */
  readonly uuid: string;
  /** false: it had been sent before, under the same key. */
  readonly fresh: boolean;
  /** A place before the prompt: `follow(session, { from: cursor })` gives what came of it. */
  readonly cursor: string;
}

export interface DurableClient {
  /**
   * Sends a prompt; a session that does not exist begins with it. Resolves once it is stored: a worker takes
   * it from there, now or when there is one again. Rejects with `invalid_option` for an id that is none, and
   * for a prompt that is too large, and with `session_removed` when the session is archived.
   *
   * @example
   * ```ts
   * import { durableClient } from 'turnwright/durable';
   *
   * const client = durableClient('postgresql:///turnwright?host=/var/run/postgresql');
   * const { uuid } = await client.send('s1', 'Fix the failing test.', { key: 'request-4711' });
   * await client.close();
   * ```
   */
  send(sessionId: string, prompt: string | readonly UserBlock[], options?: SendOptions): Promise<Sent>;
  /**
   * Ends what runs as a person would (Esc): its result still comes. `interrupted` is false when nothing runs.
   * Rejects with `session_not_found`.
   *
   * @example
   * ```ts
   * import { durableClient } from 'turnwright/durable';
   *
   * const client = durableClient('postgresql:///turnwright?host=/var/run/postgresql');
   * const { interrupted } = await client.interrupt('s1');
   * await client.close();
   * ```
   */
  interrupt(sessionId: string): Promise<{ readonly interrupted: boolean }>;
  /**
   * Answers a question that the session waits for (`status().questions`), also days later. For a form of an
   * MCP server, `updatedInput` holds the fields. Rejects with `session_not_found`, and with `invalid_option`
   * when there is no such question or when it has its answer.
   *
   * @example
   * ```ts
   * import { durableClient } from 'turnwright/durable';
   *
   * const client = durableClient('postgresql:///turnwright?host=/var/run/postgresql');
   * const { questions = [] } = (await client.status('s1')) ?? {};
   * for (const { askId } of questions) await client.answer('s1', askId, { behavior: 'allow' });
   * await client.close();
   * ```
   */
  answer(sessionId: string, askId: string, answer: PermissionResult): Promise<void>;
  /** undefined: there is no such session. */
  status(sessionId: string): Promise<SessionStatus | undefined>;
  /**
   * Sessions whose ids begin with `prefix`, those that changed last first. `limit` is 100 by default.
   *
   * @example
   * ```ts
   * import { durableClient } from 'turnwright/durable';
   *
   * const client = durableClient('postgresql:///turnwright?host=/var/run/postgresql');
   * const parked = await client.sessions({ state: 'parked' });
   * for (const { sessionId, questions } of parked) console.log(sessionId, questions.length);
   * await client.close();
   * ```
   */
  sessions(options?: {
    readonly state?: SessionState | undefined;
    readonly tenant?: string | undefined;
    readonly prefix?: string | undefined;
    readonly limit?: number | undefined;
  }): Promise<readonly SessionStatus[]>;
  /**
   * The messages of a session, as `query()` yields them: prompts too (`isReplay`), and stream events while
   * an answer is written, unless the worker has `includePartialMessages: false`. First what is there, then
   * what comes; a database that is away is waited for. When another worker takes the session over, a message
   * with `retracted_message_uuids` retracts the stream events of a block that was not finished. The last
   * events of a block may be missing: its message takes their place, also after a crash of the database.
   * Each message comes with a cursor: a program that was ended goes on behind the last one that it knows,
   * without a gap and without seeing any message twice. Rejects with `session_not_found`, `invalid_option`
   * for a cursor or uuid that is none, and `session_poisoned` when the session was set aside.
   *
   * @example
   * ```ts
   * import { durableClient } from 'turnwright/durable';
   *
   * const client = durableClient('postgresql:///turnwright?host=/var/run/postgresql');
   * const { cursor, uuid } = await client.send('s1', 'Fix the failing test.');
   * for await (const { message } of client.follow('s1', { from: cursor, until: uuid }))
   *   if (message.type === 'result' && message.subtype === 'success') console.log(message.result);
   * await client.close();
   * ```
   */
  follow(sessionId: string, options?: FollowOptions): AsyncIterable<Followed>;
  /** Ends the connections; `follow` ends. */
  close(): Promise<void>;
}

export interface DurableClientOptions {
  /** Largest prompt that is stored, in bytes of its JSON. Default 10,000,000. */
  readonly maxPromptBytes?: number | undefined;
  /** The store of `archiveSessions`: a prompt for an archived session brings it back, instead of failing. */
  readonly archive?: BlobStore | undefined;
}

const MOST_SESSIONS = 100;

/** What ends all that a client follows: each follower listens to it. */
function openEnd(): AbortController {
  const end = new AbortController();
  setMaxListeners(0, end.signal);
  return end;
}

/**
 * A client of the sessions in a database, by its URL. Nothing is opened before the first call, which rejects
 * with `not_installed` when a package is missing, and with `storage_error` when the tables are.
 *
 * @example
 * ```ts
 * import { durableClient } from 'turnwright/durable';
 *
 * const client = durableClient('postgresql:///turnwright?host=/var/run/postgresql');
 * console.log((await client.status('s1'))?.state);
 * await client.close();
 * ```
 */
export function durableClient(
  url: string,
  { archive, maxPromptBytes = 10_000_000 }: DurableClientOptions = {},
): DurableClient {
  let opening: Promise<Database> | undefined;
  let listener: Listener | undefined;
  /** Followers of one session read together. */
  const followed = new Map<string, { readonly pages: Pages; followers: number }>();
  let closing = openEnd();
  const open = () => {
    opening ??= openTables({ url, connections: 4 }).catch((error: unknown) => {
      // The database may be back at the next call.
      opening = undefined;
      throw error;
    });
    return opening;
  };
  return {
    async send(sessionId, content, { key, priority = 'next', tenant = '', cwd } = {}) {
      const bytes = Buffer.byteLength(JSON.stringify(content));
      if (bytes > maxPromptBytes)
        throw new TurnwrightError(
          'invalid_option',
          `The prompt has ${bytes} bytes as JSON, and at most ${maxPromptBytes} are stored ("maxPromptBytes"): name a file for the model to read.`,
        );
      const database = await open();
      // The same key is the same prompt, whichever process sends it.
      const id = key === undefined ? uuid() : stableUuid(`${sessionId}/${key}`);
      const item = { key: key ?? id, uuid: id, priority, content };
      const { fresh, head } = await afterRemoval(database, { sessionId, archive }, () =>
        sendPrompt(database, { sessionId, item, tenant, cwd }),
      );
      return { uuid: id, fresh, cursor: `${head}.0` };
    },
    async interrupt(sessionId) {
      const database = await open();
      return { interrupted: await putInterrupt(database, { sessionId, key: uuid() }) };
    },
    async answer(sessionId, askId, answer) {
      const database = await open();
      await putAnswer(database, { sessionId, askId, answer });
    },
    async status(sessionId) {
      return sessionStatus((await open()).run, sessionId);
    },
    async sessions({ state, tenant, prefix, limit = MOST_SESSIONS } = {}) {
      return listSessionStatuses((await open()).run, { state, tenant, prefix, limit });
    },
    async *follow(sessionId, options = {}) {
      const database = await open();
      listener ??= createListener(database);
      const { signal } = options;
      const ends = signal === undefined ? closing.signal : AbortSignal.any([signal, closing.signal]);
      const shared = followed.get(sessionId) ?? {
        pages: openPages({ run: database.run, outbox: createOutbox(database, listener), sessionId }),
        followers: 0,
      };
      followed.set(sessionId, shared);
      shared.followers += 1;
      try {
        yield* followSession({ pages: shared.pages }, { ...options, signal: ends });
      } finally {
        shared.followers -= 1;
        if (shared.followers === 0) followed.delete(sessionId);
      }
    },
    async close() {
      closing.abort();
      closing = openEnd();
      await listener?.close();
      listener = undefined;
      const opened = await opening?.catch(() => undefined);
      opening = undefined;
      await opened?.close();
    },
  };
}
