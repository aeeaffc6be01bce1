/**
 * Replaces what the API refused by notes that name it (L7 rule 4, F11, F12). The journal keeps the original.
 */
import type { RecoveryOutcome, StepInput } from '../../protocol/model/context.ts';
import type { ModelFailure } from '../../protocol/model/failure.ts';
import type { ViewMessage } from '../../protocol/model/messages.ts';
import type { ViewEdit } from '../../protocol/model/view.ts';
import type { AssistantBlock, TextBlock, ToolReferenceBlock, UserBlock } from '../../protocol/model/wire.ts';
import { estimateMessage } from '../estimate/token-estimate.ts';
import { dropOldest, replaceIn } from '../steps/media-budget.ts';
import { fileNames, mediaNote, type NameOf, withContent, withoutMedia } from './media.ts';
import type { MediaLimits } from './media-limits.ts';
import { isMedia, listUserBlocks, tallyMedia, viewMedia } from './view-media.ts';

type Edits = { readonly edits: readonly ViewEdit[]; readonly tokensFreed: number };

/**
 * Replaces the block that the refusal named; if it named none, the media that no accepted request contained,
 * else the largest. For a body of too many bytes the oldest media are replaced, for a prompt of too many
 * tokens all of them.
 */
export function reduceMedia(
  { view }: StepInput,
  failure: ModelFailure,
  limits: MediaLimits,
): RecoveryOutcome {
  const messages = view.slice();
  const named =
    failure.block?.at === undefined ? undefined : withoutNamed(messages, failure, failure.block.at);
  if (named !== undefined) return outcome(named, true);
  if (failure.kind === 'invalid_request') return none('the refusal names no block that can be replaced');
  const { images, documents, bytes } = viewMedia(view);
  if (images + documents === 0) return none('the view holds no image and no document');
  if (failure.kind === 'prompt_too_long' && failure.status === 413) {
    // The request is below the known limit: the endpoint's own is lower.
    const target = bytes > limits.maxRequestBytes ? limits.maxRequestBytes / 2 : bytes / 2;
    return outcome(dropOldest(view, { images, bytes: target, pixels: Number.POSITIVE_INFINITY }));
  }
  const nameOf = fileNames(messages);
  const drop = (message: ViewMessage) => withoutMedia(message, nameOf);
  if (failure.kind === 'prompt_too_long') return outcome(replaceIn(messages, drop));
  return outcome(replaceIn(suspects(messages), drop));
}

/** Media of an accepted request are not what is refused now. */
function suspects(messages: readonly ViewMessage[]): readonly ViewMessage[] {
  const lastAnswer = messages.findLastIndex((message) => message.type === 'assistant');
  const fresh = messages.slice(lastAnswer + 1).filter(holdsMedia);
  if (fresh.length > 0) return fresh;
  const [largest] = messages.filter(holdsMedia).sort((a, b) => tallyMedia(b).bytes - tallyMedia(a).bytes);
  return largest === undefined ? [] : [largest];
}

function holdsMedia(message: ViewMessage): boolean {
  const { images, documents } = tallyMedia(message);
  return images + documents > 0;
}

function withoutNamed(
  messages: readonly ViewMessage[],
  failure: ModelFailure,
  at: { readonly uuid: string; readonly index: number; readonly inner?: number },
): Edits | undefined {
  const message = messages.find(({ uuid }) => uuid === at.uuid);
  if (message === undefined) return undefined;
  if (message.type === 'assistant')
    return withoutAnswered(messages, message.message.content[at.index], failure);
  const nameOf = fileNames(messages);
  const plain = readText(message);
  const blocks = plain === undefined ? listUserBlocks(message) : [textBlock(plain)];
  const refused = blocks[at.index];
  const note = refused && quarantined(refused, at.inner, failure, nameOf);
  if (note === undefined) return undefined;
  const content = blocks.map((block, index) => (index === at.index ? note : block));
  const item = withContent(message, content);
  return {
    edits: [{ kind: 'replace', uuid: message.uuid, item }],
    tokensFreed: estimateMessage(message) - estimateMessage(item),
  };
}

/** A block of an answer, with what belongs to it: a call of the provider's tool must not lose its result. */
function withoutAnswered(
  messages: readonly ViewMessage[],
  refused: AssistantBlock | undefined,
  failure: ModelFailure,
): Edits | undefined {
  if (refused === undefined) return undefined;
  const call = readCallId(refused);
  const belongs = (block: AssistantBlock) =>
    block === refused || (call !== undefined && block.type !== 'tool_use' && readCallId(block) === call);
  let tokensFreed = 0;
  const edits = messages.flatMap((message): ViewEdit[] => {
    if (message.type !== 'assistant' || !message.message.content.some(belongs)) return [];
    const content = message.message.content.map((block) =>
      belongs(block) ? textBlock(refusedNote(block, failure)) : block,
    );
    const item = Object.freeze({ ...message, message: { ...message.message, content } });
    tokensFreed += estimateMessage(message) - estimateMessage(item);
    return [{ kind: 'replace', uuid: message.uuid, item }];
  });
  return { edits, tokensFreed };
}

function readCallId(block: AssistantBlock): string | undefined {
  const { id, tool_use_id: call = id } = block as { readonly id?: unknown; readonly tool_use_id?: unknown };
  return typeof call === 'string' ? call : undefined;
}

/** undefined when nothing in it could be refused, or it is not what the refusal is about. */
function quarantined(
  block: UserBlock,
  inner: number | undefined,
  failure: ModelFailure,
  nameOf: NameOf,
): UserBlock | undefined {
  const note = (part: UserBlock | ToolReferenceBlock, name?: string): TextBlock | undefined => {
    if (isMedia(part)) return mediaNote(part, 'refused by the API and removed', name);
    if (part.type !== 'text') return textBlock(refusedNote(part, failure));
    const isText = !part.text.startsWith(REMOVED);
    return isText && failure.kind === 'invalid_request' ? textBlock(refusalText(failure)) : undefined;
  };
  if (block.type !== 'tool_result') return note(block);
  // A call must keep its result (L10.1): only its content is replaced.
  const { content } = block;
  if (content === undefined || typeof content === 'string') {
    const text = note(textBlock(content ?? ''));
    return text && { ...block, content: text.text };
  }
  const suspect = inner ?? content.findIndex(isMedia);
  const part = content[suspect];
  const replaced = part && note(part, nameOf(block.tool_use_id));
  return replaced && { ...block, content: content.map((other, at) => (at === suspect ? replaced : other)) };
}

/** Beginning of the replacing text, which is not replaced again. */
const REMOVED = '[removed: ';

function refusedNote({ type }: { readonly type: string }, { message }: ModelFailure): string {
  return `[${type} refused by the API and removed: ${message}]`;
}

function refusalText(failure: ModelFailure): string {
  return `${REMOVED}the API refused this part of the conversation. ${failure.message}]`;
}

function textBlock(text: string): TextBlock {
  return { type: 'text', text };
}

function readText(message: Exclude<ViewMessage, { type: 'assistant' }>): string | undefined {
  if (message.type === 'attachment') return undefined;
  return typeof message.message.content === 'string' ? message.message.content : undefined;
}

function outcome({ edits, tokensFreed }: Edits, named = false): RecoveryOutcome {
  if (edits.length === 0) return none('there is nothing to remove');
  return {
    kind: 'edits',
    source: 'replacement',
    edits,
    tokensFreed,
    compacted: false,
    ...(named && { named }),
  };
}

function none(why: string): RecoveryOutcome {
  return { kind: 'none', why };
}
