/** Why something happened, in plain words: `explain`, the inspector's page and its exports say these. */
import type { CacheBreak, CacheBreakKind } from '../../protocol/model/cache.ts';
import type { DecisionRecord } from '../../protocol/session/decision-record.ts';
import { describeTerminal, type TerminalReason } from '../../protocol/session/terminal.ts';
import type { Told } from '../../protocol/session/told.ts';
import type { TransitionReason } from '../../protocol/session/transition.ts';
import type { JudgeVerdict } from '../../protocol/tools/auto-mode.ts';
import type { GateReasonType } from '../../protocol/tools/permission.ts';
import type { ToolTrace } from '../../protocol/tools/tool-call.ts';

export const CUT_OFF = 'Cut off here: the process ended before this iteration was decided.';

/** What is known of an end besides the decision's record. */
export interface ToldEnd {
  /** Of the last model call. */
  readonly failure?: { readonly status?: number; readonly message: string } | undefined;
  /** As the result names it: what the run was allowed to spend. */
  readonly limitUsd?: number | undefined;
}

/** The failure of an iteration's last model call. */
export function failureIn(told: Told | undefined): ToldEnd['failure'] {
  return told?.calls?.findLast(({ failure }) => failure !== undefined)?.failure;
}

/** The spending limit that a result says was reached. */
export function limitIn(result: unknown): number | undefined {
  const { errors } = (result ?? {}) as { readonly errors?: unknown };
  const limit = Array.isArray(errors)
    ? /maximum budget \(\$([\d.e-]+)\)/.exec(errors.join('\n'))?.[1]
    : undefined;
  return limit === undefined ? undefined : Number(limit);
}

/** Why an iteration ended as it did. */
export function sayDecision(record: DecisionRecord, told: ToldEnd = {}): string {
  const { decision } = record;
  switch (decision?.kind) {
    case undefined:
      return CUT_OFF;
    case 'park':
      return decision.sentence.replace(/^Parked: the next run waits/, 'Waits');
    case 'continue':
      return `${sayContinue(decision.transition, record, attemptIn(decision.sentence))}${sayChecks(record)}`;
    case 'stop':
      return `${sayStop(decision.terminal, record, told)}${sayChecks(record)}`;
  }
}

/** Completion conditions, each with what proves it or why it does not hold. */
function sayChecks({ checks = [] }: DecisionRecord): string {
  if (checks.length === 0) return '';
  const texts = checks.map(({ kind, name, outcome, why, by, toolUseId }) => {
    if (outcome !== 'passed') return (why ?? `${kind} ${name} ${outcome}`).replace(/\.$/, '');
    return `${kind} \`${name}\` passed${by === undefined ? '' : ` by the ${by}'s call ${toolUseId}`}`;
  });
  return ` Checked: ${texts.join('; ')}.`;
}

/** Of a bounded recovery. */
function attemptIn(sentence: string): string {
  const attempt = /, attempt (\d+)\)/.exec(sentence)?.[1];
  return attempt === undefined ? '' : ` (attempt ${attempt})`;
}

function sayContinue(transition: TransitionReason, record: DecisionRecord, attempt: string): string {
  const paused = deciding(record)?.name === 'paused';
  switch (transition) {
    case 'next_turn':
      return sayNextTurn(record);
    case 'collapse_drain_retry':
      return 'The request did not fit the model: older parts were folded, and it was sent again.';
    case 'reactive_compact_retry':
      return deciding(record)?.name === 'media_too_large'
        ? 'An image or document was refused: it was made smaller, and the request was sent again.'
        : 'The request did not fit the model: the conversation was shortened, and it was sent again.';
    case 'max_output_tokens_escalate':
      return 'The answer reached its length limit: it was asked for again with a higher one.';
    case 'max_output_tokens_recovery':
      return paused
        ? `The provider paused the answer: the model was asked to go on${attempt}.`
        : `The answer was cut at its length limit: the model was asked to go on from there${attempt}.`;
    case 'stop_hook_blocking':
      return `The model was done, but a Stop hook or a missing result sent it back to work${attempt}.`;
    case 'token_budget_continuation':
      return 'The token budget was not used up: the model was asked to go on.';
    case 'unusable_answer_retry':
      return `The answer held neither text nor a call: it was asked for again${attempt}.`;
    case 'verify_failed':
      return `The model was done, but what must hold at the end does not: it was sent back to work${attempt}.`;
  }
}

