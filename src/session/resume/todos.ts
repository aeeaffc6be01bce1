import type { JsonObject } from '../../protocol/json.ts';
import type { TodoItem } from '../../protocol/model/attachment.ts';

const STATUS: ReadonlySet<unknown> = new Set<TodoItem['status']>(['pending', 'in_progress', 'completed']);

/** The list a TodoWrite call writes; undefined when its input is not one. */
export function todosOf(input: JsonObject): readonly TodoItem[] | undefined {
  const { todos } = input as { readonly todos?: unknown };
  if (!Array.isArray(todos)) return undefined;
  const items = todos.filter(isTodo);
  return items.length === todos.length ? items : undefined;
}

function isTodo(value: unknown): value is TodoItem {
  if (typeof value !== 'object' || value === null) return false;
  const { content, status, activeForm } = value as Record<string, unknown>;
  return typeof content === 'string' && typeof activeForm === 'string' && STATUS.has(status);
}
