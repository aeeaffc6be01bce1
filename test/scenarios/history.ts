/** A conversation that was had elsewhere. */
import type { AssistantBlock, AssistantMessage, UserBlock, UserMessage } from '@turnwright/engine';

const timestamp = '2026-01-01T00:00:00.000Z';

export function said(uuid: string, content: string | readonly UserBlock[]): UserMessage {
  return { type: 'user', uuid, timestamp, message: { role: 'user', content } };
}

export function answered(uuid: string, block: AssistantBlock, model = 'another-model'): AssistantMessage {
  return {
    type: 'assistant',
    uuid,
    timestamp,
    message: {
      id: `msg_${uuid}`,
      type: 'message',
      role: 'assistant',
      model,
      content: [block],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: {
        input_tokens: 0,
        output_tokens: 0,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
      },
    },
  };
}