function sayNextTurn({ tools }: DecisionRecord): string {
  if (tools.length === 0) return 'New messages arrived, so the model was asked again.';
  const failed = tools.filter(({ outcome }) => outcome !== 'ok' && outcome !== 'denied').length;
  const denied = tools.filter(({ outcome }) => outcome === 'denied').length;
  const notes = [
    failed > 0 &&
      (failed === tools.length ? (failed === 1 ? 'it failed' : 'all failed') : `${failed} failed`),
    denied > 0 && (denied === tools.length ? 'not allowed' : `${denied} not allowed`),
  ].filter((note) => note !== false);
  const note = notes.length === 0 ? '' : ` (${notes.join(', ')})`;
  const [first] = tools;
  const calls =
    tools.length === 1 ? `The call of ${first?.name} was answered` : `${tools.length} calls were answered`;
  return `${calls}${note}, so the model was asked again.`;
}

function sayStop(terminal: TerminalReason, record: DecisionRecord, told: ToldEnd): string {
  const { budgets } = record;
  const rule = deciding(record)?.name;
  switch (terminal) {
    case 'completed':
      if (rule === 'refused') return 'The model refused to answer, which ends the run.';
      if (rule === 'tool_ended_turn') return `${record.tools.at(-1)?.name ?? 'A tool'} ended the turn.`;
      return 'The model gave its answer and asked for no further tool: the task is done.';
    case 'max_turns':
      return budgets.maxTurns === undefined
        ? stopped(terminal)
        : `Stopped: all ${budgets.maxTurns} turns that were allowed are used (--max-turns).`;
    case 'budget_exhausted':
      return `Stopped: the spending limit${told.limitUsd === undefined ? '' : ` of ${sayUsd(told.limitUsd)}`} was reached, after ${sayUsd(budgets.costUsd)} (--max-budget-usd).`;
    case 'api_error':
    case 'model_error':
      return told.failure === undefined ? stopped(terminal) : sayFailure(told.failure);
    default:
      return stopped(terminal);
  }
}

function sayFailure({ status, message }: NonNullable<ToldEnd['failure']>): string {
  // Sentences of ours around what the server said.
  const said = message.replace(/^The API refused the credentials: /, '').replace(/\.$/, '');
  const words = isHidden(said) ? '' : `: ${said}`;
  if (status === undefined) return `Stopped: the model call failed${words}.`;
  const did = status < 500 && status !== 429 ? 'refused the request' : 'failed';
  return `Stopped: the API ${did} (${status})${words}.`;
}

/** What a redaction leaves of a text. */
const isHidden = (text: string): boolean => text === '' || /^[a0x\s.]*$/i.test(text);

const stopped = (terminal: string): string => {
  const meaning = describeTerminal(terminal)?.sentence;
  return `Stopped: ${meaning === undefined || meaning === '' ? terminal.replaceAll('_', ' ') : meaning}.`;
};

/** Of a submission that has a result and no record of its last decision. */
export function sayTerminal(terminal: string | undefined): string {
  if (terminal === 'completed' || terminal === 'success') return 'The task is done.';
  return terminal === undefined ? 'Ended without a request.' : stopped(terminal);
}

/** The rule that did not pass. */
export const deciding = ({ rules }: Pick<DecisionRecord, 'rules'>) =>
  rules.find(({ verdict }) => verdict !== 'pass');

/** What each rule asks, in the order in which the loop asks them. */
export const QUESTIONS: Readonly<Record<string, string>> = {
  aborted: 'Was the run interrupted?',
  unexpected_error: 'Did a part of the loop itself fail?',
  parked: 'Is there something to wait for that takes longer than a run may wait?',
  refused: 'Did the model refuse to answer?',
  prompt_too_long: 'Was the request too long for the model?',
  media_too_large: 'Was an image or document refused?',
  output_cap: 'Was the answer cut at its length limit?',
  paused: 'Did the provider pause the answer?',
  api_error: 'Did the model call fail for good?',
  unusable_answer: 'Was the answer without text and without a call?',
  stop_hooks: 'Does a Stop hook, or a missing result, keep the run going?',
  token_budget: 'Is there a token budget that is not used up?',
  hook_stopped: 'Did a hook end the run?',
  verify: 'Does something that must hold at the end not hold?',
  tool_ended_turn: 'Did a tool end the turn?',
  turn_limit: 'Are all turns that were allowed used?',
};

