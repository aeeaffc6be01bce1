/** Rows about background work and agents. Pure. */
import { terminalText } from '@turnwright/base/process/terminal-text.ts';
import { toolFacts } from '@turnwright/engine';
import type { Row, ScreenFrame, Size } from '@turnwright/terminal/renderer/frame.ts';
import { cells, cutRow } from '@turnwright/terminal/text/cells.ts';
import type { Theme } from '@turnwright/terminal/text/theme.ts';
import { oneLine, visible } from '@turnwright/terminal/text/visible.ts';
import { wrap } from '@turnwright/terminal/text/wrap.ts';
import { cost, counted, duration, tokens } from '../../words/units.ts';
import type { ListItem } from '../commands/list.ts';
import type { ConversationState, RunningTool, ShownTask } from '../conversation-state.ts';

/** A command or an agent that its call waits for, and that can go on without it. */
export function isWaitedFor({ name, agent, isOwn, askedSinceMs }: RunningTool): boolean {
  const isCommand = toolFacts(name).family === 'command';
  return (isCommand || agent !== undefined) && !isOwn && askedSinceMs === undefined;
}

/** Background work, agents, and commands that a call waits for: what runs first, then the newest. */
export function listTasks({
  tasks,
  tools,
}: Pick<ConversationState, 'tasks' | 'tools'>): readonly ShownTask[] {
  const waitedFor = tools
    .filter((call) => isWaitedFor(call) && call.agent === undefined)
    .map(
      ({ id, input, sinceMs }): ShownTask => ({
        id,
        kind: 'command',
        description: String(input['command'] ?? ''),
        agentType: undefined,
        toolUseId: id,
        status: 'running',
        isInBackground: false,
        startedMs: sinceMs,
        endedMs: undefined,
        summary: undefined,
        usage: undefined,
      }),
    );
  const newest = [...tasks, ...waitedFor].toSorted((a, b) => b.startedMs - a.startedMs);
  const runs = ({ status }: ShownTask) => status === 'running';
  return [...newest.filter(runs), ...newest.filter((task) => !runs(task))];
}

const MARKS: Readonly<Record<ShownTask['status'], string>> = {
  running: '◐',
  completed: '✓',
  failed: '✗',
  stopped: '■',
};

/** `◐ npm run dev` */
export function taskName({ status, description }: ShownTask): string {
  return `${MARKS[status]} ${oneLine(description)}`;
}

/** `command · 12.0 s`, `agent reviewer · 3 calls · 12.0k tokens · $0.02 · 7.0 s` */
export function taskState(task: ShownTask, nowMs: number): string {
  const { kind, agentType, status, isInBackground, usage } = task;
  const took = duration(Math.max(0, (task.endedMs ?? nowMs) - task.startedMs));
  const what = kind === 'agent' && agentType !== undefined ? `agent ${oneLine(agentType)}` : kind;
  const parts = [
    what,
    ...(status === 'running' ? (isInBackground ? [] : ['its call waits']) : [status]),
    ...(usage === undefined || usage.calls === 0 ? [] : [counted(usage.calls, 'call')]),
    ...(usage === undefined ? [] : [`${tokens(usage.tokens)} tokens`]),
    ...(usage === undefined || usage.cost.usd === 0 ? [] : [cost(usage.cost)]),
    took,
  ];
  return parts.join(' · ');
}

export function taskItems(tasks: readonly ShownTask[], nowMs: number): readonly ListItem<string>[] {
  return tasks.map((task) => ({
    value: task.id,
    label: taskName(task),
    detail: taskState(task, nowMs),
    about: [
      ...listSummary(task),
      ...(task.usage?.lastTool === undefined ? [] : [`last tool: ${task.usage.lastTool}`]),
    ],
  }));
}

/** What it says of its end, where that is more than its name. */
function listSummary({ summary, description }: ShownTask): readonly string[] {
  return summary === undefined || summary === '' || summary === description ? [] : [summary];
}

/** What can be done with a task, by its key. */
export function taskActions(task: ShownTask): readonly (readonly [key: string, does: string])[] {
  const isRunning = task.status === 'running';
  const mayStop = isRunning && (task.isInBackground || task.kind === 'agent');
  const mayGo = isRunning && !task.isInBackground && task.toolUseId !== undefined;
  return [
    ...(mayStop ? [['s', 'stops it'] as const] : []),
    ...(mayGo ? [['b', 'to the background'] as const] : []),
    ...(isRunning ? [] : [['c', 'goes on with it'] as const]),
    ['o', 'all of it'],
  ];
}

/** The prompt to go on from what a task has done. */
export function nextPrompt({ kind, id, status, description }: ShownTask): string {
  const what = oneLine(description);
  if (kind === 'agent' && status !== 'running')
    return `Go on with the agent ${id} (${what}) by SendMessage: `;
  if (kind === 'agent') return `Go on from what the agent ${id} (${what}) found: `;
  if (status === 'completed') return `Look at the output of the background command ${id} (${what}): `;
  return `Start this command in the background again: ${what}`;
}

const MOST_ROWS = 16;
const MOST_HEAD = 4;

interface TaskPage {
  readonly task: ShownTask;
  /** The end of its output; undefined: it is being read, or it has none yet. */
  readonly output: string | undefined;
  /** About the last key. */
  readonly note: string | undefined;
  readonly nowMs: number;
}

/** One task: what it is, the end of its output, and the keys. */
export function taskFrame({ task, output, note, nowMs }: TaskPage, size: Size, theme: Theme): ScreenFrame {
  const columns = Math.max(1, Math.min(size.columns - 1, 100));
  const room = Math.max(6, Math.min(size.rows - 2, MOST_ROWS));
  const state = cutRow(`${task.id} · ${taskState(task, nowMs)}`, columns);
  const keys = [...taskActions(task).map(([key, does]) => `${key} ${does}`), 'Esc back'].join(' · ');
  const short = [...taskActions(task).map(([key]) => key), 'Esc'].join(' · ');
  const head = [
    ...wrap(taskName(task), columns)
      .slice(0, 2)
      .map((row) => theme.bold(row)),
    theme.dim(state),
    ...listSummary(task)
      .filter((text) => output?.includes(text) !== true)
      .flatMap((text) => wrap(oneLine(text), columns).map(theme.dim)),
  ].slice(0, MOST_HEAD);
  const notes = note === undefined ? [] : [theme.warn(cutRow(note, columns))];
  const lines = outputLines(task, output);
  const most = room - head.length - notes.length - 1;
  const isSaid = (output ?? '').trim() === '';
  const rows: Row[] = lines
    .flatMap((line) => (isSaid ? wrap(line, columns - 2) : [visible(line)]))
    .slice(-most)
    .map((line) => cutRow(`  ${line}`, columns));
  return {
    rows: [...head, ...rows, ...notes, theme.dim(cells(keys) <= columns ? keys : cutRow(short, columns))],
  };
}

/** Lines of output, or a sentence in their place. */
export function outputLines(
  { kind, status, usage }: ShownTask,
  output: string | undefined,
): readonly string[] {
  const text = terminalText(output ?? '').trimEnd();
  if (text !== '') return text.split(/\r?\n/);
  if (kind === 'agent' && status === 'running')
    return [
      `It answers when it is done.${usage?.lastTool === undefined ? '' : ` Its last tool: ${usage.lastTool}.`}`,
    ];
  return [status === 'running' ? 'No output yet.' : 'It has no output.'];
}
