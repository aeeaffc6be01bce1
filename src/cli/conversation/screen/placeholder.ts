/** What an empty prompt is for now. */
import { type ConversationState, isWorking } from '../conversation-state.ts';

export function placeholder(
  state: Pick<ConversationState, 'isCutOff' | 'phase' | 'queue' | 'questions'>,
): string {
  // A question has all attention.
  if (state.phase === 'exiting' || state.questions > 0) return '';
  if (state.isCutOff) return 'Enter goes on with what was cut off';
  // The queue says what Enter does.
  if (state.queue.some(({ place }) => place === 'here')) return '';
  return isWorking(state) ? 'Enter queues a prompt' : 'a prompt, a /command, an @file or a !command';
}
