/** A session that is opened before its first prompt is known. */

import type { Known } from '../../options/output-format.ts';
import { TurnwrightError } from '../../protocol/errors.ts';
import type { SDKUserMessage } from '../../protocol/stream/sdk-messages.ts';
import type { Options } from '../query-options.ts';
import { toUserMessage } from './prompt-feed.ts';
import { type Query, query } from './query.ts';

/** A session that is open and waits for its prompt. Close it if no query is made. */
export interface WarmQuery<Output = unknown> extends AsyncDisposable {
  /**
   * Runs the one query of this session. Throws `invalid_option` on a second call, and after it was closed.
   */
  query(prompt: string | AsyncIterable<SDKUserMessage>): Query<Output>;
  /** Ends the session, and its query if there is one. */
  close(): Promise<void>;
}

/** Options of `startup()`. */
export interface StartupOptions<Output = unknown> {
  readonly options?: Options<Output>;
  /** Time limit in ms. Default 60,000. */
  readonly initializeTimeoutMs?: number;
}

const INITIALIZE_TIMEOUT_MS = 60_000;

/**
 * Reads settings, plugins and agents and starts connecting to MCP servers, before a prompt is known. Rejects
 * with the error that prevents the session, and with `startup_timeout`.
 *
 * @example
 * ```ts
 * await using warm = await startup({ options: { mcpServers: { files: { command: 'files-server' } } } });
 * for await (const message of warm.query('Which files are here?'))
 *   if (message.type === 'result' && message.subtype === 'success') console.log(message.result);
 * ```
 */
export async function startup<Output = unknown>({
  options = {},
  initializeTimeoutMs = INITIALIZE_TIMEOUT_MS,
}: StartupOptions<Output> = {}): Promise<WarmQuery<Known<Output>>> {
  let give = (_: AsyncIterable<SDKUserMessage> | undefined) => {};
  const given = new Promise<AsyncIterable<SDKUserMessage> | undefined>((resolve) => {
    give = resolve;
  });
  const running = query({ prompt: awaitInput(given), options });
  let taken = false;
  const close = async () => {
    taken = true;
    give(undefined);
    await running.close();
  };
  try {
    await inTime(running.mcpServerStatus(), initializeTimeoutMs);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    query(prompt) {
      if (taken) throw new TurnwrightError('invalid_option', 'A warm session takes one query.');
      taken = true;
      give(typeof prompt === 'string' ? once(prompt) : prompt);
      return running;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function* awaitInput(given: Promise<AsyncIterable<SDKUserMessage> | undefined>) {
  const input = await given;
  if (input !== undefined) yield* input;
}

async function* once(prompt: string): AsyncGenerator<SDKUserMessage> {
  yield toUserMessage(prompt);
}

async function inTime(opened: Promise<unknown>, limitMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const error = new TurnwrightError('startup_timeout', `The session was not open within ${limitMs} ms.`);
    timer = setTimeout(() => reject(error), limitMs);
  });
  try {
    await Promise.race([opened, late]);
  } finally {
    clearTimeout(timer);
  }
}
