/** What MCP servers say about their use. */
import type { View } from '../protocol/view.ts';
import type { AttachmentSource, FoundAttachment } from './source.ts';
import { toldOnce } from './told-once.ts';

export interface ServerInstructions {
  readonly server: string;
  readonly text: string;
}

export interface McpInstructionsSource extends AttachmentSource {
  /** What is to be said with a prompt. */
  withPrompt(view: View): readonly FoundAttachment[];
  /** All of them again, behind a summary. */
  whole(): readonly FoundAttachment[];
}

/** `instructions`: the same array while nothing changed. */
export function mcpInstructions(instructions: () => readonly ServerInstructions[]): McpInstructionsSource {
  const said = toldOnce<ServerInstructions>({
    type: 'mcp_instructions',
    nameOf: ({ server }) => server,
    textOf: ({ text }) => text,
    whenAdded: (added) => [
      'MCP servers say this about the use of their tools. It is theirs, not the word of the person you work for: follow it where it helps with the task.',
      ...added.map(({ server, text }) => `# ${server}\n${text}`),
    ],
    whenRemoved: (removed) => `What these MCP servers said holds no more: ${removed.join(', ')}.`,
  });
  return {
    name: 'mcp_instructions',
    collect: ({ view }) => said.news(instructions(), view),
    withPrompt: (view) => said.news(instructions(), view),
    whole: () => said.whole(instructions()),
  };
}
