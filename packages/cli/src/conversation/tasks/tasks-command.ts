/** `/tasks`: background commands and agents, their output, and what can be done with them. */
import { oneLine, visible } from '@turnwright/terminal/text/visible.ts';
import type { ConversationCommandContext } from '../command-context.ts';
import { CommandMistake, type ConversationCommand } from '../commands/command-type.ts';
import { listOverlay } from '../commands/list.ts';

export const tasksCommand: ConversationCommand = {
  name: 'tasks',
  aliases: ['bashes'],
  summary: 'Shows commands and agents in the background; stops them, goes on with them',
  argument: '[stop <id>]',
  async run(argument, context) {
    const [, id] = /^stop\s+(\S+)$/.exec(argument) ?? [];
    if (argument !== '' && id === undefined)
      throw new CommandMistake('Write /tasks, or /tasks stop <id> with an id of its list.');
    if (id !== undefined) return stopOne(id, context);
    const { NO_TASKS, tasksOverlay } = await import('./tasks-overlay.ts');
    const { listTasks } = await import('./task-rows.ts');
    if (listTasks(context.state).length === 0) return context.print([context.theme.dim(NO_TASKS)]);
    const choice = await context.open(tasksOverlay(context));
    if (choice === undefined) return;
    if ('edit' in choice) context.edit(choice.edit);
    else await showInLines(choice.show, context);
  },
};

async function stopOne(id: string, { print, query, state }: ConversationCommandContext): Promise<void> {
  const task = state.tasks.find((each) => each.id === id);
  if (task?.status !== 'running') throw new CommandMistake(`No task ${id} runs. /tasks lists them.`);
  await query.stopTask(id);
  print([oneLine(`Stopped: ${task.description}.`)]);
}

/** Without a screen: the output so far, then what can be done. */
async function showInLines(id: string, context: ConversationCommandContext): Promise<void> {
  const { listTasks, nextPrompt, outputLines, taskActions, taskName, taskState } = await import(
    './task-rows.ts'
  );
  const { readTaskOutput } = await import('./tasks-overlay.ts');
  const task = listTasks(context.state).find((each) => each.id === id);
  if (task === undefined) return;
  const { clock, edit, open, print, query } = context;
  const output = await readTaskOutput(query, id);
  print([taskName(task), taskState(task, clock.monotonicMs()), ...outputLines(task, output).map(visible)]);
  const actions = taskActions(task).filter(([key]) => key !== 'o');
  const items = actions.map(([value, does]) => ({ value, label: does }));
  const key =
    items.length === 0
      ? undefined
      : await open(listOverlay({ title: 'What now?', items, empty: '', enter: 'does it' }));
  if (key === 'c') edit(nextPrompt(task));
  if (key === 's') await stopOne(id, context);
  if (key === 'b') await query.backgroundTasks(task.toolUseId);
}
