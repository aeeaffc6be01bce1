/** Reads the output of a command, a response or an MCP tool as a hook's answer. */

import { readJson } from '@turnwright/base/bounded-json.ts';
import { isRecord } from '@turnwright/base/json-values.ts';
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
 * ignored. An answer that refuses is heeded behind other text, too, and text that seems to hold one which
 * cannot be read is an error: a guard that logs a line first must not stand open.
 */
export function readText(text: string, event: HookEvent, complete: boolean): HookRun {
  const trimmed = text.trim();
  if (trimmed.startsWith('{')) {
    if (!complete) return { kind: 'failed', problem: 'its answer is too long to be read.' };
    const answer = readJson(trimmed);
    return answer === undefined
      ? { kind: 'failed', problem: `its answer is not JSON: ${excerpt(trimmed)}` }
      : { kind: 'answer', answer };
  }
  const refusal = refusalIn(trimmed);
  if (refusal !== undefined) return { kind: 'answer', answer: refusal };
  if (seemsToRefuse(trimmed))
    return {
      kind: 'failed',
      problem: `its output seems to refuse, and is not JSON alone: ${excerpt(trimmed)}`,
    };
  if (trimmed === '' || !PLAIN_TEXT_IS_CONTEXT.has(event)) return { kind: 'answer', answer: {} };
  return {
    kind: 'answer',
    answer: { hookSpecificOutput: { hookEventName: event, additionalContext: boundHookText(trimmed) } },
  };
}

/** Words of an answer that refuses, in whatever quotes. */
const REFUSES =
  /\\*["'](?:permissionDecision\\*["']\s*:\s*\\*["'](?:deny|ask)|(?:decision|behavior)\\*["']\s*:\s*\\*["'](?:block|deny)|continue\\*["']\s*:\s*false)\b/i;

export const seemsToRefuse = (text: string): boolean => REFUSES.test(text);

/**
 * The object from a line that begins with `{` to the end, if it refuses. One that allows counts only without
 * other text: that may have come from elsewhere.
 */
export function refusalIn(text: string): Readonly<Record<string, unknown>> | undefined {
  if (!seemsToRefuse(text)) return undefined;
  for (const { index } of text.matchAll(/^[ \t]*\{/gm)) {
    const answer = readJson(text.slice(index).trim());
    if (refuses(answer)) return answer as Readonly<Record<string, unknown>>;
  }
  return undefined;
}

function refuses(answer: unknown): boolean {
  const { decision, hookSpecificOutput: specific, ...held } = toRecord(answer);
  const { permissionDecision, decision: request } = toRecord(specific);
  const { behavior } = toRecord(request);
  const said = [decision, permissionDecision, held['permissionDecision'], behavior];
  return (
    held['continue'] === false || said.some((word) => word === 'block' || word === 'deny' || word === 'ask')
  );
}

const toRecord = (value: unknown): Readonly<Record<string, unknown>> => (isRecord(value) ? value : {});

/**
 * `{"async": true}` alone on the first line: the hook continues in the background. `undefined`: it does not.
 */
export function detaches(stdout: string): { readonly timeoutMs: number | undefined } | undefined {
  const end = stdout.indexOf('\n');
  if (end < 0 || !stdout.trimStart().startsWith('{')) return undefined;
  const first = readJson(stdout.slice(0, end).trim());
  if (typeof first !== 'object' || first === null || !('async' in first) || first.async !== true)
    return undefined;
  const timeoutMs = 'asyncTimeout' in first ? first.asyncTimeout : undefined;
  return { timeoutMs: typeof timeoutMs === 'number' && timeoutMs > 0 ? timeoutMs : undefined };
}

export function boundHookText(text: string): string {
  if (text.length <= MAX_TEXT) return text;
  return `${text.slice(0, MAX_TEXT)}\n… (${text.length - MAX_TEXT} characters left out)`;
}

export function excerpt(text: string): string {
  return JSON.stringify(text.length <= 200 ? text : `${text.slice(0, 200)}…`);
}
