/**
 * The one gate that every call passes (L5): find the tool, validate, the tool's own check, PreToolUse hooks,
 * permission, record the intent, run, PostToolUse hooks. It returns a value; the executor makes the result.
 */

import type { Writable } from '@turnwright/base/collections/writable.ts';
import { isRecord } from '@turnwright/base/json-values.ts';
import type { Life } from '../../protocol/life.ts';
import type { Clock } from '../../protocol/ports.ts';
import { CallParked } from '../../protocol/session/parking.ts';
import { toolsOfFamily } from '../../protocol/tools/builtin-tools.ts';
import type { GatePorts, WatchedCall } from '../../protocol/tools/gate-ports.ts';
import type { CalledTool, HookCall } from '../../protocol/tools/hook.ts';
import type {
  AnyTool,
  EffectClass,
  ToolContext,
  ToolOutput,
  ToolProgress,
  ToolResultContent,
} from '../../protocol/tools/tool.ts';
import type { AbortWhy, ToolCall } from '../../protocol/tools/tool-call.ts';
import { withHeartbeat } from '../heartbeat.ts';
import { boundedErrorText, type CallNotes, type CallOutcome, withSentence } from '../outcome.ts';
import { checkInput, permit } from './authorize-call.ts';
import { describeCalledTool, outwardInput } from './outward-input.ts';
import { isConcurrencySafe, type PreparedCall } from './prepared-call.ts';

interface GateCall {
  readonly call: ToolCall;
  readonly prepared: PreparedCall;
  /** Created when the call's turn comes. */
  readonly context: ToolContext;
  /** Lifetime of this call: its context's signal is aborted with it. */
  readonly life: Pick<Life, 'aborted' | 'onAbort'>;
  readonly notes: CallNotes;
  /**
   * Settles when the consumer has taken the call's block: outward steps wait for it (L4.1). Rejects on abort.
   */
  delivered(): Promise<void>;
  /**
   * Settles when the call may run with this input: a rewritten one may have to run alone. undefined:
   * immediately. Rejects on abort.
   */
  mayRun(tool: AnyTool, input: unknown): Promise<void> | undefined;
  onProgress(progress: ToolProgress): void;
  /** Why the call's signal was aborted; called only when it was. */
  abortedBy(): AbortWhy;
}

/** Never rejects. */
export async function passGate(call: GateCall, ports: GatePorts, clock: Clock): Promise<CallOutcome> {
  const { spans } = ports;
  try {
    const outcome = await (spans === undefined
      ? pass(call, ports, clock)
      : spans.around(call.call.block, () => pass(call, ports, clock)));
    const { lostFolder } = call.context;
    return lostFolder === undefined ? outcome : withSentence(outcome, lostFolder);
  } catch (error) {
    if (call.life.aborted) return aborted(call);
    return { kind: 'threw', text: boundedErrorText(error) };
  }
}

