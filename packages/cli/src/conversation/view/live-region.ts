/**
 * The live region: what is unfinished, running, asked and typed. A pure function of the state, of the parts
 * that draw themselves, and of the size. Rows are at most `columns` − 1 wide, and at most `liveRows` many.
 */
import type { Row, ScreenFrame, Size } from '@turnwright/terminal/renderer/frame.ts';
import { cells, cutRow } from '@turnwright/terminal/text/cells.ts';
import type { Theme } from '@turnwright/terminal/text/theme.ts';
import { oneLine } from '@turnwright/terminal/text/visible.ts';
import { wrap } from '@turnwright/terminal/text/wrap.ts';
import { toolLabel } from '../../words/tool-label.ts';
import { cost, counted, duration } from '../../words/units.ts';
import type { ConversationState, RunningTool, Todo } from '../conversation-state.ts';
import { sumCosts } from '../reduce/reduce-tools.ts';
import type { StatusPart } from '../screen/screen-settings.ts';
import { type ActivityKeys, activityLine, findActivity, pickTone } from './activity.ts';
import { statusLine } from './status-line.ts';
import { outputRow, todoRow } from './tool-rows.ts';

export interface LiveParts {
  readonly state: ConversationState;
  /** Monotonic ms. */
  readonly nowMs: number;
  readonly theme: Theme;
  readonly keys: ActivityKeys & { readonly editQueue: string };
  /** The open block of the answer: its last rows, at most `most`. */
  answer(columns: number, most: number): readonly Row[];
  editor(columns: number, most: number): ScreenFrame;
  /** What lies over the editor; undefined: nothing. */
  readonly overlay: { frame(size: Size): ScreenFrame; readonly keepsEditor?: boolean } | undefined;
  /** Output of the `statusLine` command; undefined: the built-in one is shown. */
  readonly customStatus: readonly Row[] | undefined;
  /** Of the built-in one; default all. */
  readonly statusParts?: readonly StatusPart[] | undefined;
  /** No spinner that moves. */
  readonly reducedMotion: boolean;
}

/** The most rows of the live region: two of the window stay for what was printed. */
export function liveRows({ rows }: Pick<Size, 'rows'>): number {
  return Math.max(2, Math.min(rows - 2, 16));
}

/** Columns for text: wider windows do not make longer lines. */
export function textColumns({ columns }: Pick<Size, 'columns'>): number {
  return Math.max(10, Math.min(columns - 1, 100));
}

const RULE_COLUMNS = 24;
const EDITOR_ROWS = 8;
const QUEUE_ROWS = 3;
const TODO_ROWS = 5;

export function liveRegion(parts: LiveParts, size: Size): ScreenFrame {
  const columns = textColumns(size);
  const budget = liveRows(size);
  const { state, theme, overlay } = parts;
  const status = parts.customStatus ?? [statusLine(state, columns, theme, parts.statusParts)];
  const showsEditor = overlay === undefined || overlay.keepsEditor === true;
  const typed: ScreenFrame = showsEditor
    ? parts.editor(columns, Math.min(EDITOR_ROWS, budget - 1))
    : { rows: [] };
  let room = budget - Math.min(status.length, 2) - typed.rows.length;
  const take = (rows: readonly Row[], most = room): readonly Row[] => {
    const taken = rows.slice(0, Math.max(0, Math.min(most, room)));
    room -= taken.length;
    return taken;
  };
  const over = overlay?.frame({ columns, rows: Math.max(1, room) }) ?? { rows: [] };
  const shownOver = take(over.rows);
  const hint = take(state.hint === undefined ? [] : [theme.warn(cutRow(state.hint, columns))]);
  const queue = take(queueRows(parts, columns));
  const activity = take([...thinkingRows(parts, columns), ...activityRows(parts, columns)]);
  const tools = take(toolRows(parts, columns, room));
  const todos = take(state.showsTodos ? todoRows(state.todos, columns, theme) : []);
  const answer = room > 0 ? parts.answer(columns, room) : [];
  const upper = [...answer, ...tools, ...activity, ...todos];
  const rule =
    upper.length > 0 && room > answer.length ? [theme.dim('─'.repeat(Math.min(RULE_COLUMNS, columns)))] : [];
  const before = [...upper, ...rule, ...queue, ...shownOver, ...hint];
  const rows = [...before, ...typed.rows, ...status.slice(0, 2)];
  const cursor =
    over.cursor !== undefined
      ? moved(over.cursor, before.length - hint.length - shownOver.length)
      : typed.cursor && moved(typed.cursor, before.length);
  return { rows, cursor };
}

const moved = (
  cursor: NonNullable<ScreenFrame['cursor']>,
  down: number,
): NonNullable<ScreenFrame['cursor']> => ({
  row: cursor.row + down,
  column: cursor.column,
});

const SPINNER = ['◐', '◓', '◑', '◒'] as const;
/** Steps of the spinner. */
export const SPINNER_MS = 250;

function spinner({ nowMs, reducedMotion }: LiveParts): string {
  return reducedMotion ? '◐' : (SPINNER[Math.floor(nowMs / SPINNER_MS) % SPINNER.length] ?? '◐');
}

