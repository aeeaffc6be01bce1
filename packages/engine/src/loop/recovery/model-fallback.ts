/**
 * L4.4: another model is asked for the rest of the submission, for a reason in the table of
 * `protocol/model/fallback.ts`. Decided here alone.
 */
import { FALLBACK_POLICIES, FALLBACK_TRIGGERS, type FallbackTrigger } from '../../protocol/model/fallback.ts';
import type { SystemBody } from '../../protocol/model/messages.ts';
import type { ModelRequest } from '../../protocol/model/model.ts';
import type { RefusalDetails } from '../../protocol/model/wire.ts';
import type { Iteration } from '../iteration.ts';
import { systemMessage } from '../loop-messages.ts';
import type { ModelState } from '../state.ts';

type Run = Pick<Iteration, 'params' | 'deps'>;

/** Models of the list that may take over. A background query gives up immediately instead (L8). */
function candidates(
  trigger: FallbackTrigger,
  models: ModelState,
  run: Run,
  elsewhere = servedElsewhere(models, run),
): readonly string[] {
  const { fallbacks, hops = [] } = models;
  const { asks, most = Number.POSITIVE_INFINITY } = FALLBACK_POLICIES[trigger];
  if (!run.params.foreground || hops.filter((hop) => hop === trigger).length >= most) return [];
  return asks === 'any' ? fallbacks : elsewhere;
}

/** Models of the list that another provider serves. */
const servedElsewhere = ({ current, fallbacks }: ModelState, run: Run): readonly string[] =>
  fallbacks.filter((to) => !isSameProvider(current, to, run));

const isSameProvider = (one: string, other: string, { deps }: Pick<Run, 'deps'>): boolean =>
  deps.providerOf?.(one) === deps.providerOf?.(other);

/** What a request carries when there are other models to ask. */
export function fallbackMarks(
  models: ModelState,
  run: Run,
): Pick<ModelRequest, 'fallsBackOn' | 'refusalCredit'> {
  if (models.fallbacks.length === 0) return {};
  const elsewhere = servedElsewhere(models, run);
  const able = (trigger: FallbackTrigger) => candidates(trigger, models, run, elsewhere);
  const fallsBackOn = FALLBACK_TRIGGERS.filter((trigger) => able(trigger).length > 0);
  const credited = able('refusal').some((to) => !elsewhere.includes(to));
  return {
    ...(fallsBackOn.length > 0 && { fallsBackOn }),
    ...(credited && { refusalCredit: {} }),
  };
}

interface Fallback {
  readonly trigger: FallbackTrigger;
  readonly from: string;
  readonly to: string;
  /** Models left to try after `to`. */
  readonly rest: readonly string[];
  /** Why those before `to` were passed over, one sentence each. */
  readonly skipped: readonly string[];
}

interface Choice {
  /** The model that takes over; undefined: the model stays. */
  readonly fallback?: Fallback;
  /** Why models of the list cannot take over, one sentence each. */
  readonly skipped: readonly string[];
}

const STAYS: Choice = Object.freeze({ skipped: Object.freeze([]) });

/** Which model takes over. `tokens`: size of the request. `trigger`: undefined where there is no reason. */
export async function fallbackFor(
  trigger: FallbackTrigger | undefined,
  models: ModelState,
  tokens: number,
  iteration: Iteration,
): Promise<Choice> {
  const { deps, scope } = iteration;
  const able = trigger === undefined ? [] : candidates(trigger, models, iteration);
  if (trigger === undefined || able.length === 0) return STAYS;
  const skipped: string[] = [];
  for (const [index, to] of models.fallbacks.entries()) {
    if (!able.includes(to)) {
      skipped.push(`${to} was skipped: the same provider serves it.`);
      continue;
    }
    await deps.modelReady?.(to, scope);
    const { window, blockingAt } = deps.context.limitsFor(to);
    if (tokens < blockingAt) {
      const rest = models.fallbacks.slice(index + 1);
      return { fallback: { trigger, from: models.current, to, rest, skipped }, skipped };
    }
    skipped.push(
      `${to} was skipped: its window of ${window} tokens is too small for this conversation of about ${tokens} tokens.`,
    );
  }
  return { skipped };
}

/** A refusal that another model takes over for. */
interface Refusal {
  readonly requestId: string | undefined;
  readonly details: RefusalDetails | undefined;
  /** uuids of its messages that were retracted. */
  readonly retracted: readonly string[];
}

/** Returns the models from here on; a warning names both. */
export async function fallBack(
  fallback: Fallback,
  models: ModelState,
  iteration: Iteration,
  refusal?: Refusal,
): Promise<ModelState> {
  const { trace, deps } = iteration;
  const { trigger, from, to, rest } = fallback;
  trace.hop({ from, to, trigger });
  await iteration.emit(systemMessage(deps, buildNotice(fallback, refusal)));
  return { ...models, current: to, fallbacks: rest, hops: [...(models.hops ?? []), trigger] };
}

function buildNotice({ trigger, from, to, skipped }: Fallback, refusal: Refusal | undefined): SystemBody {
  const { says } = FALLBACK_POLICIES[trigger];
  const shared = {
    original_model: from,
    fallback_model: to,
    content: [`${from} ${says}; ${to} takes over for the rest of this submission.`, ...skipped].join(' '),
  };
  if (trigger !== 'refusal') return { subtype: 'model_fallback', trigger, ...shared };
  return {
    subtype: 'model_refusal_fallback',
    trigger,
    direction: 'retry',
    // The session keeps its model: the next prompt goes to it.
    scope: 'local',
    request_id: refusal?.requestId ?? null,
    api_refusal_category: refusal?.details?.category ?? null,
    api_refusal_explanation: refusal?.details?.explanation ?? null,
    retracted_message_uuids: refusal?.retracted ?? [],
    ...shared,
  };
}

/** No model of the list can take over: the user hears why. */
export async function warnOfSkipped(skipped: readonly string[], iteration: Iteration): Promise<void> {
  const content = ['No fallback model can take over.', ...skipped].join(' ');
  await iteration.emit(
    systemMessage(iteration.deps, { subtype: 'informational', level: 'warning', content }),
  );
}

/** The same request, which uses all its retries because no other model is left. */
export function withoutMarks({ fallsBackOn: _, refusalCredit: __, ...request }: ModelRequest): ModelRequest {
  return request;
}

/**
 * The same request for the model that is current now. The model room leaves out thinking that another one
 * signed. `credit`: of the refusal that it follows.
 */
export function requestAgain(
  request: ModelRequest,
  models: ModelState,
  iteration: Iteration,
  credit?: string | null,
): ModelRequest {
  const marks = fallbackMarks(models, iteration);
  const redeems = typeof credit === 'string' && isSameProvider(request.model, models.current, iteration);
  return {
    ...withoutMarks(request),
    ...marks,
    ...(redeems && { refusalCredit: { token: credit } }),
    model: models.current,
    maxTokens: Math.min(request.maxTokens, iteration.deps.modelLimits(models.current).maxOutputTokens),
    stream: true,
  };
}
