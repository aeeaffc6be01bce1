import { type ApiError, invalidRequest, notFound } from '../api-errors.ts';
import type { JudgeRule } from './judge-rule.ts';

/** A thread that is continued exists, and keeps the system prompt and tools that it was created with. */
export const messageThread: JudgeRule = {
  name: 'message-thread',
  check(_request, { thread, sentBody, betas, countOnly }): ApiError | undefined {
    if (thread.kind === 'none') return undefined;
    // Without its beta, the API does not know the field.
    if (countOnly || !betas.some((beta) => beta.startsWith('message-threads-')))
      return invalidRequest('thread: Extra inputs are not permitted');
    switch (thread.kind) {
      case 'malformed':
        return invalidRequest(
          'thread: Input should be {"type":"create"} or {"type":"continue","previous_message_id"}',
        );
      case 'lost': {
        const error = thread.code === 'not_found' ? notFound : invalidRequest;
        const what =
          thread.code === 'not_found' ? 'Message thread not found' : 'The thread was already continued';
        return {
          ...error(`${what}: ${thread.previousId}`),
          details: { error_code: `thread_${thread.code}`, previous_message_id: thread.previousId },
        };
      }
      case 'continue': {
        const field = ['system', 'tools'].find((name) => sentBody[name] !== undefined);
        return field === undefined
          ? undefined
          : invalidRequest(`${field}: cannot be set when a thread is continued, which keeps its own`);
      }
      default:
        return undefined;
    }
  },
};
