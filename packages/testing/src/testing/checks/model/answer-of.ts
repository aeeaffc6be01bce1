/** The message that a stream of events amounts to, and whether they are in order. */
import type { StreamEvent, Usage } from '@turnwright/engine/protocol/model/wire.ts';

interface Assembled {
  readonly blocks: readonly AssembledBlock[];
  readonly stopReason: string | null;
  readonly model: string;
  /** The latest of each count. */
  readonly usage: Partial<Usage>;
}

type AssembledBlock =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'thinking'; readonly text: string; readonly signature: string }
  | { readonly kind: 'call'; readonly id: string; readonly name: string; readonly input: unknown };

/** Throws where the events are not in the order that the contract states. */
export function assembleAnswer(events: readonly StreamEvent[]): Assembled {
  const assembler = new Assembler();
  for (const event of events) assembler.add(event);
  return assembler.done();
}

interface Growing {
  readonly type: string;
  readonly id: string;
  readonly name: string;
  text: string;
  signature: string;
  open: boolean;
}

class Assembler {
  readonly #blocks = new Map<number, Growing>();
  #model: string | undefined;
  #usage: Partial<Usage> = {};
  #stopReason: string | null = null;
  #stopped = false;

  add(event: StreamEvent): void {
    if (event.type === 'ping') return;
    if (this.#stopped) throw new Error(`${event.type} follows message_stop.`);
    if ((this.#model === undefined) !== (event.type === 'message_start'))
      throw new Error(`${event.type} stands where it must not: message_start is first, and once.`);
    switch (event.type) {
      case 'message_start':
        this.#model = event.message.model;
        this.#usage = event.message.usage;
        return;
      case 'content_block_start': {
        const { type, ...block } = event.content_block as { type: string; id?: string; name?: string };
        if (this.#blocks.has(event.index)) throw new Error(`Block ${event.index} begins twice.`);
        if ([...this.#blocks.values()].some(({ open }) => open))
          throw new Error(`Block ${event.index} begins inside another one.`);
        const { id = '', name = '' } = block;
        this.#blocks.set(event.index, { type, id, name, text: '', signature: '', open: true });
        return;
      }
      case 'content_block_delta': {
        const block = this.#openBlock(event.index);
        const { delta } = event;
        if (delta.type === 'text_delta') block.text += delta.text;
        if (delta.type === 'thinking_delta') block.text += delta.thinking;
        if (delta.type === 'input_json_delta') block.text += delta.partial_json;
        if (delta.type === 'signature_delta') block.signature += delta.signature;
        return;
      }
      case 'content_block_stop':
        this.#openBlock(event.index).open = false;
        return;
      case 'message_delta':
        this.#stopReason = event.delta.stop_reason ?? this.#stopReason;
        this.#usage = { ...this.#usage, ...event.usage };
        return;
      case 'message_stop':
        if ([...this.#blocks.values()].some(({ open }) => open)) throw new Error('A block is still open.');
        this.#stopped = true;
    }
  }

  done(): Assembled {
    return {
      blocks: [...this.#blocks.values()].map(toBlock),
      stopReason: this.#stopReason,
      model: this.#model ?? '',
      usage: this.#usage,
    };
  }

  #openBlock(index: number): Growing {
    const block = this.#blocks.get(index);
    if (block?.open !== true) throw new Error(`Block ${index} is not open.`);
    return block;
  }
}

function toBlock({ type, id, name, text, signature, open }: Growing): AssembledBlock {
  if (type === 'thinking') return { kind: 'thinking', text, signature };
  if (type === 'tool_use')
    return { kind: 'call', id, name, input: open ? text : JSON.parse(text === '' ? '{}' : text) };
  return { kind: 'text', text };
}
