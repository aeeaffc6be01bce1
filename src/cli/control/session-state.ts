/** Whether the session is idle, at work, or waits for the host: told at each change. */
import { randomUUID } from 'node:crypto';
import type { CanUseTool, SDKMessage } from '../../index.ts';
import type { Fields } from './wire.ts';

type State = 'idle' | 'running' | 'requires_action';

export interface SessionState {
  /** Call before the message is sent. */
  before(message: SDKMessage): void;
  /** Call once it was. */
  after(message: SDKMessage): void;
  /** While a question is open, the session waits. */
  whileAsking(canUseTool: CanUseTool): CanUseTool;
}

export function createSessionState(send: (line: Fields) => void): SessionState {
  let state: State = 'idle';
  let sessionId = '';
  let questions = 0;
  const enter = (next: State) => {
    if (next === state) return;
    state = next;
    const common = { sdk_host_only: true, uuid: randomUUID(), session_id: sessionId };
    send({ type: 'system', subtype: 'session_state_changed', state, ...common });
  };
  return {
    before(message) {
      sessionId = message.session_id ?? sessionId;
      if (message.type === 'system' && message.subtype === 'init') enter('running');
    },
    after(message) {
      if (message.type === 'result') enter('idle');
    },
    whileAsking: (canUseTool) => async (toolName, input, context) => {
      questions += 1;
      enter('requires_action');
      try {
        return await canUseTool(toolName, input, context);
      } finally {
        questions -= 1;
        if (questions === 0 && state === 'requires_action') enter('running');
      }
    },
  };
}
