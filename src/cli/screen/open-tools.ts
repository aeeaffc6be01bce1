/** The calls whose results are still to come, and the line each becomes. */
import type { SDKUserMessage } from '../../index.ts';
import type { Style } from './style.ts';
import { toolLabel } from './tool-label.ts';
import { duration } from './units.ts';
import { oneLine } from './visible.ts';
import { cutToWidth, displayWidth } from './width.ts';

interface OpenTool {
  readonly label: string;
  readonly sinceMs: number;
  readonly nested: boolean;
  /** Time a person took to answer is not the tool's. */
  askedMs: number;
}

export interface OpenTools {
  opened(id: string, name: string, input: Readonly<Record<string, unknown>>, nested: boolean): void;
  /** The finished call's line, or undefined for one never seen. */
  closed(id: string, outcome: ToolOutcome, columns: number): string | undefined;
  asked(id: string, ms: number): void;
  denied(id: string): void;
  /** What runs now, for the status line. */
  running(): string | undefined;
  clear(): void;
}

export interface ToolOutcome {
  readonly isError: boolean;
  readonly text: string;
}

export function createOpenTools(style: Style, cwd: () => string, nowMs: () => number): OpenTools {
  const open = new Map<string, OpenTool>();
  const denials = new Set<string>();
  return {
    opened(id, name, input, nested) {
      open.set(id, { label: toolLabel(name, input, cwd()), sinceMs: nowMs(), nested, askedMs: 0 });
    },
    closed(id, outcome, columns) {
      const tool = open.get(id);
      if (tool === undefined) return undefined;
      open.delete(id);
      const took = duration(nowMs() - tool.sinceMs - tool.askedMs);
      const indent = tool.nested ? '  ↳ ' : '';
      const why = outcome.isError
        ? `  ${denials.delete(id) ? 'denied: ' : ''}${firstLine(outcome.text)}`
        : '';
      const room = columns - displayWidth(`${indent}✓ `) - displayWidth(`  ${took}`);
      const label = cutToWidth(tool.label, Math.max(12, outcome.isError ? Math.floor(room * 0.6) : room));
      const mark = outcome.isError ? style.red('✗') : style.green('✓');
      const reason = cutToWidth(why, Math.max(0, room - displayWidth(label)));
      return `${indent}${mark} ${label}${style.red(reason)}  ${style.dim(took)}`;
    },
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

function firstLine(text: string): string {
  const bare = text.replace(/<\/?tool_use_error>/g, '').trim();
  return oneLine(bare.split('\n', 1)[0] ?? '');
}
