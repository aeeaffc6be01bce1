import type { TodoItem } from '../../../protocol/model/attachment.ts';
import type { Tool } from '../../../protocol/tools/tool.ts';
import { createParser } from '../../schema/from-json-schema.ts';

interface TodoWriteInput {
  readonly todos: readonly TodoItem[];
}

interface TodoWriteOutput {
  readonly oldTodos: readonly TodoItem[];
  readonly newTodos: readonly TodoItem[];
}

const schema = {
  type: 'object',
  properties: {
    todos: {
      type: 'array',
      description: 'The whole list; it replaces the one before.',
      items: {
        type: 'object',
        properties: {
          content: { type: 'string', minLength: 1, description: 'What is to be done: "Run the tests".' },
          status: { type: 'string', enum: ['pending', 'in_progress', 'completed'] },
          activeForm: {
            type: 'string',
            minLength: 1,
            description: 'The same, while it is being done: "Running the tests".',
          },
        },
        required: ['content', 'status', 'activeForm'],
        additionalProperties: false,
      },
    },
  },
  required: ['todos'],
  additionalProperties: false,
};

export const todoWriteTool: Tool<TodoWriteInput, TodoWriteOutput> = {
  name: 'TodoWrite',
  inputJsonSchema: schema,
  description: () =>
    `Keeps the list of steps of the work at hand, which the user sees.

- Use it for work of three or more steps, or when the user names several things to do; not for a single easy step.
- Give the whole list each time. Have exactly one step in_progress while you work.
- Mark a step completed as soon as it is truly done, not in batches; if it failed or is only partly done, leave it in_progress and add what is missing.
- Remove steps that are no longer wanted.`,
  parse: createParser<TodoWriteInput>(schema),
  // The last list wins, so the order of calls matters; nothing outside the session is changed.
  isConcurrencySafe: () => false,
  isReadOnly: () => true,
  effectClass: () => 'idempotent',
  permissionTarget: () => ({ kind: 'none' }),
  async run({ todos }, context) {
    const oldTodos = context.todos.get();
    context.todos.set(todos);
    const open = todos.filter((todo) => todo.status !== 'completed').length;
    const state =
      todos.length === 0
        ? 'The list is empty now.'
        : open === 0
          ? 'Every step is completed.'
          : `${open} of ${todos.length} steps are open.`;
    return {
      data: { oldTodos, newTodos: todos },
      content: `The list was updated. ${state} Go on with the next step, if there is one.`,
    };
  },
};
