/**
 * The debug log of a session: each record as it is written, each model call with its retries, messages
 * outside of turns, and warnings. Loaded when it is enabled. It contains names, counts, ids and reasons,
 * never the content of messages, so a log can be shared.
 */

import { isoTime } from '@turnwright/base/text/figures-and-times.ts';
import { maskSecrets } from '@turnwright/base/text/secret-text.ts';
import type { CallLayer } from '../../model/call-layers.ts';
import type { ModelOutcome } from '../../protocol/model/model.ts';
import type { DecisionRecord } from '../../protocol/session/decision-record.ts';
import type { JournalBody } from '../../protocol/session/journal.ts';
import type { SDKMessage } from '../../protocol/stream/sdk-messages.ts';

type Category = 'api' | 'session' | 'told' | 'warning';

/** Called by the parts of the engine; see `QueryEngineConfig.debug`. */
export interface DebugLog {
  entry(body: JournalBody): void;
  told(message: SDKMessage): void;
  warned(line: string): void;
  /** A model was looked up at its endpoint. */
  lookedUp(line: string): void;
  /** Wraps every model call. */
  readonly calls: CallLayer;
  /** The session has ended. */
  close(): Promise<void>;
}

interface DebugLogOptions {
  /** One line, without a newline. */
  readonly write: (line: string) => void;
  /** Categories, separated by commas; with `!` before them: all but those. Default all. */
  readonly filter?: string | undefined;
  readonly nowMs: () => number;
  readonly close: () => Promise<void>;
}

type Say = (category: Category, text: string) => void;

export function createDebugLog({ write, filter, nowMs, close }: DebugLogOptions): DebugLog {
  const wanted = wantedBy(filter);
  const say: Say = (category, text) => {
    if (!wanted(category)) return;
    write(`${isoTime(nowMs())} [${category}] ${maskSecrets(text).replaceAll(/\s*\n\s*/g, ' ')}`);
  };
  return {
    entry: (body) => say('session', entryLine(body)),
    told: (message) =>
      say('told', 'subtype' in message ? `${message.type}/${message.subtype}` : message.type),
    warned: (line) => say('warning', line),
    lookedUp: (line) => say('api', line),
    calls: callLines(say),
    close,
  };
}

function wantedBy(filter = ''): (category: Category) => boolean {
  const words = filter.split(',').flatMap((word) => word.trim() || []);
  const but = words.flatMap((word) => (word.startsWith('!') ? word.slice(1) : []));
  const only = words.filter((word) => !word.startsWith('!'));
  return (category) => !but.includes(category) && (only.length === 0 || only.includes(category));
}

function callLines(say: Say): CallLayer {
  return {
    before({ effectKey, querySource, model, maxTokens, tools, view, stream }) {
      const size = `${view.length} messages, ${tools.length} tools, max_tokens ${maxTokens}`;
      say('api', `${effectKey}: ask ${model} (${querySource}): ${size}${stream ? '' : ', not streamed'}`);
      return undefined;
    },
    onRetry({ effectKey }, { attempt, maxRetries, delayMs, status, error }) {
      const again = `retry ${attempt} of ${maxRetries} in ${Math.round(delayMs)} ms`;
      say('api', `${effectKey}: ${status ?? 'no status'} ${error}, ${again}`);
    },
    after({ effectKey }, outcome) {
      say('api', `${effectKey}: ${outcome === undefined ? 'left' : outcomeText(outcome)}`);
      return undefined;
    },
  };
}

function outcomeText(outcome: ModelOutcome): string {
  const parts: string[] = [outcome.kind];
  if ('failure' in outcome) parts.push(`${outcome.failure.kind}: ${outcome.failure.message}`);
  const last = outcome.attempts.at(-1);
  if (last !== undefined)
    parts.push(`${Math.round(last.endMs - last.startMs)} ms`, `${last.bytes} bytes sent`);
  if (last?.usage !== undefined)
    parts.push(`${last.usage.input_tokens} in`, `${last.usage.output_tokens} out`);
  if (outcome.requestId !== undefined) parts.push(outcome.requestId);
  return parts.join(', ');
}

function decided(decision: NonNullable<DecisionRecord['decision']>): string {
  switch (decision.kind) {
    case 'stop':
      return `stop ${decision.terminal}`;
    case 'park':
      return 'park';
    case 'continue':
      return decision.transition;
  }
}

function entryLine(body: JournalBody): string {
  switch (body.type) {
    case 'decision': {
      const { decision } = body.record;
      return `decision ${body.id}: ${decision === undefined ? 'cut off' : decided(decision)}`;
    }
    case 'intent':
      return `intent ${body.toolName} ${body.toolUseId} (${body.effectClass})`;
    case 'response':
      return `response ${body.id}: ${body.stopReason ?? 'none'}${body.broken === true ? ', broken' : ''}, $${body.costUsd.toFixed(6)}`;
    case 'user':
      return `user ${body.kind} ${body.uuid}`;
    case 'assistant':
      return `assistant ${body.message.content.map(({ type }) => type).join(' ')} ${body.uuid}`;
    case 'attachment':
      return `attachment ${body.attachment.type}`;
    case 'system':
      return `system ${body.subtype}`;
    case 'retract':
      return `retract ${body.uuids.length}: ${body.reason}`;
    default:
      return `${body.type} ${body.id}`;
  }
}
