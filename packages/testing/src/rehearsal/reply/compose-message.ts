/**
 * Converts a scripted reply to the message that the model would have sent: ids, signatures, the output cap,
 * usage.
 */

import { isRecord } from '@turnwright/base/json-values.ts';
import type {
  AssistantBlock,
  RefusalDetails,
  StopReason,
  Usage,
} from '@turnwright/engine/protocol/model/wire.ts';
import { textTokens } from '../accounting/count-tokens.ts';
import type { CacheAccount } from '../accounting/prompt-cache.ts';
import { sealThinking, signThinking } from '../accounting/sign-thinking.ts';
import type { ApiRequest } from '../request/api-request.ts';
import type { RehearsalRequest } from '../scenario/rehearsal-request.ts';
import type { Reply, ScriptedBlock } from '../scenario/scenario.ts';
import { fillTemplate } from './template.ts';

/** A finished or truncated block, and the text of its deltas. */
export interface ComposedBlock {
  readonly block: AssistantBlock;
  /** Streamed text: text, thinking, or a tool's input as JSON. */
  readonly streamed: string;
  readonly tokens: number;
}

export interface ComposedMessage {
  readonly id: string;
  readonly model: string;
  readonly blocks: readonly ComposedBlock[];
  readonly stopReason: StopReason | null;
  readonly stopDetails?: RefusalDetails;
  readonly stopSequence: string | null;
  readonly outputTokens: number;
  readonly thinkingTokens: number;
}

interface ComposeInput {
  readonly reply: Reply;
  readonly request: ApiRequest;
  readonly seen: RehearsalRequest;
  readonly vars: Readonly<Record<string, string>>;
  readonly number: number;
}

/** @throws TemplateError when a template names something that does not exist. */
export function composeMessage({ reply, request, seen, vars, number }: ComposeInput): ComposedMessage {
  const cap =
    typeof request.body['max_tokens'] === 'number' ? request.body['max_tokens'] : Number.POSITIVE_INFINITY;
  const ids = freshIds(request, number);
  const omitThinking =
    isRecord(request.body['thinking']) && request.body['thinking']['display'] === 'omitted';
  const compacts = request.body['compaction'] !== undefined;
  const blocks: ComposedBlock[] = [];
  let left = cap;
  let cut = false;
  for (const scripted of reply.blocks) {
    const filled = fillTemplate(scripted, seen, vars);
    const whole = compacts
      ? composeCompaction(filled)
      : composeBlock(filled, request.model, ids, omitThinking);
    if (whole === undefined) continue;
    cut = whole.tokens > left;
    const block = cut ? cutBlock(whole, left) : whole;
    if (block !== undefined) blocks.push(block);
    left -= whole.tokens;
    if (cut) break;
  }
  const calls = blocks.some(({ block }) => block.type === 'tool_use');
  const byItself = compacts ? 'compaction' : calls ? 'tool_use' : 'end_turn';
  return {
    id: `msg_rehearsal_${number}`,
    model: request.model,
    blocks,
    stopReason: cut ? 'max_tokens' : reply.stop_reason === undefined ? byItself : reply.stop_reason,
    ...(reply.stop_details !== undefined && { stopDetails: reply.stop_details }),
    stopSequence: cut ? null : (reply.stop_sequence ?? null),
    outputTokens: cut ? cap : blocks.reduce((sum, block) => sum + block.tokens, 0),
    thinkingTokens: blocks.reduce(
      (sum, { block, tokens }) => sum + (block.type === 'thinking' ? tokens : 0),
      0,
    ),
  };
}

/** A request for a compaction is answered with one block alone. */
function composeCompaction(scripted: ScriptedBlock): ComposedBlock | undefined {
  if (scripted.type !== 'text') return undefined;
  const content = scripted.text === '' ? null : scripted.text;
  const block = { type: 'compaction', content, encrypted_content: null } as const;
  return { block, streamed: '', tokens: textTokens(scripted.text) };
}

function composeBlock(
  scripted: ScriptedBlock,
  model: string,
  ids: (wanted?: string) => string,
  omitThinking: boolean,
): ComposedBlock {
  switch (scripted.type) {
    case 'text':
      return { block: scripted, streamed: scripted.text, tokens: textTokens(scripted.text) };
    case 'thinking': {
      const shown = omitThinking ? '' : scripted.thinking;
      const nonce = Buffer.from(scripted.thinking.slice(0, 24)).toString('base64url');
      const block = {
        type: 'thinking',
        thinking: shown,
        signature: signThinking(model, shown, nonce),
      } as const;
      return { block, streamed: shown, tokens: textTokens(scripted.thinking) };
    }
    case 'redacted_thinking': {
      const data = sealThinking(model, scripted.data);
      return { block: { type: 'redacted_thinking', data }, streamed: '', tokens: textTokens(scripted.data) };
    }
    case 'tool_use': {
      const json = JSON.stringify(scripted.input);
      const block = {
        type: 'tool_use',
        id: ids(scripted.id),
        name: scripted.name,
        input: scripted.input,
      } as const;
      return { block, streamed: json, tokens: textTokens(scripted.name) + textTokens(json) };
    }
  }
}

/** The part of a block that fits into `tokens`; undefined when none does. */
export function cutBlock(whole: ComposedBlock, tokens: number): ComposedBlock | undefined {
  if (tokens <= 0) return undefined;
  const streamed = whole.streamed.slice(0, Math.min(tokens * 4, Math.max(1, whole.streamed.length - 1)));
  switch (whole.block.type) {
    case 'text':
      return { block: { type: 'text', text: streamed }, streamed, tokens };
    case 'thinking':
      // Unfinished thinking is never signed.
      return { block: { type: 'thinking', thinking: streamed, signature: '' }, streamed, tokens };
    case 'tool_use':
      return { block: { ...whole.block, input: {} }, streamed, tokens };
    default:
      return undefined;
  }
}

/** Ids are unique in a conversation: one that a repeated reply used before gets a number appended. */
function freshIds(request: ApiRequest, number: number): (wanted?: string) => string {
  let taken: Set<unknown> | undefined;
  let given = 0;
  return (wanted) => {
    given += 1;
    if (wanted === undefined) return `toolu_rehearsal_${number}_${given}`;
    taken ??= new Set(
      request.turns.flatMap((turn) =>
        turn.blocks.map((block) => (block.type === 'tool_use' ? block['id'] : undefined)),
      ),
    );
    let id = wanted;
    for (let n = 2; taken.has(id); n++) id = `${wanted}_${n}`;
    taken.add(id);
    return id;
  };
}

/** What the API would bill: counted, overridden by the reply's own figures. */
export function countUsage(
  account: CacheAccount,
  message: ComposedMessage,
  override: Partial<Usage> | undefined,
): Usage {
  return {
    input_tokens: account.freshTokens,
    cache_creation_input_tokens: account.written5mTokens + account.written1hTokens,
    cache_read_input_tokens: account.readTokens,
    cache_creation: {
      ephemeral_5m_input_tokens: account.written5mTokens,
      ephemeral_1h_input_tokens: account.written1hTokens,
    },
    output_tokens: message.outputTokens,
    ...(message.thinkingTokens > 0
      ? { output_tokens_details: { thinking_tokens: message.thinkingTokens } }
      : {}),
    service_tier: 'standard',
    ...override,
  };
}
