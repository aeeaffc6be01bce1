/** Turns as items of the Responses API, in their original order (F121). */

import type { ConversationTurn } from '../../protocol/model/provider-wire.ts';
import type { AssistantBlock, ToolResultBlock, UserBlock } from '../../protocol/model/wire.ts';
import { wireJson } from '../request/message-json.ts';
import { keptIn } from '../vendor-reasoning.ts';
import { type Fields, fieldsIn } from './fields.ts';
import { RESPONSES_PARTS, renderResultText, resultMedia, selectParts, toWirePart } from './parts.ts';
import type { Quirks } from './quirks.ts';

/** What is kept of an answer's items. */
export interface KeptItem {
  /** A reasoning item as it came, with its encrypted content. */
  readonly item?: Fields;
  /** `phase` of the message behind the block. */
  readonly phase?: string;
}

interface ResponsesForm {
  readonly origin: string;
  readonly quirks: Pick<Quirks, 'has'>;
}

/** JSON of each item. */
export function responsesInput(turns: readonly ConversationTurn[], form: ResponsesForm): readonly string[] {
  return turns
    .flatMap(({ role, blocks }) =>
      role === 'assistant'
        ? answer(blocks as readonly AssistantBlock[], form)
        : userSide(blocks as readonly UserBlock[], form),
    )
    .map(wireJson);
}

function answer(blocks: readonly AssistantBlock[], { origin, quirks }: ResponsesForm): Fields[] {
  const items: Fields[] = [];
  let phase: string | undefined;
  for (const block of blocks) {
    switch (block.type) {
      case 'thinking': {
        const kept = fieldsIn(keptIn(block.signature, origin)) as KeptItem | undefined;
        if (kept?.item !== undefined && !quirks.has('no_reasoning_replay')) items.push(kept.item);
        phase = kept?.phase ?? phase;
        break;
      }
      case 'text': {
        const content = [{ type: 'output_text', text: block.text, annotations: [] }];
        items.push({ type: 'message', role: 'assistant', content, ...(phase !== undefined && { phase }) });
        phase = undefined;
        break;
      }
      case 'tool_use': {
        const { id, name, input } = block;
        items.push({ type: 'function_call', call_id: id, name, arguments: JSON.stringify(input) });
      }
    }
  }
  return items;
}

function userSide(blocks: readonly UserBlock[], { quirks }: ResponsesForm): Fields[] {
  const images = !quirks.has('no_images');
  const content = selectParts(blocks).map((part) => toWirePart(part, RESPONSES_PARTS, images));
  return [
    ...blocks
      .filter((block): block is ToolResultBlock => block.type === 'tool_result')
      .map((result) => ({
        type: 'function_call_output',
        call_id: result.tool_use_id,
        output: output(result, images),
      })),
    ...(content.length > 0 ? [{ type: 'message', role: 'user', content }] : []),
  ];
}

/** A text, or a list of parts where there are images or documents. */
function output(result: ToolResultBlock, images: boolean): unknown {
  const media = resultMedia(result);
  if (media.length === 0) return renderResultText(result);
  return [
    RESPONSES_PARTS.text(renderResultText(result)),
    ...media.map((part) => toWirePart(part, RESPONSES_PARTS, images)),
  ];
}
