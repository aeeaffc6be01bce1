/** A finished call in the transcript: one line, and what is worth seeing of its result below. */
import { toolFacts } from '@turnwright/engine';
import type { Highlighter } from '@turnwright/terminal/markup/highlight.ts';
import type { Row } from '@turnwright/terminal/renderer/frame.ts';
import { cells, cutRow } from '@turnwright/terminal/text/cells.ts';
import { clean } from '@turnwright/terminal/text/clean.ts';
import type { Theme } from '@turnwright/terminal/text/theme.ts';
import { oneLine } from '@turnwright/terminal/text/visible.ts';
import { shortPath, toolLabel } from '../../words/tool-label.ts';
import { cost, counted, duration } from '../../words/units.ts';
import type { Todo } from '../conversation-state.ts';
import { readTodo } from '../reduce/reduce-tools.ts';
import type { AgentCallItem, ToolItem } from './transcript-item.ts';

export interface ToolRowsOptions {
  readonly columns: number;
  readonly cwd: string;
  readonly theme: Theme;
  readonly diff: DiffOf;
  /** Default: changes of files are not coloured as code. */
  readonly highlighter?: Highlighter | undefined;
  /** Nothing is beside the rows: neither a live region, which has the list of things to do, nor a viewer. */
  readonly standAlone?: boolean;
}

/** What a call changed in a file; undefined: nothing that is known. */
export type DiffOf = (
  item: ToolItem,
  options: Pick<ToolRowsOptions, 'columns' | 'theme' | 'standAlone' | 'highlighter'>,
) => { readonly rows: readonly Row[]; readonly added: number; readonly removed: number } | undefined;

/** Below this width, lines have no durations (S6.1). */
const WIDE_ENOUGH = 60;

export function toolRows(item: ToolItem, options: ToolRowsOptions): readonly Row[] {
  const { columns, standAlone = false } = options;
  const diff = item.outcome === 'done' ? options.diff(item, options) : undefined;
  return [
    callRow(item, options, diff),
    ...reasonRows(item, options),
    ...(diff?.rows ?? []),
    ...problemRows(item, options),
    ...(standAlone ? allTodoRows(item, columns) : []),
    ...outputRows(item, options),
  ];
}

/** Cells of what a subagent does. */
const MAX_TASK_COLUMNS = 24;

/** A call of a subagent, and why it failed. */
export function agentCallRows({ task, ...item }: AgentCallItem, options: ToolRowsOptions): readonly Row[] {
  const whose = task === '' ? '  ↳ ' : `  ↳ ${cutRow(task, MAX_TASK_COLUMNS)}: `;
  const call: ToolItem = { ...item, kind: 'tool' };
  return [
    whose + callRow(call, { ...options, columns: options.columns - cells(whose) }),
    ...reasonRows(call, options),
  ];
}

/** The line of a call. */
function callRow(item: ToolItem, { columns, theme, cwd }: ToolRowsOptions, diff?: ReturnType<DiffOf>): Row {
  const facts = [
    diff === undefined ? outcomeFact(item) : `+${diff.added} −${diff.removed}`,
    ...agentFacts(item),
    ...problemFacts(item),
    ...(columns < WIDE_ENOUGH || item.ms === undefined ? [] : [duration(item.ms)]),
  ].filter((fact) => fact !== '');
  const mark = item.outcome === 'done' ? theme.good('●') : theme.bad('✗');
  const shownFacts = cutRow(facts.join(' · '), Math.max(12, Math.floor(columns / 2)));
  const room = columns - cells(shownFacts) - 5;
  const label = cutRow(toolLabel(item.name, item.input, cwd), Math.max(12, room));
  return `${mark} ${label}${shownFacts === '' ? '' : `  ${theme.dim(shownFacts)}`}`;
}

const TODO_MARKS = { completed: '☑', in_progress: '▸', pending: '☐' } as const;

/** The list of things to do as it is after the call that set it. */
function allTodoRows({ name, input, outcome }: ToolItem, columns: number): readonly Row[] {
  const { todos } = input;
  if (outcome !== 'done' || toolFacts(name).sets !== 'todos' || !Array.isArray(todos)) return [];
  return todos.flatMap(readTodo).map(({ text, status }) => todoRow(text, status, columns));
}

export function todoRow(text: string, status: Todo['status'], columns: number): Row {
  return cutRow(`  ${TODO_MARKS[status]} ${oneLine(text)}`, columns);
}

