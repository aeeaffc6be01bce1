import { reminder } from '@turnwright/base/text/text-blocks.ts';
import { TODO_MARKS, type TodoItem } from '../protocol/model/attachment.ts';
import { toolFacts } from '../protocol/tools/builtin-tools.ts';
import type { TodoStore } from '../protocol/tools/tool.ts';
import { type AttachmentSource, NOTHING_FOUND } from './source.ts';

const DEFAULT_TODO_REMINDER_TURNS = 10;

/** Reminds the model of the todo list when it has open items and was not changed for `everyTurns` turns. */
export function todoReminder(
  todos: Pick<TodoStore, 'get'>,
  { everyTurns = DEFAULT_TODO_REMINDER_TURNS }: { readonly everyTurns?: number } = {},
): AttachmentSource {
  let untouched = 0;
  return {
    name: 'todo_reminder',
    collect({ toolUses }) {
      untouched = toolUses.some(({ name }) => toolFacts(name).sets === 'todos') ? 0 : untouched + 1;
      if (untouched < everyTurns) return NOTHING_FOUND;
      const list = todos.get();
      if (list.every(({ status }) => status === 'completed')) return NOTHING_FOUND;
      untouched = 0;
      return [{ attachment: { type: 'todo_reminder', todos: list }, rendered: [render(list)] }];
    },
  };
}

function render(todos: readonly TodoItem[]) {
  return reminder(
    'The todo list has not been updated for a while. If it still describes the work, bring it up to date with TodoWrite; if it does not, clear it. Do not mention this note to the user.',
    todos.map(({ status, content }, i) => `${i + 1}. ${TODO_MARKS[status]} ${content}`).join('\n'),
  );
}
