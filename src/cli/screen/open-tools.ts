/** Calls without a result so far, and the line for each. */
import { type SDKUserMessage, toolFacts } from '../../index.ts';
import { cells, cut } from '../../terminal/text/cells.ts';
import type { Style } from '../../terminal/text/style.ts';
import { oneLine, visible } from '../../terminal/text/visible.ts';
import { toolLabel } from './tool-label.ts';
import { counted, duration } from './units.ts';

interface OpenTool {
  readonly label: string;
  /** A command of the main agent, whose output is shown. */
  readonly isCommand: boolean;
  readonly sinceMs: number;
  /** Prefix with the subagent's task, `  ↳ apples: `; '' for the main agent. */
  readonly whose: string;
  readonly agent: string | undefined;
  readonly todos: readonly string[];
  /** Time of the user's answers, which is not the tool's. */
  askedMs: number;
}

interface OpenTools {
  opened(call: NewCall, atMs: number): void;
  /** Lines for a finished call; none for an unknown one. */
  closed(id: string, outcome: ToolOutcome, columns: number, atMs: number): readonly string[];
  /** Resolves once the call has been opened. */
  seen(id: string): Promise<void>;
  /** The task of the subagent that made the call; undefined for the main agent. */
  agentOf(id: string): string | undefined;
  asked(id: string, ms: number): void;
  denied(id: string): void;
  /** The running calls, for the status line. */
  running(): string | undefined;
  clear(): void;
}

interface NewCall {
  readonly id: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** The call that started the subagent of this call; null for the main agent. */
  readonly parent: string | null;
}

interface ToolOutcome {
  readonly isError: boolean;
  readonly text: string;
}

/** Maximum columns of a subagent's name. */
const MAX_WHOSE_COLUMNS = 24;

export function createOpenTools(style: Style, cwd: () => string): OpenTools {
  const open = new Map<string, OpenTool>();
  const denials = new Set<string>();
  const awaited = new Map<string, () => void>();
  /** Subagents by their call; kept after it, because background agents continue. */
  const agents = new Map<string, string>();
  const whoseIs = (parent: string | null, name: string | undefined) => {
    if (parent === null) return '';
    return name === undefined ? '  ↳ ' : `  ↳ ${cut(name, MAX_WHOSE_COLUMNS)}: `;
  };
  return {
    opened({ id, name, input, parent }, atMs) {
      const { description } = input;
      if (toolFacts(name).shownAs === 'agent' && typeof description === 'string')
        agents.set(id, oneLine(description));
      const label = toolLabel(name, input, cwd());
      const todos = parent === null ? todoLines(input) : [];
      const agent = parent === null ? undefined : (agents.get(parent) ?? 'a subagent');
      open.set(id, {
        label,
        isCommand: parent === null && typeof input['command'] === 'string',
        sinceMs: atMs,
        whose: whoseIs(parent, agents.get(parent ?? '')),
        agent,
        todos,
        askedMs: 0,
      });
      awaited.get(id)?.();
      awaited.delete(id);
    },
    closed(id, outcome, columns, atMs) {
      const tool = open.get(id);
      if (tool === undefined) return [];
      open.delete(id);
      const ms = atMs - tool.sinceMs - tool.askedMs;
      const took = style.dim(duration(ms));
      const mark = `${tool.whose}${outcome.isError ? style.red('✗') : style.green('✓')} `;
      const room = columns - cells(`${tool.whose}✓   ${duration(ms)}`);
      const label = cut(tool.label, Math.max(12, room));
      const wasDenied = denials.delete(id);
      const output =
        tool.isCommand && !wasDenied
          ? commandOutput(outcome.text, outcome.isError, columns).map(style.dim)
          : [];
      if (!outcome.isError)
        return [`${mark}${label}  ${took}`, ...tool.todos.map((line) => cut(line, columns)), ...output];
      const why = `${wasDenied ? 'denied: ' : ''}${firstLine(outcome.text)}`;
      if (cells(label) + 2 + cells(why) <= room)
        return [`${mark}${label}  ${style.red(why)}  ${took}`, ...output];
      // Call and reason are both long: each gets a line.
      const under = ' '.repeat(tool.whose === '' ? 2 : 6);
      const reason = `${under}${style.red(cut(why, columns - under.length))}`;
      return [`${mark}${label}  ${took}`, reason, ...output];
    },
    seen: (id) =>
      open.has(id) ? Promise.resolve() : new Promise((resolve) => void awaited.set(id, resolve)),
    agentOf: (id) => open.get(id)?.agent,
    asked(id, ms) {
      const tool = open.get(id);
      if (tool !== undefined) tool.askedMs += ms;
    },
    denied: (id) => void denials.add(id),
    running() {
      const [first] = open.values();
      if (first === undefined) return undefined;
      return open.size === 1 ? first.label : `${first.label} and ${open.size - 1} more`;
    },
    clear: () => open.clear(),
  };
}

/** The results in a user message, one per answered call. */
export function resultsOf(message: SDKUserMessage): { readonly id: string; readonly outcome: ToolOutcome }[] {
  const { content } = message.message;
  if (typeof content === 'string') return [];
  return content.flatMap((block) => {
    if (block.type !== 'tool_result') return [];
    const text =
      typeof block.content === 'string' ? block.content : (block.content ?? []).map(textOf).join('\n');
    return [{ id: block.tool_use_id, outcome: { isError: block.is_error === true, text } }];
  });
}

function textOf(block: { readonly type: string; readonly text?: string }): string {
  return block.type === 'text' ? (block.text ?? '') : `[${block.type}]`;
}

const TODO_MARKS: Readonly<Record<string, string>> = { completed: '☑', in_progress: '▸', pending: '☐' };

/** The list as it stands after the call, one line for each thing to do. */
function todoLines({ todos }: Readonly<Record<string, unknown>>): string[] {
  if (!Array.isArray(todos)) return [];
  return todos.flatMap((todo) => {
    const mark = TODO_MARKS[todo?.status];
    return mark !== undefined && typeof todo.content === 'string'
      ? [`  ${mark} ${oneLine(todo.content)}`]
      : [];
  });
}

function firstLine(text: string): string {
  const bare = text.replace(/<\/?tool_use_error>/g, '').trim();
  return oneLine(bare.split('\n', 1)[0] ?? '');
}

const MOST_OUTPUT_LINES = { ok: 4, failed: 12 } as const;
/** Text of the tool for a command without output. */
const NO_OUTPUT = '(Bash completed with no output)';

/**
 * The output of a command, under the line of its call: its end, and more of it on failure. Plain lines,
 * indented and cut to `columns`. The first line of a failure is shown beside the call already.
 */
function commandOutput(text: string, isError: boolean, columns: number): readonly string[] {
  const written = isError ? text.slice(text.indexOf('\n') + 1 || text.length) : text;
  if (written.trim() === NO_OUTPUT) return [];
  const { lines, left } = lastLines(written, isError ? MOST_OUTPUT_LINES.failed : MOST_OUTPUT_LINES.ok);
  const before = left === 0 ? [] : [`… ${counted(left, 'line')} before`];
  return [...before, ...lines].map((line) => cut(`    ${visible(line).replaceAll('\t', '  ')}`, columns));
}

/** The end of a text, without surrounding blank lines, and the number of lines before it. */
function lastLines(text: string, most: number): { readonly lines: readonly string[]; readonly left: number } {
  const trimmed = text.replace(/^(?:[\t ]*\r?\n)+/, '').trimEnd();
  const lines = trimmed === '' ? [] : trimmed.split(/\r?\n/);
  const left = Math.max(0, lines.length - most);
  return { lines: lines.slice(left), left };
}