/** `42 lines`, `exit 1`, `3 files`; '' where the line says enough. */
function outcomeFact(item: ToolItem): string {
  const { name, text, outcome } = item;
  const result = (item.result ?? {}) as Readonly<Record<string, unknown>>;
  if (outcome === 'denied') return 'denied';
  const { shownAs } = toolFacts(name);
  if (shownAs === 'command') return describeExit(item);
  if (outcome === 'failed' || outcome === 'stopped') return outcome;
  if (typeof result['numLines'] === 'number') return counted(result['numLines'], 'line');
  if (typeof result['numFiles'] === 'number') return counted(result['numFiles'], 'file');
  const { file } = result as { readonly file?: { readonly numLines?: unknown } };
  if (typeof file?.numLines === 'number') return counted(file.numLines, 'line');
  if (shownAs === 'new_file' && typeof item.input['content'] === 'string')
    return counted(splitTrimmedLines(item.input['content']).length, 'line');
  const { todos } = item.input;
  if (Array.isArray(todos)) return `${todos.filter((todo) => todo?.status === 'completed').length} done`;
  return text.includes('\n') ? counted(splitTrimmedLines(text).length, 'line') : '';
}

/** `exit 0`: a command that was not stopped says how it ended, always (S6.6). */
function describeExit({ text, outcome, result }: ToolItem): string {
  const { interrupted, backgroundTaskId } = (result ?? {}) as {
    readonly interrupted?: unknown;
    readonly backgroundTaskId?: unknown;
  };
  if (interrupted === true) return 'stopped';
  if (backgroundTaskId !== undefined) return 'in the background';
  const code = /^Exit code (\d+)/.exec(text)?.[1];
  if (code !== undefined) return `exit ${code}`;
  return outcome === 'done' ? 'exit 0' : outcome;
}

function agentFacts({ agent }: ToolItem): readonly string[] {
  if (agent === undefined) return [];
  return [
    ...(agent.turns === 0 ? [] : [counted(agent.turns, 'turn')]),
    ...(agent.cost === undefined ? [] : [cost(agent.cost)]),
  ];
}

/** `2 new problems`: what language servers found in an edit. */
function problemFacts({ result }: ToolItem): readonly string[] {
  const { diagnostics } = (result ?? {}) as { readonly diagnostics?: unknown };
  return Array.isArray(diagnostics) ? [counted(diagnostics.length, 'new problem')] : [];
}

/** One each, where the whole transcript is shown. */
function problemRows(
  { result }: ToolItem,
  { columns, cwd, theme, standAlone }: ToolRowsOptions,
): readonly Row[] {
  const { diagnostics } = (result ?? {}) as { readonly diagnostics?: unknown };
  if (standAlone !== true || !Array.isArray(diagnostics)) return [];
  return diagnostics.map(({ file, line, severity, message }: Readonly<Record<string, unknown>>) => {
    const row = `    ${shortPath(String(file), { cwd })}:${line} ${severity}: ${oneLine(String(message))}`;
    return theme[severity === 'error' ? 'bad' : 'warn'](cutRow(row, columns));
  });
}

/** Why a call failed or was denied, for tools whose output is not shown anyway. */
function reasonRows({ name, text, outcome }: ToolItem, { columns, theme }: ToolRowsOptions): readonly Row[] {
  if (outcome === 'done' || outcome === 'stopped' || (isCommand(name) && outcome === 'failed')) return [];
  const bare = text.replace(/<\/?tool_use_error>/g, '').trim();
  const first = oneLine(bare.split('\n', 1)[0] ?? '');
  return first === '' ? [] : [`    ${theme.bad(cutRow(first, Math.max(8, columns - 5)))}`];
}

const isCommand = (name: string): boolean => toolFacts(name).shownAs === 'command';

/** Lines of a command's output at its end (S6.6). */
const OUTPUT_LINES = { done: 10, failed: 20, denied: 0, stopped: 20 } as const;

function outputRows(item: ToolItem, { columns, theme, standAlone = false }: ToolRowsOptions): readonly Row[] {
  if (!isCommand(item.name) || item.outcome === 'denied') return [];
  const lines = splitTrimmedLines(commandOutput(item));
  const most = OUTPUT_LINES[item.outcome];
  const left = lines.length - most;
  const before = standAlone
    ? `${counted(left, 'line')} before these`
    : `${counted(left, 'more line')}, ^O shows all`;
  const shown = lines.slice(-most).map((line) => outputRow(line, Math.max(12, columns - 1)));
  return [...(left > 0 ? [`    … ${before}`] : []), ...shown].map(theme.dim);
}

/** What the command wrote, without what the tool says about it. */
export function commandOutput({ text, outcome, result }: ToolItem): string {
  const { stdout } = (result ?? {}) as { readonly stdout?: unknown };
  if (typeof stdout === 'string') return stdout;
  // The first line of a failure is its exit code.
  return outcome === 'failed' || outcome === 'stopped'
    ? text.slice(text.indexOf('\n') + 1 || text.length)
    : text;
}

/** A line that a command wrote: nothing of it but its colours reaches the terminal (S6.7). */
export const outputRow = (line: string, columns: number): Row => cutRow(`    ${clean(line, 'sgr')}`, columns);

/** Lines without blank ones around them. */
export function splitTrimmedLines(text: string): readonly string[] {
  const trimmed = text.replace(/^(?:[\t ]*\r?\n)+/, '').trimEnd();
  return trimmed === '' ? [] : trimmed.split(/\r?\n/);
}
