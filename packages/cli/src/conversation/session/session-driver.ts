/** One session, driven by prompts as they come: its messages go to a listener until it is closed. */
import { type Options, type Query, query, type SDKMessage, type SDKUserMessage } from '@turnwright/engine';
import type { PendingPrompt } from '../conversation-state.ts';
import { createPromptStream } from './prompt-stream.ts';

export interface SessionDriver {
  readonly query: Query;
  /**
   * The prompt joins the running work, or begins. `now`: it interrupts what runs. `silent`: it is added to
   * the conversation, and the model is not asked.
   */
  send(prompt: PendingPrompt, how?: 'now' | 'silent'): void;
  /** Takes a prompt back. False: it has begun. */
  withdraw(uuid: string): Promise<boolean>;
  /** Stops what runs; queued prompts are withdrawn and do not run. */
  interrupt(): Promise<void>;
  close(): Promise<void>;
  /** Resolves when the session was closed, with the error that ended it before. */
  readonly ended: Promise<{ readonly error: unknown } | undefined>;
}

export function driveSession(options: Options, onMessage: (message: SDKMessage) => void): SessionDriver {
  const prompts = createPromptStream<SDKUserMessage>();
  const running = query({ prompt: prompts, options });
  let isClosing = false;
  const pump = async (): Promise<{ readonly error: unknown } | undefined> => {
    try {
      for await (const message of running) onMessage(message);
      return undefined;
    } catch (error) {
      return isClosing ? undefined : { error };
    } finally {
      prompts.end();
    }
  };
  return {
    query: running,
    send: (prompt, how) => prompts.push(userMessage(prompt, how)),
    withdraw: (uuid) => running.cancelAsyncMessage(uuid),
    interrupt: async () => {
      await running.interrupt({ cancelQueued: true });
    },
    async close() {
      isClosing = true;
      prompts.end();
      await running.close();
    },
    ended: pump(),
  };
}

function userMessage(
  { uuid, text, images }: PendingPrompt,
  how: 'now' | 'silent' | undefined,
): SDKUserMessage {
  const content = images.map(({ mediaType, data }) => ({
    type: 'image' as const,
    source: { type: 'base64' as const, media_type: mediaType, data },
  }));
  return {
    type: 'user',
    uuid,
    message: {
      role: 'user',
      content: images.length === 0 ? text : [...content, { type: 'text', text }],
    },
    parent_tool_use_id: null,
    ...(how === 'now' && { priority: 'now' }),
    ...(how === 'silent' && { shouldQuery: false, client_composed: true }),
  };
}
