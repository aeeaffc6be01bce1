/** What the provider counted with the last answer: as much as the conversation had come to, its head included. */
import type { AssistantMessage } from '../../protocol/messages.ts';
import type { View } from '../../protocol/view.ts';
import type { RecordOf } from './submission-state.ts';

export interface CountedContext {
  readonly tokens: number;
  /** So many messages of the view were counted. */
  readonly length: number;
  readonly model: string | undefined;
}

export class LastCount {
  /** `uuid`: of the last message that was counted. */
  #last: { readonly tokens: number; readonly uuid: string; readonly model: string | undefined } | undefined;
  #clearedByApi = false;

  /** `blocks`: of the response. One that broke off, or that reports nothing, says nothing. */
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

  /** The view is another now; `compacted`: as a whole. */
  edited(compacted: boolean): void {
    this.#last = undefined;
    if (compacted) this.#clearedByApi = false;
  }

  /** Counts are of less than the view from here on: the next life of the session asks for the clearing anew. */
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
