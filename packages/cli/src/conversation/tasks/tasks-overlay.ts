/** The overlay of `/tasks`: a list of background work that stays up to date, and a page for each. */
import { errorText } from '@turnwright/base/text/error-text.ts';
import type { InputEvent } from '@turnwright/terminal/input/events.ts';
import type { ScreenFrame, Size } from '@turnwright/terminal/renderer/frame.ts';
import type { ConversationCommandContext } from '../command-context.ts';
import { isLeave, type ListOf } from '../commands/list.ts';
import { listFrame } from '../commands/list-parts/list-frame.ts';
import {
  type ListState,
  listMatches,
  openedList,
  pressed,
  replaced,
} from '../commands/list-parts/list-state.ts';
import type { ShownTask } from '../conversation-state.ts';
import type { Overlay, OverlayHost, OverlayOf } from '../overlay.ts';
import {
  listTasks,
  nextPrompt,
  outputLines,
  taskActions,
  taskFrame,
  taskItems,
  taskName,
} from './task-rows.ts';

type TaskContext = Pick<ConversationCommandContext, 'query' | 'state' | 'clock'>;

/** `edit`: a draft to go on with. `show`: line by line, the task that was chosen. */
export type TaskChoice = { readonly edit: string } | { readonly show: string };

const TICK_MS = 500;
export const NO_TASKS =
  'Nothing runs in the background, and no agent has run. Ctrl+B on an empty prompt moves a running command here.';
const WORDS = { title: 'Background work and agents', empty: NO_TASKS, enter: 'opens it' };

/** Line by line it is a list like any other. */
export function tasksOverlay(
  context: TaskContext,
): OverlayOf<TaskChoice> & { readonly list: ListOf<TaskChoice> } {
  const items = taskItems(listTasks(context.state), context.clock.monotonicMs());
  const list: ListOf<TaskChoice> = {
    ...WORDS,
    items: items.map((item) => ({ ...item, value: { show: item.value } })),
  };
  return Object.assign((host: OverlayHost) => new OpenTasks(context, host), { list });
}

class OpenTasks implements Overlay<TaskChoice> {
  readonly closed: Promise<TaskChoice | undefined>;
  readonly #context: TaskContext;
  readonly #host: OverlayHost;
  #list: ListState<string>;
  #page = 1;
  /** The task whose page is open. */
  #open: ShownTask | undefined;
  #output: string | undefined;
  #note: string | undefined;
  #stopTicks: () => void = () => {};
  #close!: (choice: TaskChoice | undefined) => void;

  constructor(context: TaskContext, host: OverlayHost) {
    this.#context = context;
    this.#host = host;
    this.#list = openedList({ ...WORDS, items: this.#items() });
    this.closed = new Promise((resolve) => {
      this.#close = (choice) => {
        this.#stopTicks();
        resolve(choice);
      };
    });
    this.#tick();
  }

  frame(size: Size): ScreenFrame {
    const { theme, clock } = this.#host;
    const task = this.#current();
    if (task !== undefined) {
      const page = { task, output: this.#output, note: this.#note, nowMs: clock.monotonicMs() };
      return taskFrame(page, size, theme);
    }
    this.#list = replaced(this.#list, this.#items());
    const frame = listFrame(this.#list, size, theme);
    this.#page = frame.page;
    return frame;
  }

  onEvent(event: InputEvent): boolean {
    if (event.kind === 'reply') return false;
    const task = this.#current();
    if (task === undefined) this.#onListKey(event);
    else if (event.kind === 'key') this.#onTaskKey(task, event);
    this.#host.invalidate();
    return true;
  }

  #items() {
    return taskItems(listTasks(this.#context.state), this.#host.clock.monotonicMs());
  }

  /** As it is now; a command that was moved to the background has another id. */
  #current(): ShownTask | undefined {
    const open = this.#open;
    if (open === undefined) return undefined;
    const tasks = listTasks(this.#context.state);
    const same =
      tasks.find(({ id }) => id === open.id) ??
      tasks.find(({ toolUseId }) => toolUseId !== undefined && toolUseId === open.toolUseId);
    this.#open = same ?? { ...open, status: open.status === 'running' ? 'completed' : open.status };
    return this.#open;
  }

  #onListKey(event: InputEvent): void {
    if (event.kind === 'key' && isLeave(event)) this.#close(undefined);
    else if (event.kind === 'key' && event.name === 'enter') {
      const chosen = listMatches(this.#list)[this.#list.chosen]?.value;
      this.#open = listTasks(this.#context.state).find(({ id }) => id === chosen);
      this.#output = undefined;
      void this.#read();
    } else this.#list = pressed(this.#list, event, this.#page) ?? this.#list;
  }

  #onTaskKey(task: ShownTask, event: InputEvent & { kind: 'key' }): void {
    this.#note = undefined;
    if (isLeave(event)) this.#open = undefined;
    const key = event.name === 'enter' ? 'o' : event.ctrl || event.alt ? '' : event.name;
    if (taskActions(task).some(([name]) => name === key)) void this.#act(key, task);
  }

  async #act(key: string, task: ShownTask): Promise<void> {
    const { query } = this.#context;
    try {
      if (key === 'c') this.#close({ edit: nextPrompt(task) });
      if (key === 's') await query.stopTask(task.id);
      if (key === 'b') await query.backgroundTasks(task.toolUseId);
      if (key === 'o') {
        await this.#read();
        const lines = outputLines(task, this.#output);
        await this.#host.view({ title: taskName(task), parts: [{ heading: `Task ${task.id}`, lines }] });
      }
      this.#note = { s: 'Stopped.', b: 'It goes on in the background.' }[key];
      await this.#read();
    } catch (error) {
      this.#note = errorText(error);
    }
    this.#host.invalidate();
  }

  async #read(): Promise<void> {
    const task = this.#open;
    if (task === undefined) return;
    const call = this.#context.state.tools.find(({ id }) => id === task.id);
    const output =
      call === undefined
        ? await readTaskOutput(this.#context.query, task.id)
        : (call.output?.lines.join('\n') ?? undefined);
    if (this.#open?.id === task.id) this.#output = output ?? this.#output;
    this.#host.invalidate();
  }

  #tick(): void {
    this.#stopTicks = this.#host.clock.timer(TICK_MS, () => {
      if (this.#open !== undefined) void this.#read();
      else this.#host.invalidate();
      this.#tick();
    });
  }
}

/** The end of it, with a line that says so; undefined: it has no output that could be read. */
export async function readTaskOutput(
  query: TaskContext['query'],
  taskId: string,
): Promise<string | undefined> {
  try {
    const { output, truncated, total_bytes } = await query.getTaskOutput(taskId);
    return truncated ? `… the end of ${total_bytes} bytes:\n${output}` : output;
  } catch {
    return undefined;
  }
}
