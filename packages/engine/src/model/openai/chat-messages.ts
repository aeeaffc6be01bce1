/** Turns as messages of a chat completion. */

import type { ConversationTurn } from '../../protocol/model/provider-wire.ts';
import type { AssistantBlock, ToolResultBlock, UserBlock } from '../../protocol/model/wire.ts';
import { wireJson } from '../request/message-json.ts';
import { keptIn } from '../vendor-reasoning.ts';
import type { Fields } from './fields.ts';
import { CHAT_PARTS, renderResultText, resultMedia, selectParts, toWirePart } from './parts.ts';
import type { Quirks } from './quirks.ts';
import type { KeptReasoning } from './reasoning.ts';

/** Replaces reasoning that a server demands and the conversation does not have (F122). */
const NO_REASONING = '(not kept)';
/** Google's documented stand-in for a missing thought signature. */
const SKIP_SIGNATURE = { google: { thought_signature: 'skip_thought_signature_validator' } };

interface ChatForm {
  /** Whose reasoning is sent back: see `vendorSignature`. */
  readonly origin: string;
  readonly quirks: Pick<Quirks, 'has'>;
}

/** JSON of each message. */
export function chatMessages(turns: readonly ConversationTurn[], form: ChatForm): readonly string[] {
  return turns
    .flatMap(({ role, blocks }) =>
      role === 'assistant'
        ? [answer(blocks as readonly AssistantBlock[], form)]
        : userSide(blocks as readonly UserBlock[], form),
    )
    .map(wireJson);
}

function answer(blocks: readonly AssistantBlock[], { origin, quirks }: ChatForm): Fields {
  const texts: string[] = [];
  const calls: Fields[] = [];
  const reasoning: Record<string, string> = {};
  const details: Fields[] = [];
  let extra: Fields | undefined;
  for (const block of blocks) {
    if (block.type === 'text') texts.push(block.text);
    else if (block.type === 'thinking') {
      const kept = keptIn(block.signature, origin) as KeptReasoning | undefined;
      if (kept?.field !== undefined) reasoning[kept.field] = (reasoning[kept.field] ?? '') + block.thinking;
      details.push(...(kept?.details ?? []));
      extra = kept?.extra ?? extra;
    } else if (block.type === 'tool_use') {
      const signed =
        extra ?? (quirks.has('thought_signatures') && calls.length === 0 ? SKIP_SIGNATURE : undefined);
      calls.push(call(block, signed));
      extra = undefined;
    }
  }
  return {
    role: 'assistant',
    content: texts.length === 0 ? null : texts.join('\n\n'),
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(!quirks.has('no_reasoning_replay') && replayed(reasoning, details, calls.length > 0, quirks)),
  };
}

/**
 * Vendors want the plain reasoning of answers with calls back, and ignore or refuse that of others; the
 * details of OpenRouter belong to every answer and contain the plain text.
 */
function replayed(
  reasoning: Readonly<Record<string, string>>,
  details: readonly Fields[],
  hasCalls: boolean,
  quirks: ChatForm['quirks'],
): Fields {
  if (details.length > 0) return { reasoning_details: details };
  if (!hasCalls) return {};
  const demanded = quirks.has('reasoning_on_calls') && Object.keys(reasoning).length === 0;
  return demanded ? { reasoning_content: NO_REASONING } : reasoning;
}

function call(block: Extract<AssistantBlock, { type: 'tool_use' }>, extra: Fields | undefined): Fields {
  const { id, name, input } = block;
  return {
    id,
    type: 'function',
    function: { name, arguments: JSON.stringify(input) },
    ...(extra !== undefined && { extra_content: extra }),
  };
}

/** Results first, one message each. They hold only text, so their images follow in the user's message. */
function userSide(blocks: readonly UserBlock[], { quirks }: ChatForm): Fields[] {
  const images = !quirks.has('no_images');
  const results = blocks.filter((block): block is ToolResultBlock => block.type === 'tool_result');
  const media = results.flatMap((result) => {
    const parts = resultMedia(result);
    if (parts.length === 0) return [];
    const named = CHAT_PARTS.text(`Attached to the result of call ${result.tool_use_id}:`);
    return [named, ...parts.map((part) => toWirePart(part, CHAT_PARTS, images))];
  });
  const said = selectParts(blocks).map((part) => toWirePart(part, CHAT_PARTS, images));
  const content = [...media, ...said];
  return [
    ...results.map((result) => ({
      role: 'tool',
      tool_call_id: result.tool_use_id,
      content: renderResultText(result),
    })),
    ...(content.length > 0 ? [{ role: 'user', content: asText(content) ?? content }] : []),
  ];
}

/** Plain text, where there is nothing else: many local servers take only that. */
function asText(content: readonly unknown[]): string | undefined {
  const parts = content as readonly { readonly type: string; readonly text: string }[];
  return parts.every(({ type }) => type === 'text') ? parts.map(({ text }) => text).join('\n\n') : undefined;
}