function activityRows(parts: LiveParts, columns: number): readonly Row[] {
  const { state, nowMs, theme, keys } = parts;
  const activity = findActivity(state, nowMs, keys);
  if (activity === undefined) return [];
  const mark = activity.moves ? `${spinner(parts)} ` : '';
  return [pickTone(theme, activity)(activityLine(activity, mark, columns))];
}

const THINKING_ROWS = 2;
/** Of the thinking so far no more is laid out than these rows can hold. */
const THINKING_CHARS = 400;

/** The end of what the model thinks at present. */
function thinkingRows({ state, theme }: LiveParts, columns: number): readonly Row[] {
  const { kind, thinking } = state.answer;
  if (kind !== 'thinking' || thinking === '') return [];
  const rows = wrap(oneLine(thinking.slice(-THINKING_CHARS).replace(/\s+/g, ' ')), columns - 2);
  return rows.slice(-THINKING_ROWS).map((row) => theme.dim(`  ${row}`));
}

/** Each running call with its newest output; those that do not fit are counted. */
function toolRows(parts: LiveParts, columns: number, most: number): readonly Row[] {
  const { tools } = parts.state;
  const all = tools.map((tool) => oneTool(tool, parts, columns));
  const rows = all.flat();
  if (rows.length <= most) return rows;
  // Without their output first, then the oldest ones.
  const heads = all.flatMap(([head]) => head ?? []);
  if (heads.length <= most) return heads;
  const shown = heads.slice(0, Math.max(0, most - 1));
  return [...shown, parts.theme.dim(`… ${counted(heads.length - shown.length, 'more call')}`)];
}

function oneTool(tool: RunningTool, parts: LiveParts, columns: number): readonly Row[] {
  const { state, nowMs, theme } = parts;
  const facts = [
    ...agentFacts(tool),
    ...(columns < 60 ? [] : [elapsed((tool.askedSinceMs ?? nowMs) - tool.sinceMs - tool.askedMs)]),
    ...linesFact(tool),
  ].join(' · ');
  const label = toolLabel(tool.name, tool.input, state.session.cwd);
  const shownFacts = cutRow(facts, Math.max(12, Math.floor((columns * 2) / 3)));
  const room = Math.max(8, columns - cells(shownFacts) - 4);
  const head = `${spinner(parts)} ${cutRow(label, room)}${facts === '' ? '' : `  ${theme.dim(shownFacts)}`}`;
  return [head, ...(tool.output?.lines ?? []).map((line) => theme.dim(outputRow(line, columns)))];
}

function agentFacts({ agent }: RunningTool): readonly string[] {
  if (agent === undefined) return [];
  const paid = sumCosts(agent);
  return [
    ...(agent.turns === 0 ? [] : [counted(agent.turns, 'turn')]),
    ...(paid === undefined ? [] : [cost(paid)]),
    ...(agent.lastTool === undefined ? [] : [oneLine(agent.lastTool)]),
  ];
}

function linesFact({ output }: RunningTool): readonly string[] {
  return output === undefined || output.totalLines === 0 ? [] : [counted(output.totalLines, 'line')];
}

const elapsed = (ms: number): string => {
  const whole = Math.max(0, Math.floor(ms / 1_000));
  return whole < 60 ? `${whole} s` : duration(whole * 1_000);
};

/** The list of things to do around the one in progress; nothing once all are done. */
function todoRows(todos: readonly Todo[], columns: number, theme: Theme): readonly Row[] {
  if (todos.every(({ status }) => status === 'completed')) return [];
  const current = todos.findIndex(({ status }) => status !== 'completed');
  const from = Math.max(0, Math.min(current - 1, todos.length - TODO_ROWS));
  const shown = todos.slice(from, from + TODO_ROWS);
  const left = todos.length - shown.length;
  const rows = shown.map(({ text, status }) => {
    const row = todoRow(text, status, columns);
    return status === 'in_progress' ? theme.accent(row) : theme.dim(row);
  });
  return left === 0 ? rows : [...rows, theme.dim(`    … ${left} more`)];
}

/** The prompts that wait, with the keys that change them. */
function queueRows({ state, theme, keys }: LiveParts, columns: number): readonly Row[] {
  const { queue } = state;
  if (queue.length === 0) return [];
  const isHeld = queue[0]?.place === 'here';
  const hint = isHeld ? `Enter sends · ${keys.editQueue} edit` : `${keys.editQueue} edit`;
  const rows = queue.slice(0, QUEUE_ROWS).map(({ text, images, place }, at) => {
    const more = images.length === 0 ? '' : ` [${counted(images.length, 'image')}]`;
    const word = place === 'here' ? 'held' : 'queued';
    const tail = at === 0 ? `  ${hint}` : '';
    const room = Math.max(10, columns - tail.length);
    return `${cutRow(`${word} ${at + 1}: ${oneLine(text)}${more}`, room)}${theme.dim(cutRow(tail, columns - 10))}`;
  });
  const left = queue.length - rows.length;
  return left === 0 ? rows : [...rows, theme.dim(`… ${left} more, /queue`)];
}