async function pass(call: GateCall, ports: GatePorts, clock: Clock): Promise<CallOutcome> {
  const { prepared, context, notes } = call;
  if (prepared.kind === 'refused') return prepared.outcome;
  const { tool } = prepared;

  const refusal =
    tool.validateInput === undefined ? undefined : await checkInput(tool, prepared.input, context);
  if (refusal !== undefined) return refusal;
  const repeated = ports.repeats?.refusal(tool.name, prepared.input);
  if (repeated !== undefined) return { kind: 'refused', why: 'failed_validation', text: repeated };

  const permitting = permit({
    tool,
    raw: call.call.block.input,
    input: prepared.input,
    context,
    notes,
    ports,
    clock,
    isAnswered: ports.isAnswered?.(context.toolUseId) === true,
    delivered: call.delivered,
  });
  const permission = permitting instanceof Promise ? await permitting : permitting;
  if (call.life.aborted) return aborted(call);
  if (permission.kind === 'stop') return permission.outcome;
  const { raw, input } = permission;

  const waiting = call.mayRun(tool, input);
  if (waiting !== undefined) await waiting;
  try {
    const rewritten = raw !== call.call.block.input;
    const recording = ports.recordIntent(call.call, effectClassOf(tool, input), ...(rewritten ? [raw] : []));
    if (recording !== undefined) await recording;
  } catch (error) {
    return {
      kind: 'refused',
      why: 'not_recorded',
      text: `${tool.name} did not run, because its call could not be recorded: ${boundedErrorText(error)}`,
    };
  }
  if (call.life.aborted) return aborted(call);

  const startedMs = clock.monotonicMs();
  notes.startedMs = startedMs;
  (context as Writable<ToolContext>).judged = notes.judged;
  const ended = ports.effects?.()?.begin(watchedCall(call, tool, input));
  const outcome = await run(call, tool, input, clock);
  ended?.(outcome.kind === 'returned' ? outcome.output : undefined);
  if (outcome.kind === 'parked') return outcome;
  const keeping = ports.hasRun?.(context.toolUseId);
  if (keeping !== undefined) await keeping;
  if (outcome.kind === 'returned') {
    const nudge = ports.repeats?.note(tool.name, input, outcome.output, changesNothing(tool, input));
    if (nudge !== undefined) notes.hookContext.push(nudge);
  }
  // Usually no hook listens.
  if (!ports.hooks.has(eventAfter(outcome))) return outcome;
  const about = {
    ...describeCalledTool(tool),
    tool_use_id: context.toolUseId,
    duration_ms: clock.monotonicMs() - startedMs,
  };
  return afterRun(call, ports, { tool, outcome }, () => ({
    ...about,
    tool_input: outwardInput(tool, raw, context),
  }));
}

/** What becomes of a call that runs. */
type RunOutcome = Exclude<CallOutcome, { kind: 'refused' | 'denied' }>;
type EndedOutcome = Exclude<RunOutcome, { kind: 'parked' }>;

function effectClassOf(tool: AnyTool, input: unknown): EffectClass {
  try {
    return tool.effectClass?.(input) ?? 'unsafe';
  } catch {
    return 'unsafe';
  }
}

function changesNothing(tool: AnyTool, input: unknown): boolean {
  try {
    return tool.isReadOnly?.(input) === true;
  } catch {
    return false;
  }
}

/** A server's word that its tool only reads proves nothing; a command only reads where that is seen. */
function watchedCall({ context }: GateCall, tool: AnyTool, input: unknown): WatchedCall {
  const reads = COMMANDS.includes(tool.name)
    ? isConcurrencySafe(tool, input)
    : !tool.name.startsWith('mcp__') && changesNothing(tool, input);
  return {
    toolUseId: context.toolUseId,
    toolName: tool.name,
    input,
    isAtHome: context.root === undefined || context.cwd === context.root,
    changesNothing: reads,
    agentId: context.agentId,
  };
}

const COMMANDS = toolsOfFamily('command');

async function run(call: GateCall, tool: AnyTool, input: unknown, clock: Clock): Promise<RunOutcome> {
  const { life } = call;
  try {
    const output = await withHeartbeat(
      (onProgress) => runTool(tool, input, call.context, onProgress),
      call.onProgress,
      { clock, life },
    );
    // A call that succeeded in spite of an abort has succeeded (F02).
    return life.aborted && output.isError === true
      ? aborted(call, plainText(output))
      : { kind: 'returned', output };
  } catch (error) {
    if (life.aborted) return aborted(call);
    return error instanceof CallParked
      ? { kind: 'parked', wait: error.wait }
      : { kind: 'threw', text: boundedErrorText(error) };
  }
}

const succeeded = (outcome: CallOutcome): boolean =>
  outcome.kind === 'returned' && outcome.output.isError !== true;

const eventAfter = (outcome: CallOutcome): 'PostToolUse' | 'PostToolUseFailure' =>
  succeeded(outcome) ? 'PostToolUse' : 'PostToolUseFailure';

