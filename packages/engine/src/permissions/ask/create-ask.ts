import { errorText } from '@turnwright/base/text/error-text.ts';
import type { Clock, Ids } from '../../protocol/ports.ts';
import type { ParkingPort } from '../../protocol/session/parking.ts';
import type { CanUseTool, CanUseToolContext } from '../../protocol/tools/can-use-tool.ts';
import type { AskPort } from '../../protocol/tools/gate-ports.ts';
import type {
  DecisionReasonType,
  PermissionResult,
  PermissionUpdate,
} from '../../protocol/tools/permission.ts';
import { formatRule } from '../../protocol/tools/permission.ts';
import { readAnswer } from './read-answer.ts';
import { shownAs } from './shown-question.ts';

export interface AskOptions {
  /** Asks the host. Absent: headless, every question is denied at once (F160). */
  readonly canUseTool?: CanUseTool | undefined;
  /** Takes the place of the message that a headless denial carries. */
  readonly headlessMessage?: string | undefined;
  /** Where the answer's `updatedPermissions` take effect, at once. */
  readonly permissions: { apply(updates: readonly PermissionUpdate[]): void | Promise<void> };
  readonly ids: Ids;
  /** Explains a question on demand. Absent: questions have no explanation. */
  readonly explaining?: ((question: Question) => Explaining) | undefined;
  /** Needed with `timeoutMs`. */
  readonly clock?: Clock | undefined;
  /** How long the host may take, ms. Default: as long as it likes, because a person may be asked. */
  readonly timeoutMs?: number | undefined;
  /** Ends the wait for a recorded question that no answer comes to. Absent: it is waited for. */
  readonly parking?: ParkingPort | undefined;
}

type Question = Parameters<AskPort>[0];
type Pending = Extract<Awaited<ReturnType<AskPort>>, { behavior: 'pending' }>;
type Explaining = Required<Pick<CanUseToolContext, 'explain' | 'checkRule'>>;

/**
 * Asks the host. Never throws: if the callback throws, gives no valid answer, or is too late, the call is
 * denied with the reason (F90); an abort withdraws the question. A denial carries the host's message exactly.
 */
export function createAsk(options: AskOptions): AskPort {
  const { canUseTool, ids, permissions } = options;
  return async (question, signal) => {
    if (canUseTool === undefined)
      return {
        behavior: 'deny',
        message: options.headlessMessage ?? headlessMessage(question),
        answeredBy: 'headless',
      };
    if (signal.aborted) return deny(WITHDRAWN);
    const waiting = new AbortController();
    const onAbort = () => waiting.abort(signal.reason);
    signal.addEventListener('abort', onAbort);
    let over = 'answered';
    try {
      const answer = await Promise.race([
        callHost(canUseTool, question, waiting.signal, {
          requestId: ids.uuid(),
          askId: question.askId ?? ids.uuid(),
          ...options.explaining?.(question),
        }),
        withdrawn(waiting.signal),
        tooLate(options, question, waiting.signal),
        ...(options.parking === undefined ? [] : [parked(options.parking, question, waiting.signal)]),
      ]);
      if (answer.behavior === 'pending') over = 'parked';
      if (answer.behavior === 'allow' && answer.updatedPermissions !== undefined)
        await permissions.apply(answer.updatedPermissions);
      return answer;
    } catch (error) {
      return deny(
        `The permission callback's answer on ${question.tool.name} could not be applied, so the call is denied: ${describeError(error)}`,
      );
    } finally {
      signal.removeEventListener('abort', onAbort);
      waiting.abort(over);
    }
  };
}

const WITHDRAWN = 'The permission question was withdrawn because the turn was interrupted.';

async function callHost(
  canUseTool: CanUseTool,
  question: Question,
  signal: AbortSignal,
  more: Pick<CanUseToolContext, 'requestId' | 'askId' | 'explain' | 'checkRule'>,
): Promise<PermissionResult> {
  const { tool, input, toolUseId, message, suggestions, blockedPath, agentId, reasonType, matched } =
    question;
  const { judge } = question;
  try {
    const answer = await canUseTool(tool.name, input, {
      signal,
      toolUseID: toolUseId,
      ...more,
      decisionReason: message,
      ...shownAs(question),
      ...(reasonType === undefined ? {} : { decisionReasonType: reasonType }),
      ...(reasonType === 'rule' && matched !== undefined
        ? { matchedAskRule: { source: matched.source, ...matched.value } }
        : {}),
      ...(suggestions === undefined ? {} : { suggestions }),
      ...(blockedPath === undefined ? {} : { blockedPath }),
      ...(agentId === undefined ? {} : { agentID: agentId }),
      ...(judge === undefined ? {} : { judge }),
    });
    if (answer === null)
      return deny(
        `The host had no answer to the permission question for ${tool.name}, which counts as a denial.`,
      );
    const read = readAnswer(answer, toolUseId);
    return read.ok
      ? read.answer
      : deny(
          `The permission callback answered ${tool.name} with something that is no answer, so the call is denied: ${read.problem}`,
        );
  } catch (error) {
    return deny(
      `The permission callback failed on ${tool.name}, so the call is denied: ${describeError(error)}`,
    );
  }
}

/** Comes too late to be heard where the wait ends with an answer. */
function withdrawn(waiting: AbortSignal): Promise<PermissionResult> {
  return new Promise((resolve) => waiting.addEventListener('abort', () => resolve(deny(WITHDRAWN))));
}

async function tooLate(
  { clock, timeoutMs }: AskOptions,
  { tool }: Question,
  waiting: AbortSignal,
): Promise<PermissionResult> {
  if (clock === undefined || timeoutMs === undefined) return never();
  try {
    await clock.sleep(timeoutMs, waiting);
  } catch {
    return never();
  }
  return deny(
    `The permission question for ${tool.name} was not answered within ${timeoutMs / 1000} s, so the call is denied.`,
  );
}

/** The question stays open: it is answered to a later run. */
async function parked(parking: ParkingPort, { askId }: Question, waiting: AbortSignal): Promise<Pending> {
  if (askId === undefined || !(await parking.due(waiting))) return never();
  return { behavior: 'pending', askId };
}

function never<T>(): Promise<T> {
  return new Promise<T>(() => {});
}

/** Reasons for a question that a further allow rule would not remove. */
const NO_RULE_HELPS: ReadonlySet<DecisionReasonType> = new Set(['safetyCheck', 'rule', 'mode', 'hook']);

function headlessMessage({ tool, message, suggestions, reasonType }: Question): string {
  // A rule cannot answer instead of a person (F163).
  if (tool.requiresUserInteraction === true)
    return `${tool.name} cannot ask a question: no user and no host can answer in this run. Do not assume an answer. Continue with what you know, and say in your result which questions are open.`;
  const rules = (suggestions ?? []).flatMap((update) =>
    update.type === 'addRules' ? update.rules.map(formatRule) : [],
  );
  const rule = rules[0] ?? tool.name;
  if (reasonType !== undefined && NO_RULE_HELPS.has(reasonType))
    return `${message} No question can be asked in this run, so ${tool.name} is denied, and no allow rule changes that: a canUseTool callback has to answer.`;
  return `${message} No question can be asked in this run, so ${tool.name} is denied. To allow it, add the rule ${rule} to allowedTools (or to permissions.allow in a settings file), choose another permission mode, or give the run a canUseTool callback.`;
}

/** The host was asked, and what came back is no answer. */
function deny(message: string) {
  return { behavior: 'deny', message, answeredBy: 'unanswered' } as const;
}

function describeError(error: unknown): string {
  return errorText(error);
}
