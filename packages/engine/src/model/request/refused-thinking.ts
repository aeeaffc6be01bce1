/**
 * Thinking whose signature was refused: it would be refused with every later request, so it is omitted from
 * then on. A refusal names one block at most, and the retry contains none, so all thinking of the request
 * counts as refused.
 */
import type { AssistantMessage } from '../../protocol/model/messages.ts';
import type { View } from '../../protocol/model/view.ts';

export interface RefusedThinking {
  /** Registers all thinking of a refused request. O(view). */
  note(view: View, wasSent: (message: AssistantMessage) => boolean): void;
  has(message: AssistantMessage): boolean;
  /** Changes when `has` does. */
  key(): string;
}

export function createRefusedThinking(): RefusedThinking {
  return new Refused();
}

class Refused implements RefusedThinking {
  #uuids: Set<string> | undefined;

  note(view: View, wasSent: (message: AssistantMessage) => boolean): void {
    this.#uuids ??= new Set();
    for (const message of view) {
      if (message.type === 'assistant' && thinks(message) && wasSent(message)) this.#uuids.add(message.uuid);
    }
  }

  has({ uuid }: AssistantMessage): boolean {
    return this.#uuids?.has(uuid) === true;
  }

  key(): string {
    return String(this.#uuids?.size ?? 0);
  }
}

function thinks({ message }: AssistantMessage): boolean {
  return message.content.some(({ type }) => type === 'thinking' || type === 'redacted_thinking');
}
