/** The object that `query()` returns. */

import type { AvailableModels } from '../../engine/standalone/list-configured-models.ts';
import type { SDKMessage, SDKUserMessage } from '../../protocol/stream/sdk-messages.ts';
import type { PermissionMode } from '../../protocol/tools/permission.ts';
import type { InitializationResult } from './session-info.ts';
import type { SessionMethods, SettingsMethods } from './session-methods.ts';
import type { SetMaxThinkingTokens } from './thinking-controls.ts';

export interface InterruptReceipt {
  /** uuids of queued prompts that will still run. */
  readonly still_queued: readonly string[];
  /** uuids of prompts that were withdrawn. */
  readonly cancelled?: readonly string[];
}

/**
 * A running session: an iterable of its messages, and methods that change it meanwhile. `Output`: the type of
 * the result's `structured_output`.
 *
 * @example
 * ```ts
 * const running = query({ prompt: 'Fix the failing test.' });
 * for await (const message of running) {
 *   if (message.type === 'system' && message.subtype === 'init') await running.setModel('sonnet');
 *   if (message.type === 'result') console.log(message.terminal_reason);
 * }
 * ```
 */
export interface Query<Output = unknown>
  extends AsyncGenerator<SDKMessage<Output>, void, void>,
    SettingsMethods,
    SessionMethods {
  /**
   * Stops the running turn, which still yields its result. `cancelQueued`: queued prompts are withdrawn too.
   *
   * @example
   * ```ts
   * const running = query({ prompt: 'Fix the failing test.' });
   * process.once('SIGINT', () => void running.interrupt());
   * for await (const message of running) if (message.type === 'result') console.log(message.terminal_reason);
   * ```
   */
  interrupt(options?: { readonly cancelQueued?: boolean }): Promise<InterruptReceipt>;
  /** Withdraws a queued prompt. False if it has begun, joins the running turn, or is unknown. */
  cancelAsyncMessage(uuid: string): Promise<boolean>;
  /** Takes effect with the next request, also of a running turn; undefined: the default model. */
  setModel(model?: string): Promise<void>;
  /**
   * Takes effect immediately, for calls that are not decided yet. Emits a status message. Resolves with the
   * mode that is now in effect.
   *
   * @example
   * ```ts
   * const running = query({ prompt: 'Plan the change.', options: { permissionMode: 'plan' } });
   * for await (const message of running) {
   *   if (message.type !== 'result') continue;
   *   await running.setPermissionMode('acceptEdits');
   * }
   * ```
   */
  setPermissionMode(mode: PermissionMode): Promise<{ readonly mode: PermissionMode }>;
  /**
   * Takes effect with the next turn. Tokens; 0: no thinking, null: as configured. `display`: thinking
   * display, null for the model's default. undefined leaves either unchanged.
   */
  readonly setMaxThinkingTokens: SetMaxThinkingTokens;
  /** Resolves without waiting for MCP servers. */
  initializationResult(): Promise<InitializationResult>;
  /**
   * Like `initializationResult`, with current values. Emits `background_tasks_changed` with the running
   * background tasks.
   */
  reinitialize(): Promise<InitializationResult>;
  supportedCommands(): Promise<InitializationResult['commands']>;
  supportedModels(): Promise<InitializationResult['models']>;
  /**
   * The models that the session's own endpoint offers, with sizes, prices and their source; those of the
   * built-in list if the endpoint does not list them. One request, without cost. `provider`: the models of
   * this one instead, which `setModel` knows as `provider:id`.
   */
  availableModels(options: {
    readonly signal: AbortSignal;
    readonly provider?: string | undefined;
  }): Promise<AvailableModels>;
  supportedAgents(): Promise<InitializationResult['agents']>;
  accountInfo(): Promise<InitializationResult['account']>;
  /** Reloads output styles; returns their names. */
  reloadOutputStyles(): Promise<{ readonly available_output_styles: readonly string[] }>;
  /**
   * Adds prompts. Resolves when all of them were read.
   *
   * @example
   * ```ts
   * async function* prompts(): AsyncGenerator<SDKUserMessage> {
   *   const message = { role: 'user', content: 'And then commit it.' } as const;
   *   yield { type: 'user', message, parent_tool_use_id: null };
   * }
   * const running = query({ prompt: 'Fix the failing test.' });
   * void running.streamInput(prompts());
   * for await (const message of running) if (message.type === 'result') console.log(message.subtype);
   * ```
   */
  streamInput(input: AsyncIterable<SDKUserMessage>): Promise<void>;
  /** Ends the session: no result, and the iterator ends silently. */
  close(): Promise<void>;
}