/** Tells the hooks, which may change the outcome. */
async function afterRun(
  call: GateCall,
  ports: GatePorts,
  { tool, outcome }: { readonly tool: AnyTool; readonly outcome: EndedOutcome },
  about: () => CalledTool & { tool_use_id: string; tool_input: unknown; duration_ms: number },
): Promise<CallOutcome> {
  const { context, notes } = call;
  // Hooks receive the failure of an aborted call even if its block is never taken.
  if (!call.life.aborted) await call.delivered().catch(() => {});
  const hookCall: HookCall =
    outcome.kind === 'returned' && succeeded(outcome)
      ? { event: 'PostToolUse', ...about(), tool_response: outcome.output.data }
      : {
          event: 'PostToolUseFailure',
          ...about(),
          error: failureText(outcome),
          is_interrupt: outcome.kind === 'aborted',
        };
  const { said } = notes;
  const verdict = await ports.hooks.run(hookCall, {
    signal: context.signal,
    toolUseId: context.toolUseId,
    ...(said !== undefined && !call.life.aborted && { say: (body) => said.push(body) }),
  });
  notes.hookContext.push(...verdict.additionalContext, ...verdict.blockingErrors);
  if (verdict.preventContinuation !== undefined) notes.preventContinuation = verdict.preventContinuation;
  if (verdict.updatedOutput === undefined || outcome.kind !== 'returned') return outcome;
  return { kind: 'returned', output: rewritten(outcome.output, verdict.updatedOutput, tool) };
}

/**
 * A hook's output instead of the tool's: text and content blocks unchanged, else as the tool would show it,
 * or as JSON.
 */
function rewritten(output: ToolOutput, by: unknown, tool: AnyTool): ToolOutput {
  const blocks = Array.isArray(by) && by.every((block) => typeof block?.type === 'string');
  const content = typeof by === 'string' || blocks ? by : (rendered(tool, by) ?? toText(by));
  return { ...output, data: by, content };
}

function rendered(tool: AnyTool, data: unknown): ToolResultContent | undefined {
  try {
    return tool.renderOutput?.(data);
  } catch {
    return undefined;
  }
}

function failureText(outcome: EndedOutcome): string {
  switch (outcome.kind) {
    case 'returned':
      return plainText(outcome.output) ?? '';
    case 'threw':
      return outcome.text;
    case 'aborted':
      return outcome.partial ?? 'The call was interrupted.';
  }
}

function plainText({ content }: ToolOutput): string | undefined {
  const text =
    typeof content === 'string'
      ? content
      : content.flatMap((b) => (b.type === 'text' ? [b.text] : [])).join('\n');
  return text.trim() === '' ? undefined : text;
}

function aborted(call: GateCall, partial?: string): EndedOutcome {
  return {
    kind: 'aborted',
    why: call.abortedBy(),
    started: call.notes.startedMs !== undefined,
    ...(partial !== undefined && { partial }),
  };
}

/** Runs a tool to its end and reports progress. Rejects with what the tool threw. */
export async function runTool(
  tool: AnyTool,
  input: unknown,
  context: ToolContext,
  onProgress: (progress: ToolProgress) => void,
): Promise<ToolOutput> {
  const running = tool.run(input, context) as unknown;
  if (!isGenerator(running)) return asOutput(await running);
  while (true) {
    const step = await running.next();
    if (step.done) return asOutput(step.value);
    onProgress(step.value);
  }
}

function isGenerator(value: unknown): value is AsyncGenerator<ToolProgress, unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}

/** An untyped tool may return anything (F83): a bare value becomes text. */
function asOutput(value: unknown): ToolOutput {
  if (isRecord(value) && (typeof value['content'] === 'string' || Array.isArray(value['content']))) {
    return value as unknown as ToolOutput;
  }
  return {
    data: value,
    content: value === undefined || value === null ? '' : typeof value === 'string' ? value : toText(value),
  };
}

function toText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return String(value);
  }
}
