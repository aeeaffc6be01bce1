/** Reads the output of a command, a response or an MCP tool as a hook's answer. */
import type { HookEvent } from '../protocol/tools/hook.ts';
import type { HookRun } from './registered-hook.ts';

/** Maximum characters of plain text that reach the model or the user. */
const MAX_TEXT = 10_000;

/** Events for which plain output is context for the model. */
const PLAIN_TEXT_IS_CONTEXT: ReadonlySet<HookEvent> = new Set<HookEvent>([
  'SessionStart',
  'UserPromptSubmit',
  'UserPromptExpansion',
  'PreCompact',
]);

/**
 * A JSON object is an answer; text that begins like one but is invalid is an error; other text is context, or
 * ignored.
 */
export function readText(text: string, event: HookEvent, complete: boolean): HookRun {
  const trimmed = text.trim();
  if (trimmed.startsWith('{')) {
    if (!complete) return { kind: 'failed', problem: 'its answer is too long to be read.' };
    const answer = parse(trimmed);
    return answer === undefined
      ? { kind: 'failed', problem: `its answer is not JSON: ${excerpt(trimmed)}` }
      : { kind: 'answer', answer };
  }
  if (trimmed === '' || !PLAIN_TEXT_IS_CONTEXT.has(event)) return { kind: 'answer', answer: {} };
  return {
    kind: 'answer',
    answer: { hookSpecificOutput: { hookEventName: event, additionalContext: bounded(trimmed) } },
  };
}

/**
 * `{"async": true}` alone on the first line: the hook continues in the background. `undefined`: it does not.
 */
export function detaches(stdout: string): { readonly timeoutMs: number | undefined } | undefined {
  const end = stdout.indexOf('\n');
  if (end < 0 || !stdout.trimStart().startsWith('{')) return undefined;
  const first = parse(stdout.slice(0, end).trim());
  if (typeof first !== 'object' || first === null || !('async' in first) || first.async !== true)
    return undefined;
  const timeoutMs = 'asyncTimeout' in first ? first.asyncTimeout : undefined;
  return { timeoutMs: typeof timeoutMs === 'number' && timeoutMs > 0 ? timeoutMs : undefined };
}

export function bounded(text: string): string {
  if (text.length <= MAX_TEXT) return text;
  return `${text.slice(0, MAX_TEXT)}\n… (${text.length - MAX_TEXT} characters left out)`;
}

export function excerpt(text: string): string {
  return JSON.stringify(text.length <= 200 ? text : `${text.slice(0, 200)}…`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
