/** What the model, the hooks and the host of a simulation say, each time drawn anew. */
import type { HookCallback, HookCallbackMatcher, HookEvent } from '@turnwright/engine';
import type { CanUseTool } from '@turnwright/engine/protocol/tools/can-use-tool.ts';
import type { Fault } from '../../../packages/testing/src/rehearsal/faults/fault.ts';
import type { RehearsalRequest } from '../../../packages/testing/src/rehearsal/scenario/rehearsal-request.ts';
import {
  type Reply,
  type ScriptedBlock,
  thinking,
  toolUse,
} from '../../../packages/testing/src/rehearsal/scenario/scenario.ts';
import { DEEDS } from '../../properties/obedient-tools.ts';
import type { Choices } from './choices.ts';

export interface Mood {
  /** Share of answers that call tools, that are struck by a fault, and of hooks that interfere. */
  readonly calls: number;
  readonly faults: number;
  readonly hooks: number;
  /** All is well from now on: the run is to come to its end. */
  isCalm: boolean;
  /** So many requests in a row are answered with 529. */
  overloads: number;
  /** So many answers in a row say nothing: what was retracted before them is the last that was said. */
  silences: number;
  /** Thinking may have been altered on its way. */
  isAltered: boolean;
}

/** Said once in each answer, so that it can be found again. */
export const marked = (number: number): string => `mark-${number}-`;

const STREAM_FAULTS = [
  'cut',
  'reset-after-events',
  'reset-before-headers',
  'reset-after-stop',
  'reset-after-bytes',
  'sse-error',
  'truncated-json',
  'invalid-json',
  'duplicate-event',
  'unknown-event',
  'unknown-block',
  'crlf',
  'split-utf8',
  'slow-drip',
  'delta-without-usage',
  'empty-body',
  'html-error-page',
  'wrong-content-type',
  'max-tokens-in-tool-json',
  'empty-response',
  'out-of-order',
  'refusal',
  'pause-turn',
  'stall',
  'stall-before-headers',
] as const;

export function answer(request: RehearsalRequest, choices: Choices, mood: Mood): Reply {
  const words = `${marked(request.number)} ${choices.pick(['Right.', 'Let me see.', 'naïve 🦆 text', 'x'.repeat(300)])}`;
  if (request.kind === 'compaction')
    return mood.isCalm || choices.chance(0.85)
      ? { blocks: [{ type: 'text', text: `<summary>${words}</summary>` }], ...struck(choices, mood) }
      : { blocks: [], ...struck(choices, mood) };
  if (mood.isCalm) return { blocks: [{ type: 'text', text: words }] };
  if (mood.silences > 0) {
    mood.silences--;
    return { blocks: [], stop_reason: choices.pick(['end_turn', null]) };
  }
  const blocks: ScriptedBlock[] = choices.chance(0.15) ? [thinking(`Hmm. ${words}`)] : [];
  if (choices.chance(0.7)) blocks.push({ type: 'text', text: choices.chance(0.05) ? '  \n' : words });
  const canCall = request.tools.includes('Look') && choices.chance(mood.calls);
  for (let left = canCall ? choices.weighted([5, 1], [3, 2], [1, 5]) : 0; left > 0; left--)
    blocks.push(call(request, choices));
  const stop = choices.chance(0.06)
    ? choices.pick(['max_tokens', 'refusal', 'pause_turn', 'stop_sequence', 'tool_use', 'end_turn'])
    : undefined;
  const faulty = struck(choices, mood);
  if (stop !== undefined || faulty.faults !== undefined)
    mood.silences = choices.chance(0.15) ? choices.int(1, 3) : 0;
  return {
    blocks,
    ...(stop !== undefined && { stop_reason: stop }),
    timing: choices.weighted(
      [4, {}],
      [1, { headersMs: choices.int(1, 3_000), ttftMs: choices.int(1, 2_000) }],
      [1, { gapMs: choices.int(1, 200), deltaChars: 16 }],
      [1, { blockPauseMs: choices.int(1, 20_000), pings: 5_000 }],
    ),
    ...faulty,
  };
}

function call({ tools }: RehearsalRequest, choices: Choices): ScriptedBlock {
  const kind = choices.weighted(
    [8, 'Look'],
    [6, 'Change'],
    [2, 'Keep'],
    [tools.includes('Agent') ? 2 : 0, 'Agent'],
    [1, 'odd'],
  );
  if (kind === 'Agent')
    return toolUse('Agent', {
      description: 'Some work',
      prompt: 'Do some work.',
      ...(choices.chance(0.3) && { run_in_background: true }),
    });
  if (kind === 'odd')
    return choices.pick([
      toolUse('Unknown', { x: 1 }),
      toolUse('Look', {}),
      toolUse('Look', { deed: 'ok' }, 'toolu_same'),
      toolUse('Agent', { description: '' }),
    ]);
  const deed = choices.chance(0.5) ? 'ok' : choices.pick(DEEDS);
  return toolUse(kind, { deed });
}

