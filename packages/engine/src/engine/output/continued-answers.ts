/**
 * Answers that were continued: cut at the output cap, or paused by the provider. The parts are one answer:
 * its text is that of all of them.
 */
import type { AssistantMessage, LoopMessage } from '../../protocol/model/messages.ts';
import type { StopReason } from '../../protocol/model/wire.ts';

export class ContinuedAnswers {
  /** Ids of answers that the next one continues. */
  readonly #ids = new Set<string>();

  /** `blocks`: those that came before the message. */
  observe(message: LoopMessage, blocks: readonly AssistantMessage[]): void {
    if (message.type === 'assistant' && message.message.stop_reason === 'pause_turn')
      this.#ids.add(message.message.id);
    if (message.type !== 'user' || message.kind !== 'resume') return;
    const cut = blocks.findLast(({ synthetic }) => synthetic === undefined);
    if (cut !== undefined) this.#ids.add(cut.message.id);
  }

  responseEnded(messageId: string, stopReason: StopReason | null): void {
    if (stopReason === 'pause_turn') this.#ids.add(messageId);
  }

  /** Ids of the answers that together are this one, in order. */
  partsOf(id: string, blocks: readonly AssistantMessage[]): readonly string[] {
    const parts = [id];
    // Most answers are whole.
    if (this.#ids.size === 0) return parts;
    const ids = [...new Set(blocks.filter(({ synthetic }) => synthetic === undefined).map(idOf))];
    for (let at = ids.indexOf(id) - 1; at >= 0 && this.#ids.has(ids[at] as string); at -= 1)
      parts.unshift(ids[at] as string);
    return parts;
  }
}

const idOf = ({ message }: AssistantMessage): string => message.id;

/**
 * The text of an answer: of its last block, and of all parts that were continued. '' when it ends in no text.
 */
export function answerText(parts: readonly string[], blocks: readonly AssistantMessage[]): string {
  const [first, ...others] = parts.map((id) => blocks.filter(({ message }) => message.id === id));
  const end = (others.at(-1) ?? first)?.at(-1);
  if (end?.message.content.at(-1)?.type !== 'text') return '';
  return [first?.slice(-1), ...others].flatMap((part) => part?.map(textOfBlock)).join('');
}

export const textOfBlock = ({ message }: AssistantMessage): string =>
  message.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
