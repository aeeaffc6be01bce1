/** Restores the todo list after a compaction: a summary may word it differently (F31). */

import { reminder } from '@turnwright/base/text/text-blocks.ts';
import { TODO_MARKS } from '../../protocol/model/attachment.ts';
import type { CompactionSource } from '../../protocol/model/context.ts';
import type { TodoStore } from '../../protocol/tools/tool.ts';
import { type Stamp, stamped } from '../notices.ts';

export function todoSource(todos: Pick<TodoStore, 'get'>, stamp: Stamp): CompactionSource {
  return {
    name: 'todos',
    async collect() {
      const list = todos.get();
      if (list.every(({ status }) => status === 'completed')) return [];
      const lines = list.map(({ status, content }, i) => `${i + 1}. ${TODO_MARKS[status]} ${content}`);
      return [
        {
          type: 'attachment',
          ...stamped(stamp),
          attachment: { type: 'todo_reminder', todos: list },
          rendered: [reminder(`Your todo list, as it stands now:\n${lines.join('\n')}`)],
        },
      ];
    },
  };
}