const CHANGED: Readonly<Record<CacheBreakKind, string>> = {
  model: 'another model was asked',
  settings: 'settings of the request changed',
  system: 'the system prompt changed',
  tools: 'the list of tools changed',
  user_context: 'the context before the conversation changed',
  message_changed: 'an earlier message changed',
  message_removed: 'an earlier message was removed',
  message_inserted: 'a message was inserted before others',
  expired: 'the entry had expired',
  unexplained: 'the request was unchanged, but the provider did not find it',
};

export function sayCacheBreak({ kind, tokens, usd: price, why }: CacheBreak): string {
  const cost = price === undefined ? '' : `, which cost ${sayUsd(price)}`;
  const about = Object.hasOwn(CHANGED, kind) ? CHANGED[kind] : kind.replaceAll('_', ' ');
  const detail = isHidden(why) ? '' : ` ${why}`;
  return `The cache broke, because ${about}: ${sayCount(tokens)} tokens were read again${cost}.${detail}`;
}

const STEPS: Readonly<Record<string, string>> = {
  autocompact: 'The conversation was summarised, as the context was nearly full',
  microcompact: 'Old tool results were cleared',
  snip: 'Parts that were marked as no longer needed were removed',
  'context-collapse': 'Older parts were folded',
  'media-budget': 'Images were left out',
  'tool-result-budget': 'Large results were shortened',
};

/** undefined: a step that people need not hear of. */
export function sayStep(step: string, before: number, after: number): string | undefined {
  if (!Object.hasOwn(STEPS, step) || before <= after) return undefined;
  const did = STEPS[step];
  return `${did}: ${sayCount(before)} → ${sayCount(after)} tokens, ${sayCount(before - after)} freed.`;
}

const OUTCOMES: Readonly<Record<string, string>> = {
  overloaded: 'the model was overloaded',
  rate_limited: 'the rate limit was reached',
  server_error: 'the server failed',
  timeout: 'no answer began in time',
  connection: 'the server could not be reached',
  cut: 'the answer broke off',
  stalled: 'nothing more arrived',
  stream_error: 'the provider reported an error in the answer',
  prompt_too_long: 'the request was too long',
  aborted: 'it was interrupted',
};

export function sayAttempts(
  failed: readonly { readonly outcome: string; readonly status?: number }[],
): string {
  const kinds = new Map<string, number>();
  for (const { outcome, status } of failed) {
    const words = Object.hasOwn(OUTCOMES, outcome) ? OUTCOMES[outcome] : outcome.replaceAll('_', ' ');
    const said = `${words}${status === undefined ? '' : ` (${status})`}`;
    kinds.set(said, (kinds.get(said) ?? 0) + 1);
  }
  const causes = [...kinds].map(([words, n]) => (n === 1 ? words : `${words}, ${n} times`)).join('; ');
  return `Asked again, because ${causes}.`;
}

const DECIDED: Readonly<Record<GateReasonType, string>> = {
  rule: 'a rule',
  mode: 'the permission mode',
  hook: 'a hook',
  permissionPromptTool: 'the permission tool of the host',
  workingDir: 'the folders that may be used',
  safetyCheck: 'the check of protected places',
  asyncAgent: 'questions being switched off for this agent',
  sandboxOverride: 'the call asking to leave the sandbox',
  classifier: 'the judge of the mode auto',
  other: 'another reason',
  host: 'the answer',
  headless: 'there being no one to ask',
  unanswered: 'a question without an answer',
  tool: 'the tool itself',
};

type Permission = NonNullable<ToolTrace['permission']>;

