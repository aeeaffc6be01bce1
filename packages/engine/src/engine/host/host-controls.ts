/**
 * What a host may do to a session besides prompting it: open and name it, read its plugins again, look at
 * what it cost.
 */

import type { UserBlock } from '../../protocol/model/wire.ts';
import type { CostForecast } from '../../protocol/session/forecast.ts';
import type { ContextSize, ContextUsage } from '../../protocol/stream/context-usage.ts';
import type { ModelUsage } from '../../protocol/stream/result-message.ts';
import type { SessionActivity, SlashCommandInfo } from '../../protocol/stream/session-messages.ts';
import type { HooksListing } from '../../protocol/tools/hook-config.ts';
import type { LanguageServerStatus } from '../../protocol/tools/language.ts';
import { toReplay } from '../output/to-sdk-user.ts';
import { openSession } from '../session/open-session.ts';
import type { Session } from '../session/session.ts';
import { setSessionTitle } from '../session/session-title.ts';
import type { ReloadedPlugins, ReloadPluginsOptions } from './reload-plugins.ts';
import type { SideQuestion } from './side-question.ts';

export interface SessionUsage {
  readonly session: {
    /** Estimate in USD, previous processes of the session included. */
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

/** Of one prompt: what it has cost so far, and where it will end. */
export interface RunForecast {
  /** USD, agents and helpers included. */
  readonly spentUsd: number;
  readonly forecast: CostForecast;
}

export class HostControls {
  readonly #session: Session;
  readonly #refuseClosed: () => void;
  readonly #startedMs: number;
  #lines: ChangedLines | undefined;

  /** Time counts from now on. `refuseClosed` throws `engine_closed` once the engine is closed. */
  constructor(session: Session, refuseClosed: () => void) {
    this.#session = session;
    this.#refuseClosed = refuseClosed;
    this.#startedMs = session.world.clock.monotonicMs();
  }

  /** Opens the session now, not with its first submission. Rejects with what keeps it from opening. */
  async open(): Promise<void> {
    await openSession(this.#session);
  }

  /**
   * Gives the session a name. Rejects with `invalid_option` for an empty one, or when another session is
   * meant.
   */
  async rename(title: string, sessionId?: string): Promise<void> {
    this.#refuseClosed();
    await setSessionTitle(title, this.#session, sessionId);
  }

  /** Emits `session_state_changed` to those who asked for it. */
  enterState(state: SessionActivity): void {
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

  /** An earlier process, or the session that this one was forked from, answered the prompt of this uuid. */
  wasAnswered(uuid: string): boolean {
    return this.#session.conversation.wasAnswered(uuid);
  }

  /** Where prompts are replayed: this one is part of a submission under another uuid. */
  repeatPrompt(uuid: string, content: string | readonly UserBlock[]): void {
    const { config, host } = this.#session;
    if (config.replayUserMessages === true)
      host.emit(toReplay({ ...host.timedStamp(), uuid, content }, host.sessionId));
  }

  /** Answers a question from the conversation, which stays as it is. */
  async askAside(question: SideQuestion): Promise<string> {
    this.#refuseClosed();
    return (await import('./side-question.ts')).askAside(question, this.#session);
  }

  /** What fills the context, by category. Opens the session when nothing has yet. */
  async contextUsage(): Promise<ContextUsage> {
    this.#refuseClosed();
    return (await import('./measure-context.ts')).measureContextUsage(this.#session);
  }

  /** How full the context is; needs no look at the whole conversation once there was an answer. */
  async contextSize(): Promise<ContextSize> {
    this.#refuseClosed();
    return (await import('./measure-context.ts')).measureContextSize(this.#session);
  }

  /** Looks for skills again; those that a user may call. Emits a list of commands that changed. */
  async reloadSkills(): Promise<readonly SlashCommandInfo[]> {
    this.#refuseClosed();
    const { commands, skills } = this.#session;
    return commands.changing(skills.reload());
  }

  /** Reads plugins again, and their parts. Rejects with `reload_plugins_busy` where that was asked for. */
  async reloadPlugins(options: ReloadPluginsOptions = {}): Promise<ReloadedPlugins> {
    this.#refuseClosed();
    const { queue, submissions } = this.#session;
    const isBusy = submissions.running !== undefined || queue.peek().length > 0;
    return (await import('./reload-plugins.ts')).reloadPlugins(options, isBusy, this.#session);
  }

  usage(): SessionUsage {
    const { budget, model, world } = this.#session;
    const { ledger } = budget;
    return {
      session: {
        total_cost_usd: ledger.totalCostUsd(),
        total_api_duration_ms: Math.round(model.client.sessionApiMs()),
        total_duration_ms: Math.round(world.clock.monotonicMs() - this.#startedMs),
        ...this.#changedLines(),
        model_usage: ledger.modelUsage(),
      },
      subscription_type: null,
      rate_limits_available: false,
      rate_limits: null,
      behaviors: null,
    };
  }

  /** Where the running submission will end, or the last one ended; the history is read by the first call. */
  async costForecast(): Promise<RunForecast> {
    const { runs } = this.#session.budget;
    const forecast = (await runs?.forecast()) ?? ({ kind: 'unknown', runs: 0, dearer: 0 } as const);
    return { spentUsd: runs?.spentUsd ?? 0, forecast };
  }

  /** Counts only what was appended since the last call. */
  #changedLines(): Pick<SessionUsage['session'], 'total_lines_added' | 'total_lines_removed'> {
    const { messages } = this.#session.conversation;
    const { root, length } = messages;
    const known = this.#lines?.root === root && this.#lines.length <= length ? this.#lines : NO_LINES;
    const { added, removed } = changedLines(messages.slice(known.length));
    const lines = { root, length, added: known.added + added, removed: known.removed + removed };
    this.#lines = lines;
    return { total_lines_added: lines.added, total_lines_removed: lines.removed };
  }

  /** What hooks this session has. */
  hooksListing(): Promise<HooksListing> {
    return this.#session.hooks.listing();
  }

  languageServers(): readonly LanguageServerStatus[] {
    return this.#session.language?.statuses() ?? [];
  }
}

/** Lines that files have changed by, in this much of the conversation. */
interface ChangedLines {
  readonly root: object;
  readonly length: number;
  readonly added: number;
  readonly removed: number;
}

const NO_LINES: Omit<ChangedLines, 'root'> = { length: 0, added: 0, removed: 0 };

function changedLines(messages: Iterable<unknown>) {
  let [added, removed] = [0, 0];
  for (const message of messages) {
    const { toolUseResult: result } = message as { readonly toolUseResult?: ChangedFile };
    // A new file has no patch.
    if (result?.type === 'create' && typeof result.content === 'string') added += countLines(result.content);
    const hunks = result?.structuredPatch;
    if (!Array.isArray(hunks)) continue;
    for (const { lines } of hunks as { readonly lines: readonly string[] }[]) {
      added += lines.filter((line) => line.startsWith('+')).length;
      removed += lines.filter((line) => line.startsWith('-')).length;
    }
  }
  return { added, removed };
}

interface ChangedFile {
  readonly type?: unknown;
  readonly content?: unknown;
  readonly structuredPatch?: unknown;
}

function countLines(content: string): number {
  return content === '' ? 0 : content.replace(/\n$/, '').split('\n').length;
}
