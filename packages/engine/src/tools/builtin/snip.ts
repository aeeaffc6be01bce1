import type { Tool } from '../../protocol/tools/tool.ts';
import { createParser } from '../schema/from-json-schema.ts';

export const SNIP_TOOL = 'Snip';

interface SnipInput {
  readonly tool_use_ids: readonly string[];
}

export interface SnipOutput {
  readonly marked: readonly string[];
  readonly refused: readonly { readonly id: string; readonly why: string }[];
}

/** Marks messages for removal, and reports invalid ids. */
interface SnipPort {
  mark(ids: readonly string[]): SnipOutput;
}

const schema = {
  type: 'object',
  properties: {
    tool_use_ids: {
      type: 'array',
      minItems: 1,
      maxItems: 200,
      items: { type: 'string', minLength: 1 },
      description: 'The ids of the calls that are not needed any more.',
    },
  },
  required: ['tool_use_ids'],
  additionalProperties: false,
};

/** Offered only if the context supports marks. */
export function createSnipTool(port: SnipPort): Tool<SnipInput, SnipOutput> {
  return {
    name: SNIP_TOOL,
    inputJsonSchema: schema,
    description: () =>
      `Removes earlier tool calls and their results from the context, to make room for what matters.

- Give the ids of calls whose results turned out to be of no use: searches that found nothing, files that had nothing to do with the task, output that was superseded.
- What you still need to quote or to rely on stays; write down what matters of a result before you remove it.
- Removal cannot be undone, but a call can be made again. It takes effect with your next answer.`,
    parse: createParser<SnipInput>(schema),
    // Marks are a set: order and repetition do not matter.
    isConcurrencySafe: () => true,
    isReadOnly: () => true,
    effectClass: () => 'idempotent',
    permissionTarget: () => ({ kind: 'none' }),
    async run({ tool_use_ids }) {
      const answer = port.mark(tool_use_ids);
      const { marked, refused } = answer;
      const done = marked.length === 0 ? [] : [`${counted(marked.length)} will be removed from the context.`];
      const left = refused.map(({ id, why }) => `${id} was not removed: ${why}`);
      return {
        data: answer,
        content: [...done, ...left].join('\n'),
        ...(marked.length === 0 && { isError: true }),
      };
    },
  };
}

function counted(calls: number): string {
  return calls === 1 ? '1 call with its result' : `${calls} calls with their results`;
}
