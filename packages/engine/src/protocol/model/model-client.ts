import type { Life } from '../life.ts';
import type { CallModel, FastModeStatus, ModelInfo } from './model.ts';

/**
 * The models of one provider, as the engine uses them. The contract:
 *
 * - `call` sends a request and yields its answer as batches of events, in the order and form of the Messages
 *   API's stream: a message begins once, each block starts, grows and stops, nothing stays open, and
 *   `message_stop` is last. An answer that came whole is one batch. Each attempt is announced by an `attempt`
 *   output, each wait before a retry by a `retry` output.
 * - Nothing that the provider does makes it throw. A failure is classified once and returned with the
 *   outcome: `failed` if no message had begun, `broken` if one had. Blocks of two attempts are never
 *   joined: after `message_start` it does not retry.
 * - It retries by itself what a retry can help (429, 5xx, lost connections), within the limits of its
 *   options, and renews a refused credential once.
 * - It ends within 100 ms of abort, in every phase: before the request, while it waits for the answer, inside
 *   it, and between two attempts. Sockets of an aborted call are closed.
 * - Usage is what the provider reported; an attempt without a report has none. The usage of attempts that
 *   were not completed is in their records, marked as wasted.
 * - Thinking is sent back only to the model that made it, byte for byte.
 */
export interface ModelClient {
  readonly call: CallModel;
  /**
   * Sizes, abilities and price of a model, as far as they are known. What is in no table is looked up at the
   * endpoint, in the background.
   */
  infoOf(model: string): ModelInfo;
  /** Resolves when `infoOf` is complete, or after a second; undefined: it is complete. Never rejects. */
  ready(model: string, life: Pick<Life, 'signal'>): Promise<void> | undefined;
  /** State of fast mode. */
  fastMode(): FastModeStatus;
  /** Releases its sockets. Running calls must be aborted first. */
  close(): Promise<void>;
}
