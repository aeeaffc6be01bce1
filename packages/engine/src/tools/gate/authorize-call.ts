/** Hooks, permission rules, then the user or host. A changed input is checked and judged again (F93). */

import { andThen } from '@turnwright/base/async/promises.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { Clock } from '../../protocol/ports.ts';
import type { JudgeVerdict } from '../../protocol/tools/auto-mode.ts';
import type { GatePorts, PermissionQuestion } from '../../protocol/tools/gate-ports.ts';
import type { HookVerdict } from '../../protocol/tools/hook.ts';
import type { GateReasonType, GateVerdict } from '../../protocol/tools/permission.ts';
import { formatRule } from '../../protocol/tools/permission.ts';
import type { AnyTool, ToolContext } from '../../protocol/tools/tool.ts';
import { boundedErrorText, type CallNotes, type CallOutcome } from '../outcome.ts';
import { toHookVote, withHookVote } from './hook-vote.ts';
import { beginJudgement, noteRuled, recordedJudgement } from './judgement.ts';
import { describeCalledTool, inputSentBack, outwardInput } from './outward-input.ts';
import { publicReason, toPermissionDecision } from './permission-record.ts';
import { parseInput } from './prepared-call.ts';

interface PermitRequest {
  readonly tool: AnyTool;
  /** As the model wrote it, or as a hook or host rewrote it. */
  readonly raw: JsonObject;
  readonly input: unknown;
  readonly context: ToolContext;
  readonly notes: CallNotes;
  readonly ports: GatePorts;
  readonly clock: Clock;
  /** The question about the call was answered before the call came to it. */
  readonly isAnswered: boolean;
  /** Settles when the consumer has taken the call's block; rejects on abort. */
  delivered(): Promise<void>;
}

type Permit =
  | { readonly kind: 'go'; readonly raw: JsonObject; readonly input: unknown }
  | { readonly kind: 'stop'; readonly outcome: CallOutcome };

type Ask = Extract<GateVerdict, { kind: 'ask' }>;
type Deny = Extract<GateVerdict, { kind: 'deny' }>;
type Settled = Exclude<GateVerdict, Ask>;

/** Synchronous where no hook, path or answer has to be waited for. */
export function permit(request: PermitRequest): Permit | Promise<Permit> {
  if (request.ports.hooks.has('PreToolUse')) return permitAfterHooks(request);
  return andThen(decide(request, request.input), (ruled) => follow(request, request, ruled));
}

async function permitAfterHooks(request: PermitRequest): Promise<Permit> {
  const hooks = await preToolUse(request);
  if (hooks.denied !== undefined) return stop(hooks.denied);
  const afterHooks = await rewrite(request, request, hooks.verdict?.updatedInput);
  if (afterHooks.kind === 'stop') return afterHooks;
  return follow(
    request,
    afterHooks,
    withHookVote(await decide(request, afterHooks.input, hooks.verdict), hooks.verdict),
  );
}

interface Input {
  readonly raw: JsonObject;
  readonly input: unknown;
}

function follow(request: PermitRequest, at: Input, ruled: GateVerdict): Permit | Promise<Permit> {
  if (ruled.kind === 'ask') return askFirst(request, at, ruled);
  if (ruled.kind === 'allow' && request.isAnswered) return askFirst(request, at, ANSWERED_BEFORE);
  return settle(request, at, ruled);
}

/** No question would be asked now, but an answer is known: it decides about the call and its input. */
const ANSWERED_BEFORE: Ask = {
  kind: 'ask',
  reasonType: 'other',
  message: 'The question about this call was answered already.',
};

async function askFirst(request: PermitRequest, at: Input, ruled: Ask): Promise<Permit> {
  const asked = await ask(request, at, ruled);
  const settled = await settle(request, at, asked);
  if (settled.kind === 'stop' || settled.raw === at.raw) return settled;
  // A host's approval covers what it saw; deny rules apply to what it wrote instead.
  const again = await decide(request, settled.input);
  return again.kind === 'deny' ? settle(request, settled, again) : settled;
}

const go = ({ raw, input }: Input) => ({ kind: 'go', raw, input }) as const;

const stop = (outcome: CallOutcome): Permit => ({ kind: 'stop', outcome });

/** The current input, or the one that replaces it. */
function rewrite(
  request: PermitRequest,
  at: Input,
  sentBack: JsonObject | undefined,
): Permit | Promise<Permit> {
  return sentBack === undefined ? go(at) : replaced(request, at, sentBack);
}