/** Where a rule is written. */
const WRITTEN: Readonly<Record<string, string>> = {
  userSettings: 'in the settings of the user',
  projectSettings: 'in the project settings (.claude/settings.json)',
  localSettings: 'in the local settings (.claude/settings.local.json)',
  flagSettings: 'in the settings given to this run (--settings)',
  policySettings: 'in the settings of the organisation',
  session: 'made in this session',
  cliArg: 'given on the command line',
  command: 'of a command',
};

function sayRule({ rule, ruleSource: from }: Pick<Permission, 'rule' | 'ruleSource'>, kind = ''): string {
  const where = from === undefined ? '' : ` ${Object.hasOwn(WRITTEN, from) ? WRITTEN[from] : `of ${from}`}`;
  return `the ${kind}rule ${rule}${where}`;
}

/** No question was put to a person or host. */
const UNASKED: ReadonlySet<GateReasonType> = new Set(['headless', 'asyncAgent', 'hook', 'classifier']);

/** ms that a person or host was asked for. */
export function askedFor({ source, askedMs }: Pick<Permission, 'source' | 'askedMs'>): number | undefined {
  return UNASKED.has(source) ? undefined : askedMs;
}

/** What decided about a call, and why it was asked about. `answer`: the result that a denial gave. */
export function sayPermission(permission: Permission, answer = ''): string {
  const { verdict, source, rule, ruled, hook, judge } = permission;
  const asked = askedFor(permission);
  const kind = verdict === 'deny' && source === 'rule' ? 'deny ' : '';
  const [, event, reason] = /^(\w+)(?::\S+)? hook error: (.*)$/s.exec(answer.trim()) ?? [];
  const hooks = event === undefined ? DECIDED.hook : `the ${event} hook`;
  const by = rule !== undefined ? sayRule(permission, kind) : source === 'hook' ? hooks : DECIDED[source];
  const result = verdict === 'allow' ? 'Allowed' : verdict === 'deny' ? 'Not allowed' : 'Asked';
  const waited = asked === undefined ? '' : ` after ${sayDuration(asked)}`;
  const first =
    ruled === undefined
      ? ''
      : ruled.source === 'other' && ruled.verdict === 'ask'
        ? ' It needed approval.'
        : ` Before that, ${ruled.rule === undefined ? DECIDED[ruled.source] : sayRule(ruled)} said ${ruled.verdict}.`;
  const judged = judge === undefined ? '' : ` ${sayJudge(judge)}`;
  if (source === 'headless') return `${result}, as there was no one to ask.${first}${judged}`;
  if (reason !== undefined) return `${result} by ${by}: ${reason.replace(/\.$/, '')}.${first}`;
  const hooked = hook === undefined ? '' : ` A PreToolUse hook said ${hook}.`;
  return `${result} by ${by}${waited}.${first}${hooked}${judged}`;
}

const NO_ANSWER: ReadonlySet<JudgeVerdict['why']> = new Set(['slow', 'away', 'unclear']);

/** What the judge of mode `auto` said, or why it did not. Records may hold any text. */
function sayJudge({ verdict, why, reason, model, ms, costUsd }: JudgeVerdict): string {
  const said = String(reason).replace(/\.$/, '');
  if (why === 'bound') return `The mode auto leaves it to a person: ${said}.`;
  if (why === 'limit') return `The judge was not asked: ${said}.`;
  const cost = costUsd === undefined || ms === undefined ? '' : ` (${sayDuration(ms)}, ${sayUsd(costUsd)})`;
  if (NO_ANSWER.has(why)) return `The judge ${model}${cost} decided nothing: ${said}.`;
  return `The judge ${model}${cost} ${verdict === 'allow' ? 'allowed it' : 'handed it on'}: ${said}.`;
}

export const sayUsd = (value: number): string =>
  `$${value !== 0 && value < 1 ? value.toFixed(4) : value.toFixed(2)}`;

/** `12.4k` */
export function sayCount(value: number): string {
  if (value < 1000) return `${value}`;
  return value < 999_950 ? `${(value / 1000).toFixed(1)}k` : `${(value / 1e6).toFixed(2)}M`;
}

export function sayDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return seconds < 3600
    ? `${Math.floor(seconds / 60)} min ${seconds % 60} s`
    : `${Math.floor(seconds / 3600)} h ${Math.round((seconds % 3600) / 60)} min`;
}
