/** The agent that is the main conversation once more: same model, tools and prompt, and all that was said. */
import type { AgentDefinition } from '../protocol/tools/agent.ts';

export const FORK_AGENT: AgentDefinition = {
  name: 'fork',
  from: { source: 'built-in' },
  description:
    'You, once more: it has this whole conversation up to the answer that starts it, your tools and your model. Use it for a side task that needs what you already know, so that its steps do not fill your context. Model and effort are yours.',
  // Never sent: it has the system prompt of the conversation.
  prompt: '',
};

export const isFork = (definition: AgentDefinition): boolean => definition === FORK_AGENT;
