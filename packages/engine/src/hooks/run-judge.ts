/** Hooks that put a question to a model: `{"ok": true}` lets the event go on, `{"ok": false}` blocks it. */

import { readJsonObject } from '@turnwright/base/bounded-json.ts';
import type { HookEvent } from '../protocol/tools/hook.ts';
import type { HookOutput } from '../protocol/tools/hook-callback.ts';
import type { JudgingHookConfig } from '../protocol/tools/hook-config.ts';
import { excerpt } from './read-text.ts';
import type { HookKindRunner } from './registered-hook.ts';

export interface JudgeQuestion {
  /** `agent`: it may read files before it answers. */
  readonly type: JudgingHookConfig['type'];
  readonly event: HookEvent;
  readonly text: string;
  readonly model?: string | undefined;
  readonly signal: AbortSignal;
}

/** Resolves with what the model said last. Rejects with a sentence when it could not be asked. */
export type AskJudge = (question: JudgeQuestion) => Promise<string>;

export function runJudge(config: JudgingHookConfig, ask: AskJudge): HookKindRunner {
  const { type, prompt, model } = config;
  return async (input, { signal, said }) => {
    const event = input.hook_event_name;
    const text = await ask({ type, event, text: filled(prompt, JSON.stringify(input)), model, signal });
    said.stdout = text;
    const verdict = readVerdict(text);
    return verdict === undefined
      ? { kind: 'failed', problem: `its model did not answer {"ok": …, "reason": …}: ${excerpt(text)}` }
      : { kind: 'answer', answer: toHookOutput(verdict, event, config) };
  };
}

/** A function, because `$&` in the event would mean something else as a replacement text. */
function filled(prompt: string, event: string): string {
  return prompt.includes('$ARGUMENTS')
    ? prompt.replaceAll('$ARGUMENTS', () => event)
    : `${prompt}\n\nARGUMENTS: ${event}`;
}

interface Verdict {
  readonly ok: boolean;
  readonly reason: string;
  /** Nothing that the model does can meet the condition. */
  readonly impossible: boolean;
}

/** Alone, or in one fence. */
export function readVerdict(text: string): Verdict | undefined {
  const [, fenced] = /^```(?:json)?\s*\n([\s\S]*?)\n```$/.exec(text.trim()) ?? [];
  const held = readJsonObject(fenced ?? text.trim());
  if (typeof held?.['ok'] !== 'boolean') return undefined;
  const { ok, reason, impossible } = held;
  return { ok, reason: typeof reason === 'string' ? reason : '', impossible: impossible === true };
}

/** Events where what blocks sends the model back to work. */
const SENDS_BACK: ReadonlySet<HookEvent> = new Set<HookEvent>(['Stop', 'SubagentStop']);

function toHookOutput(
  { ok, reason, impossible }: Verdict,
  event: HookEvent,
  config: JudgingHookConfig,
): HookOutput {
  if (ok) return {};
  if (SENDS_BACK.has(event) && impossible)
    return { systemMessage: `The condition cannot be met: ${reason || config.prompt}` };
  const block = { decision: 'block' as const, reason };
  if (config.type === 'agent' || SENDS_BACK.has(event) || config.continueOnBlock === true) return block;
  return { ...block, continue: false, ...(reason !== '' && { stopReason: reason }) };
}