/** Parses and checks a returned input. Most observers return what they received. */
async function replaced(request: PermitRequest, at: Input, sentBack: JsonObject): Promise<Permit> {
  const raw = inputSentBack(request.tool, at.raw, sentBack, request.context);
  if (JSON.stringify(raw) === JSON.stringify(at.raw)) return go(at);
  const parsed = await parseInput(request.tool, raw);
  if (!parsed.ok) return stop({ kind: 'refused', why: 'invalid', text: parsed.text });
  const refusal = await checkInput(request.tool, parsed.input, request.context);
  return refusal === undefined ? { kind: 'go', raw, input: parsed.input } : stop(refusal);
}

/** The tool's own check beyond the schema. */
export async function checkInput(
  tool: AnyTool,
  input: unknown,
  context: ToolContext,
): Promise<CallOutcome | undefined> {
  try {
    const checked = await tool.validateInput?.(input, context);
    return checked === undefined || checked.ok
      ? undefined
      : { kind: 'refused', why: 'failed_validation', text: checked.message };
  } catch (error) {
    return { kind: 'threw', text: boundedErrorText(error) };
  }
}

async function preToolUse(
  request: PermitRequest,
): Promise<{ readonly verdict?: HookVerdict; readonly denied?: CallOutcome }> {
  const { tool, ports, context, notes } = request;
  await request.delivered();
  const verdict = await ports.hooks.run(
    {
      event: 'PreToolUse',
      ...describeCalledTool(tool),
      tool_input: outwardInput(tool, request.raw, context),
      tool_use_id: context.toolUseId,
    },
    { signal: context.signal, toolUseId: context.toolUseId },
  );
  notes.hookContext.push(...verdict.additionalContext);
  if (verdict.preventContinuation !== undefined) notes.preventContinuation = verdict.preventContinuation;
  const reason =
    verdict.permission === 'deny'
      ? (verdict.reason ?? verdict.blockingErrors[0] ?? 'the call was denied')
      : (verdict.blockingErrors[0] ?? verdict.preventContinuation?.stopReason);
  if (reason === undefined) return { verdict };
  notes.permission = { verdict: 'deny', source: 'hook' };
  notes.decision = { decision: 'reject', source: 'hook', reason_type: 'hook' };
  return { verdict, denied: denial(request, `PreToolUse:${tool.name} hook error: ${reason}`) };
}

/** Deny beats ask beats allow; a rule that cannot be evaluated denies. */
function decide(request: PermitRequest, input: unknown, hook?: HookVerdict) {
  const undecided = (error: unknown): GateVerdict => ({
    kind: 'deny',
    reasonType: 'other',
    message: `Permission for ${request.tool.name} could not be decided: ${boundedErrorText(error)}`,
  });
  try {
    const asked = { ...question(request, input), ...toHookVote(hook) };
    beginJudgement(request, asked, hook?.permission);
    const verdict = request.ports.permissions.decide(asked);
    return verdict instanceof Promise
      ? verdict.then((known) => withPlaces(request, known), undecided)
      : withPlaces(request, verdict);
  } catch (error) {
    return undecided(error);
  }
}

function withPlaces({ notes }: PermitRequest, verdict: GateVerdict): GateVerdict {
  noteRuled(notes, verdict);
  if (verdict.kind === 'allow' || verdict.kind === 'ask') {
    if (verdict.judged !== undefined) notes.judged = verdict.judged;
    else delete notes.judged;
  }
  return verdict;
}

async function ask(request: PermitRequest, at: { raw: JsonObject }, why: Ask): Promise<Settled> {
  const { tool, ports, context, clock } = request;
  await request.delivered();
  const askedAt = clock.monotonicMs();
  const asked = { reasonType: publicReason(why.reasonType), message: why.message };
  request.notes.asked = asked;
  try {
    const answer = await ports.ask(
      {
        ...question(request, outwardInput(tool, at.raw, context)),
        ...asked,
        ...(why.matched !== undefined && { matched: why.matched }),
        ...(why.suggestions !== undefined && { suggestions: why.suggestions }),
        ...(why.blockedPath !== undefined && { blockedPath: why.blockedPath }),
        ...(why.hook !== undefined && { hook: why.hook }),
      },
      context.signal,
    );
    if (answer.behavior !== 'pending') request.notes.answer = answer.decisionClassification;
    if (answer.judge !== undefined) noteJudged(request.notes, answer.judge);
    switch (answer.behavior) {
      case 'allow':
        return {
          kind: 'allow',
          reasonType: answer.answeredBy ?? 'host',
          ...(answer.updatedInput !== undefined && { updatedInput: answer.updatedInput }),
        };
      case 'deny':
        return {
          kind: 'deny',
          reasonType: answer.answeredBy ?? 'host',
          message: answer.message,
          ...(answer.interrupt !== undefined && { interrupt: answer.interrupt }),
        };
      case 'pending':
        return { kind: 'pending', askId: answer.askId };
    }
  } catch (error) {
    // A host that fails has not approved (F90).
    return {
      kind: 'deny',
      reasonType: 'unanswered',
      message: `Asking for permission to use ${tool.name} failed: ${boundedErrorText(error)}`,
    };
  } finally {
    request.notes.permission = {
      verdict: 'ask',
      source: 'host',
      askedMs: clock.monotonicMs() - askedAt,
      ...judgedIn(request.notes),
      ...recordedJudgement(request, at.raw),
    };
  }
}

