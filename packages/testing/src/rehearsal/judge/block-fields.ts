/** The content blocks of the API: their roles and fields. */

interface BlockFields {
  readonly roles: readonly string[];
  readonly required: Readonly<Record<string, 'string' | 'object' | 'any'>>;
  readonly optional: readonly string[];
}

export const BLOCK_FIELDS: Readonly<Record<string, BlockFields>> = {
  text: {
    roles: ['user', 'assistant', 'system'],
    required: { text: 'string' },
    optional: ['citations', 'cache_control'],
  },
  image: { roles: ['user'], required: { source: 'object' }, optional: ['cache_control'] },
  document: {
    roles: ['user'],
    required: { source: 'object' },
    optional: ['title', 'context', 'citations', 'cache_control'],
  },
  search_result: {
    roles: ['user'],
    required: { source: 'string', title: 'string', content: 'any' },
    optional: ['citations', 'cache_control'],
  },
  tool_result: {
    roles: ['user'],
    required: { tool_use_id: 'string' },
    optional: ['content', 'is_error', 'cache_control'],
  },
  tool_use: {
    roles: ['assistant'],
    required: { id: 'string', name: 'string', input: 'object' },
    optional: ['cache_control', 'caller'],
  },
  thinking: { roles: ['assistant'], required: { signature: 'string', thinking: 'string' }, optional: [] },
  redacted_thinking: { roles: ['assistant'], required: { data: 'string' }, optional: [] },
};

/** Blocks that a tool result may contain. */
export const RESULT_BLOCKS: readonly string[] = [
  'text',
  'image',
  'document',
  'search_result',
  'tool_reference',
];

/** An unknown block type, sent by the fault `unknown-block`; it may be sent back unchanged. */
export const NOVEL_BLOCK = 'rehearsal_novelty';

/** Blocks of the server's own tools: not inspected. */
export function isServerBlock(type: string): boolean {
  return (
    type === 'server_tool_use' ||
    type === 'mcp_tool_use' ||
    type === 'container_upload' ||
    type === 'compaction' ||
    type === 'fallback' ||
    type === NOVEL_BLOCK ||
    (type.endsWith('_tool_result') && type !== 'tool_result')
  );
}
