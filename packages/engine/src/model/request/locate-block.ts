/**
 * Locates the block of the view that a refusal names by `messages.3.content.1`: indices differ, because
 * messages are merged on the wire (F11).
 */

import type { ModelFailure } from '../../protocol/model/failure.ts';
import type { ViewMessage } from '../../protocol/model/messages.ts';
import type { ModelRequest } from '../../protocol/model/model.ts';
import type { ConversationEffort } from '../../protocol/model/provider-wire.ts';
import type { AssistantBlock, OtherBlock, UserBlock } from '../../protocol/model/wire.ts';
import { piecesOfBlock } from './message-json.ts';
import { createEffortLookup, createNormaliser, type NormaliseRules, type WireTurn } from './normalise.ts';

type Place = NonNullable<ModelFailure['block']>;

/**
 * The failure with the block's place in the view, if it is a block of the user side, or one of an answer that
 * no rule of its own is about. O(view).
 */
export function located(
  failure: ModelFailure,
  request: Pick<ModelRequest, 'view' | 'userContext'>,
  keepsThinking: NormaliseRules['keepsThinking'],
  effort?: ConversationEffort,
): ModelFailure {
  const { block } = failure;
  if (block === undefined) return failure;
  const json = buildTurns(request, keepsThinking, effort)[block.message]?.blocks[block.content];
  if (json === undefined) return failure;
  for (let i = request.view.length - 1; i >= 0; i--) {
    const message = request.view.at(i) as ViewMessage;
    const content = listBlocks(message);
    const index = content.findIndex((candidate) => candidate !== undefined && isBlock(candidate, json));
    const found = content[index];
    if (found === undefined) continue;
    const at = { uuid: message.uuid, index, ...locateInner(found, block) };
    return { ...failure, block: { ...block, at } };
  }
  return failure;
}

function buildTurns(
  { view, userContext = [] }: Pick<ModelRequest, 'view' | 'userContext'>,
  keepsThinking: NormaliseRules['keepsThinking'],
  effort: ConversationEffort | undefined,
): WireTurn[] {
  const normaliser = createNormaliser({
    userContext,
    keepsThinking,
    effortOf: effort && createEffortLookup(effort),
  });
  const sealed = view.slice().flatMap((message) => normaliser.add(message).flat());
  return [...sealed, ...normaliser.open(effort?.now)];
}

/** undefined in the place of what is not looked for. */
function listBlocks(message: ViewMessage): readonly (UserBlock | undefined)[] {
  if (message.type === 'assistant')
    return message.message.content.map((block) => (isOther(block) ? block : undefined));
  const content = message.type === 'attachment' ? message.rendered : message.message.content;
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

const RULED: ReadonlySet<string> = new Set(['text', 'thinking', 'redacted_thinking', 'tool_use']);
const isOther = (block: AssistantBlock): block is OtherBlock => !RULED.has(block.type);

/** A result may have another id on the wire. */
function isBlock(block: UserBlock, json: string): boolean {
  return piecesOfBlock(block).some((piece) =>
    piece.type === 'tool_result'
      ? json.startsWith('{"type":"tool_result"') && json.endsWith(piece.rest)
      : piece.json === json,
  );
}

/** Blank texts inside a result are not sent, so they do not count. */
function locateInner(block: UserBlock, { inner }: Place): { inner?: number } {
  if (inner === undefined || block.type !== 'tool_result' || !Array.isArray(block.content)) return {};
  const sent = [...block.content.keys()].filter((at) => {
    const part = block.content?.[at];
    return typeof part === 'object' && (part.type !== 'text' || part.text.trim() !== '');
  });
  const at = sent[inner];
  return at === undefined ? {} : { inner: at };
}
