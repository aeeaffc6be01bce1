/** What an empty prompt is for now. */
import { type ConversationState, isWorking } from '../state.ts';

export function placeholder(state: Pick<ConversationState, 'phase' | 'queue' | 'questions'>): string {
  // A question has all attention.
  if (state.phase === 'exiting' || state.questions > 0) return '';
  // The queue says what Enter does.
  if (state.queue.some(({ place }) => place === 'here')) return '';
  return isWorking(state) ? 'Enter queues a prompt' : 'a prompt, a /command, an @file or a !command';
}
