/** The agent that is the main conversation once more: same model, tools and prompt, and all that was said. */
import type { AgentDefinition } from '../protocol/tools/agent.ts';

export const FORK_AGENT: AgentDefinition = {
  name: 'fork',
  from: { source: 'built-in' },
  description:
    'You, once more: this whole conversation, your tools, your model. For a side task that needs what you know, and whose steps should not fill your context.',
  // Never sent: it has the system prompt of the conversation.
  prompt: '',
};

export const isFork = (definition: AgentDefinition): boolean => definition === FORK_AGENT;
