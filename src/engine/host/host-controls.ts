/** What a host may do to a session besides prompting it: take prompts back, look at what it cost, call a server's tool. */
import { TurnwrightError } from '../../protocol/errors.ts';
import type { HooksListing } from '../../protocol/hook-config.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { ModelUsage } from '../../protocol/result-message.ts';
import type { SessionState } from '../../protocol/session-messages.ts';
import type { ToolResultContent } from '../../protocol/tool.ts';
import type { UserBlock } from '../../protocol/wire.ts';
import { isoTime } from '../../util/text/iso-time.ts';
import { switchModel } from '../models/switch-model.ts';
import { toReplay } from '../output/to-sdk-user.ts';
import { openSession } from '../session/open-session.ts';
import type { EngineParts } from '../session/session-parts.ts';

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
export function hostControls(parts: EngineParts, startedMs: number): HostControls {
  return new Controls(parts, startedMs);
}

class Controls implements HostControls {
  readonly #parts: EngineParts;
  readonly #startedMs: number;

  constructor(parts: EngineParts, startedMs: number) {
    this.#parts = parts;
    this.#startedMs = startedMs;
  }

  async open(): Promise<void> {
    await openSession(this.#parts);
  }

  enterState(state: SessionState): void {
    const { announcer, config, ids, sessionId } = this.#parts;
    const { onSessionState, sessionState: audience } = config;
    if (audience === undefined || (audience === 'host' && onSessionState === undefined)) return;
    const message = {
      type: 'system',
      subtype: 'session_state_changed',
      state,
      ...(audience === 'host' && { sdk_host_only: true as const }),
      uuid: ids.uuid(),
      session_id: sessionId,
    } as const;
    if (onSessionState !== undefined) onSessionState(message);
    else announcer.say(message);
  }

  wasAnswered(uuid: string): boolean {
    return this.#parts.memory.answered?.has(uuid) === true;
  }

  withdraw(keys: readonly string[]): readonly string[] {
    const { queue } = this.#parts;
    return queue.acknowledge(keys.filter((key) => !queue.isJoining(key)));
  }

  repeatPrompt(uuid: string, content: string | readonly UserBlock[]): void {
    const { announcer, clock, config, sessionId } = this.#parts;
    if (config.replayUserMessages !== true) return;
    announcer.say(toReplay({ uuid, content, timestamp: isoTime(clock.nowMs()) }, sessionId));
  }

  setThinkingDisplay(display: 'summarized' | 'omitted' | null): void {
    this.#parts.memory.thinkingDisplay = display;
  }

  switchModel(name?: string): Promise<void> {
    return switchModel(name, 'sdk', this.#parts);
  }

  onPromptsJoined(listener: (keys: readonly string[]) => void): () => void {
    return this.#parts.queue.onJoined(listener);
  }

  usage(): SessionUsage {
    const { clock, journal, ledger, model } = this.#parts;
    return {
      session: {
        total_cost_usd: ledger.totalCostUsd(),
        total_api_duration_ms: Math.round(model.sessionApiMs()),
        total_duration_ms: Math.round(clock.monotonicMs() - this.#startedMs),
        ...changedLines(journal.view.messages),
        model_usage: ledger.modelUsage(),
      },
      subscription_type: null,
      rate_limits_available: false,
      rate_limits: null,
      behaviors: null,
    };
  }

  hooksListing(): HooksListing {
    return this.#parts.hookRoom.listing();
  }

  async callMcpTool(call: McpCall, signal: AbortSignal): Promise<{ readonly content: ToolResultContent }> {
    const { tool, arguments: input = {}, checkPermissions = false } = call;
    const { mcp, tools } = this.#parts;
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
