/** What a host may do to a session besides prompting it: take prompts back, look at what it cost, call a server's tool. */
import { TurnwrightError } from '../../protocol/errors.ts';
import type { HooksListing } from '../../protocol/hook-config.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { ModelUsage } from '../../protocol/result-message.ts';
import type { SessionState } from '../../protocol/session-messages.ts';
import type { ToolResultContent } from '../../protocol/tool.ts';
import type { UserBlock } from '../../protocol/wire.ts';
import { switchModel } from '../models/switch-model.ts';
import { toReplay } from '../output/to-sdk-user.ts';
import { openSession } from '../session/open-session.ts';
import type { Session } from '../session/session.ts';

export interface SessionUsage {
  readonly session: {
    /** Estimate, USD, earlier lives of the session included. */
    readonly total_cost_usd: number;
    /** ms that model calls took, side by side ones together, since this engine began. */
    readonly total_api_duration_ms: number;
    /** ms since this engine began. */
    readonly total_duration_ms: number;
    /** As far back as the context goes: by Write and Edit. */
    readonly total_lines_added: number;
    readonly total_lines_removed: number;
    readonly model_usage: Readonly<Record<string, ModelUsage>>;
  };
  /** There are no plans with limits here. */
  readonly subscription_type: null;
  readonly rate_limits_available: false;
  readonly rate_limits: null;
  readonly behaviors: null;
}

export interface McpCall {
  /** `mcp__server__tool`. */
  readonly tool: string;
  readonly arguments?: JsonObject | undefined;
  /** By the rules of a call of the model's, without asking anybody. Default false: the host has decided. */
  readonly checkPermissions?: boolean | undefined;
}

export interface HostControls {
  /** Opens the session now, not with its first submission. Rejects with what keeps it from opening. */
  open(): Promise<void>;
  /** Emits `session_state_changed` to those who asked for it. */
  enterState(state: SessionState): void;
  /** An earlier life of the session, or what it was forked from, answered the prompt of this uuid. */
  wasAnswered(uuid: string): boolean;
  /** Takes prompts out of the line; returns the keys that were there and had not begun to join the running turn. */
  withdraw(keys: readonly string[]): readonly string[];
  /** From the next request on; undefined: the default model. Rejects where a hook or the budget refuses it. */
  switchModel(model?: string): Promise<void>;
  /** Where prompts are replayed: this one is part of a submission under another uuid. */
  repeatPrompt(uuid: string, content: string | readonly UserBlock[]): void;
  /** From the next submission on; null: the model's own way. */
  setThinkingDisplay(display: 'summarized' | 'omitted' | null): void;
  /** Hears the keys of prompts that joined the running submission. Returns its end. */
  onPromptsJoined(listener: (keys: readonly string[]) => void): () => void;
  usage(): SessionUsage;
  /** What hooks this session has. */
  hooksListing(): HooksListing;
  /** What the tool returned. Rejects when there is no such tool, when it may not run and when it fails. */
  callMcpTool(call: McpCall, signal: AbortSignal): Promise<{ readonly content: ToolResultContent }>;
}

/** `startedMs`: when this engine began, on its monotonic clock. */
export function hostControls(session: Session, startedMs: number): HostControls {
  return new Controls(session, startedMs);
}

class Controls implements HostControls {
  readonly #session: Session;
  readonly #startedMs: number;

  constructor(session: Session, startedMs: number) {
    this.#session = session;
    this.#startedMs = startedMs;
  }

  async open(): Promise<void> {
    await openSession(this.#session);
  }

  enterState(state: SessionState): void {
    const { config, host } = this.#session;
    const { onSessionState, sessionState: audience } = config;
    if (audience === undefined || (audience === 'host' && onSessionState === undefined)) return;
    const message = {
      type: 'system',
      subtype: 'session_state_changed',
      state,
      ...(audience === 'host' && { sdk_host_only: true as const }),
      ...host.stamp(),
    } as const;
    if (onSessionState !== undefined) onSessionState(message);
    else host.emit(message);
  }

  wasAnswered(uuid: string): boolean {
    return this.#session.conversation.wasAnswered(uuid);
  }

  withdraw(keys: readonly string[]): readonly string[] {
    const { queue } = this.#session;
    return queue.acknowledge(keys.filter((key) => !queue.isJoining(key)));
  }

  repeatPrompt(uuid: string, content: string | readonly UserBlock[]): void {
    const { config, host } = this.#session;
    if (config.replayUserMessages === true)
      host.emit(toReplay({ ...host.timedStamp(), uuid, content }, host.sessionId));
  }

  setThinkingDisplay(display: 'summarized' | 'omitted' | null): void {
    this.#session.model.thinkingDisplay = display;
  }

  switchModel(name?: string): Promise<void> {
    return switchModel(name, 'sdk', this.#session);
  }

  onPromptsJoined(listener: (keys: readonly string[]) => void): () => void {
    return this.#session.queue.onJoined(listener);
  }

  usage(): SessionUsage {
    const { budget, conversation, model, world } = this.#session;
    const { ledger } = budget;
    return {
      session: {
        total_cost_usd: ledger.totalCostUsd(),
        total_api_duration_ms: Math.round(model.client.sessionApiMs()),
        total_duration_ms: Math.round(world.clock.monotonicMs() - this.#startedMs),
        ...changedLines(conversation.messages),
        model_usage: ledger.modelUsage(),
      },
      subscription_type: null,
      rate_limits_available: false,
      rate_limits: null,
      behaviors: null,
    };
  }

  hooksListing(): HooksListing {
    return this.#session.hooks.listing();
  }

  async callMcpTool(call: McpCall, signal: AbortSignal): Promise<{ readonly content: ToolResultContent }> {
    const { tool, arguments: input = {}, checkPermissions = false } = call;
    const { mcp, tools } = this.#session;
    if (!tool.startsWith('mcp__')) throw new TurnwrightError('invalid_option', `${tool} is no MCP tool.`);
    await mcp.settled({ signal });
    if (checkPermissions) {
      const answer = await tools.callGated(tool, input, signal);
      if (!answer.ok) throw new TurnwrightError('mcp_call_failed', `The tool did not run: ${answer.why}`);
      return delivered(answer);
    }
    return delivered(await tools.callTool(tool, input, signal));
  }
}

function delivered({ content, isError }: { content: ToolResultContent; isError?: boolean }) {
  if (isError !== true) return { content };
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  throw new TurnwrightError('mcp_call_failed', text);
}

function changedLines(messages: Iterable<unknown>) {
  let [added, removed] = [0, 0];
  for (const message of messages) {
    const { toolUseResult: result } = message as { readonly toolUseResult?: ChangedFile };
    // A new file has no patch.
    if (result?.type === 'create' && typeof result.content === 'string') added += linesOf(result.content);
    const hunks = result?.structuredPatch;
    if (!Array.isArray(hunks)) continue;
    for (const { lines } of hunks as { readonly lines: readonly string[] }[]) {
      added += lines.filter((line) => line.startsWith('+')).length;
      removed += lines.filter((line) => line.startsWith('-')).length;
    }
  }
  return { total_lines_added: added, total_lines_removed: removed };
}

interface ChangedFile {
  readonly type?: unknown;
  readonly content?: unknown;
  readonly structuredPatch?: unknown;
}

function linesOf(content: string): number {
  return content === '' ? 0 : content.replace(/\n$/, '').split('\n').length;
}
