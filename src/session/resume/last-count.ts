/**
 * Tokens that the provider counted with the last response: the conversation up to there, including the fixed
 * part.
 */
import type { AssistantMessage } from '../../protocol/model/messages.ts';
import type { View } from '../../protocol/model/view.ts';
import type { RecordOf } from './submission-state.ts';

export interface CountedContext {
  readonly tokens: number;
  /** Number of messages of the view that were counted. */
  readonly length: number;
  readonly model: string | undefined;
}

export class LastCount {
  /** `uuid`: of the last counted message. */
  #last: { readonly tokens: number; readonly uuid: string; readonly model: string | undefined } | undefined;
  #clearedByApi = false;

  /** `blocks`: of the response. Ignored if it broke, or reported no usage. */
  answered(
    { usage, messageId, model, broken }: RecordOf<'response'>,
    blocks: readonly AssistantMessage[],
  ): void {
    const { input_tokens, cache_creation_input_tokens, cache_read_input_tokens, output_tokens } = usage;
    const tokens = input_tokens + cache_creation_input_tokens + cache_read_input_tokens + output_tokens;
    const block = blocks.at(-1);
    const counts = broken !== true && !this.#clearedByApi && block?.message.id === messageId && tokens > 0;
    this.#last = counts ? { tokens, uuid: block.uuid, model } : undefined;
  }

  /** The view changed; `compacted`: as a whole. */
  edited(compacted: boolean): void {
    this.#last = undefined;
    if (compacted) this.#clearedByApi = false;
  }

  /** From here on the counts omit cleared results: the next process requests the clearing anew. */
  clearedByApi(): void {
    this.#last = undefined;
    this.#clearedByApi = true;
  }

  in(view: View): CountedContext | undefined {
    if (this.#last === undefined) return undefined;
    const { uuid, tokens, model } = this.#last;
    for (let length = view.length; length > 0; length--)
      if (view.at(length - 1)?.uuid === uuid) return { tokens, length, model };
    return undefined;
  }
}