/** Where a model was to decide in the place of a person. What the stream says of a denial says why not. */
function noteJudged(notes: CallNotes, judge: JudgeVerdict): void {
  notes.judge = judge;
  const { asked } = notes;
  if (judge.verdict === 'hand_on' && (asked?.reasonType === 'other' || asked?.reasonType === 'workingDir'))
    notes.asked = { reasonType: 'classifier', message: `${asked.message} ${judge.reason}` };
}

const judgedIn = ({ judge }: CallNotes) => (judge === undefined ? {} : { judge });

/** The call was denied by the answer to a question, not by a rule or mode. */
const ANSWERED: ReadonlySet<GateReasonType> = new Set([
  'host',
  'permissionPromptTool',
  'headless',
  'asyncAgent',
  'unanswered',
  'hook',
]);

function settle(request: PermitRequest, at: Input, verdict: Settled | Deny): Permit | Promise<Permit> {
  const { notes } = request;
  const askedMs = notes.permission?.askedMs;
  const matched = 'matched' in verdict ? verdict.matched : undefined;
  notes.permission = {
    verdict: verdict.kind,
    source: verdict.kind === 'pending' ? 'host' : verdict.reasonType,
    ...(matched !== undefined && { rule: formatRule(matched.value), ruleSource: matched.source }),
    ...(askedMs !== undefined && { askedMs }),
    ...judgedIn(notes),
    ...recordedJudgement(request, at.raw, verdict),
  };
  if (verdict.kind === 'pending') return stop({ kind: 'parked', wait: { on: 'ask', askId: verdict.askId } });
  notes.decision = toPermissionDecision(verdict, notes.answer);
  if (verdict.kind === 'deny') return deny(request, at, verdict);
  if (verdict.note !== undefined) notes.hookContext.push(verdict.note);
  return rewrite(request, at, verdict.updatedInput);
}

async function deny(request: PermitRequest, at: Input, verdict: Deny): Promise<Permit> {
  if (!ANSWERED.has(verdict.reasonType)) await tellDenied(request, at.raw, verdict.message);
  const outcome = denial(request, verdict.message);
  return stop(verdict.interrupt === true ? { ...outcome, interrupt: true } : outcome);
}

function denial({ tool, raw, context }: PermitRequest, text: string) {
  return { kind: 'denied', text, input: outwardInput(tool, raw, context) } as const;
}

async function tellDenied(request: PermitRequest, raw: JsonObject, reason: string): Promise<void> {
  const { tool, ports, context, notes } = request;
  if (!ports.hooks.has('PermissionDenied')) return;
  await request.delivered();
  const verdict = await ports.hooks.run(
    {
      event: 'PermissionDenied',
      ...describeCalledTool(tool),
      tool_input: outwardInput(tool, raw, context),
      tool_use_id: context.toolUseId,
      reason,
    },
    { signal: context.signal, toolUseId: context.toolUseId },
  );
  notes.hookContext.push(...verdict.additionalContext);
  if (verdict.retry === true)
    notes.hookContext.push(`A hook says that the denied ${tool.name} call may be tried again.`);
}

function question(request: PermitRequest, input: unknown): PermissionQuestion {
  const { tool, context } = request;
  return {
    tool,
    input: input as Record<string, unknown>,
    toolUseId: context.toolUseId,
    cwd: context.cwd,
    ...(context.root !== undefined && { root: context.root }),
    ...(context.home !== undefined && { home: context.home }),
    additionalDirectories: context.additionalDirectories,
    ...(context.agentId !== undefined && { agentId: context.agentId }),
    ...(request.isAnswered && { isAnswered: true }),
  };
}