function struck(choices: Choices, mood: Mood): Pick<Reply, 'faults'> {
  if (mood.isCalm) return {};
  if (mood.overloads > 0) {
    mood.overloads--;
    return { faults: [{ name: 'http-status', status: 529 }] };
  }
  if (!choices.chance(mood.faults)) return {};
  const fault = choices.weighted<() => Fault>(
    [6, () => ({ name: choices.pick(STREAM_FAULTS), after: choices.int(0, 14), size: 500, everyMs: 5 })],
    [1, () => ({ name: 'stall', after: choices.int(0, 8), pingMs: 20_000 })],
    [1, () => ({ name: 'http-status', status: choices.pick([408, 500, 502, 503, 504]) })],
    [
      1,
      () => ({
        name: 'http-status',
        status: 429,
        retryAfter: choices.pick(['0', '1', '30', '3600', '-5', 'soon']),
      }),
    ],
    [1, () => ({ name: 'http-status', status: choices.pick([400, 401, 403, 404, 413]) })],
    [
      1,
      () => ({
        name: 'http-status',
        status: 400,
        message: 'prompt is too long: 210000 tokens > 200000 maximum',
      }),
    ],
    [
      2,
      () => {
        mood.overloads = choices.int(0, 4);
        return { name: 'http-status', status: 529 };
      },
    ],
  )();
  mood.isAltered ||= fault.name === 'out-of-order' || fault.name === 'duplicate-event';
  return { faults: [fault] };
}

export interface HookWorld {
  readonly choices: Choices;
  readonly mood: Mood;
  wait(ms: number, signal: AbortSignal): Promise<void>;
  /** Called with each hook that runs. */
  ran(event: HookEvent, agent: string | undefined): void;
}

const EVENTS: readonly HookEvent[] = [
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'PermissionRequest',
  'UserPromptSubmit',
  'SessionStart',
  'Stop',
  'SubagentStart',
  'SubagentStop',
  'PreCompact',
  'PostCompact',
  'Notification',
];

export function hooks(world: HookWorld): Partial<Record<HookEvent, readonly HookCallbackMatcher[]>> {
  const callback: HookCallback = (input, _, { signal }) => {
    world.ran(input.hook_event_name, input.agent_id);
    return interfere(input.hook_event_name, signal, world);
  };
  return Object.fromEntries(EVENTS.map((event) => [event, [{ hooks: [callback], timeout: 10 }]]));
}

async function interfere(event: HookEvent, signal: AbortSignal, world: HookWorld) {
  const { choices, mood } = world;
  if (mood.isCalm || !choices.chance(mood.hooks)) return {};
  switch (choices.int(0, 7)) {
    case 0:
      throw new Error('thrown by the hook');
    case 1:
      await world.wait(choices.int(1, 60_000), signal);
      return {};
    case 2:
      return { continue: false, stopReason: 'The hook ends it.' };
    case 3:
      return { decision: 'block' as const, reason: 'The hook blocks it.' };
    case 4:
      return { systemMessage: 'The hook says something.' };
    case 5:
      return { hookSpecificOutput: { hookEventName: event, additionalContext: 'The hook adds something.' } };
    case 6:
      return {
        hookSpecificOutput: {
          hookEventName: event,
          permissionDecision: choices.pick(['allow', 'deny', 'ask', 'nonsense']),
          permissionDecisionReason: 'The hook decides.',
          ...(choices.chance(0.3) && { updatedInput: { deed: 'ok' } }),
        },
      };
    default:
      return choices.pick([null, 'text', 7, { unknown: true }]) as never;
  }
}

/** The host is asked. */
export function host({ choices, mood, wait }: HookWorld): CanUseTool {
  return async (_name, input, { signal }) => {
    if (mood.isCalm) return { behavior: 'allow' };
    switch (choices.weighted([5, 'allow'], [2, 'deny'], [1, 'change'], [1, 'wait'], [1, 'odd'])) {
      case 'allow':
        return { behavior: 'allow' };
      case 'deny':
        return { behavior: 'deny', message: 'The host says no.', interrupt: choices.chance(0.3) };
      case 'change':
        return { behavior: 'allow', updatedInput: { ...input, deed: choices.pick(DEEDS) } };
      case 'wait':
        await wait(choices.int(1, 300_000), signal);
        return { behavior: 'allow' };
      default:
        if (choices.chance(0.5)) throw new Error('thrown by the host');
        return choices.pick([null, undefined, {}, { behavior: 'maybe' }]) as never;
    }
  };
}
