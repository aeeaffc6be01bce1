/**
 * `POST /v1/messages`: judged, looked up in the scenario, composed, changed by faults, and returned for
 * delivery.
 */

import { isRecord } from '@turnwright/base/json-values.ts';
import { TurnwrightError } from '@turnwright/engine/protocol/errors.ts';
import { applyContextEdits, type EditedPrompt } from '../accounting/context-edits.ts';
import type { PromptCache } from '../accounting/prompt-cache.ts';
import { type ApiError, invalidRequest } from '../api-errors.ts';
import { type ChaosOptions, drawFault } from '../faults/chaos.ts';
import { type Fault, listFaults } from '../faults/fault.ts';
import { applyToAnswer, applyToMessage } from '../faults/index.ts';
import { judge } from '../judge/index.ts';
import type { JudgeContext, JudgeRule } from '../judge/judge-rule.ts';
import { type ModelCatalogue, pickWindow } from '../models.ts';
import { type Answer, type AnswerFrame, eventFrame, pace, pingEveryMs } from '../reply/answer.ts';
import { type ComposedMessage, composeMessage, countUsage } from '../reply/compose-message.ts';
import { streamEvents } from '../reply/stream-events.ts';
import { TemplateError } from '../reply/template.ts';
import { type ApiRequest, readApiRequest } from '../request/api-request.ts';
import type { AskedThread, HeldThreads } from '../request/held-threads.ts';
import type { RequestKind } from '../scenario/rehearsal-request.ts';
import { describeRequest, type RehearsalRequest } from '../scenario/rehearsal-request.ts';
import type { Taken } from '../scenario/scenario-run.ts';
import { readApiKey } from '../scenario/session-key.ts';
import type { RehearsedSession, SessionBook } from '../session-book.ts';
import type { Verdict } from './recorded-request.ts';

export interface MessageEndpointPorts {
  readonly rules: readonly JudgeRule[];
  readonly models: ModelCatalogue;
  readonly cache: PromptCache;
  readonly sessions: SessionBook;
  readonly chaos: ChaosOptions | undefined;
  readonly threads: HeldThreads;
  readonly requiredKey: string | undefined;
  /** Calls in replies that began with thinking. */
  readonly thoughtCalls: Set<string>;
  kindOf(request: ApiRequest, sessionOffersTools: boolean): RequestKind;
}

export interface Incoming {
  readonly number: number;
  readonly requestId: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: unknown;
  readonly jsonError: string | undefined;
  readonly bytes: number;
  readonly session: string;
}

interface Judged {
  readonly thread: AskedThread;
  readonly request: ApiRequest;
  readonly prompt: EditedPrompt;
  readonly refusal?: { readonly error: ApiError; readonly verdict: Verdict };
}

type Outcome =
  | { readonly verdict: Verdict; readonly kind?: RequestKind; readonly error: ApiError }
  | { readonly verdict: Verdict; readonly kind: RequestKind; readonly answer: Answer };

export function judgeIncoming(incoming: Incoming, ports: MessageEndpointPorts, countOnly: boolean): Judged {
  const sentBody = isRecord(incoming.body) ? incoming.body : {};
  const thread = ports.threads.asked(readApiKey(incoming.headers), sentBody);
  const request = readApiRequest(thread.kind === 'continue' ? thread.body : incoming.body);
  const betas = parseBetas(incoming.headers);
  const model = ports.models.find(request.model);
  let prompt: EditedPrompt | undefined;
  const edited = () => {
    prompt ??= applyContextEdits(request);
    return prompt;
  };
  const context: JudgeContext = {
    headers: incoming.headers,
    bytes: incoming.bytes,
    countOnly,
    sentBody,
    thread,
    model,
    betas,
    window: model === undefined ? Number.POSITIVE_INFINITY : pickWindow(model, betas),
    thoughtCalls: ports.thoughtCalls,
    ...(ports.requiredKey === undefined ? {} : { requiredKey: ports.requiredKey }),
    ...(incoming.jsonError === undefined ? {} : { jsonError: incoming.jsonError }),
    get inputTokens() {
      return edited().inputTokens;
    },
  };
  const refusal = judge(ports.rules, request, context);
  if (refusal === undefined) return { request, thread, prompt: edited() };
  const { rule, error } = refusal;
  const verdict = {
    kind: 'rejected',
    rule: rule.name,
    house: rule.house === true,
    status: error.status,
    message: error.message,
  } as const;
  return { request, thread, prompt: edited(), refusal: { error, verdict } };
}

export async function answerMessage(incoming: Incoming, ports: MessageEndpointPorts): Promise<Outcome> {
  const { request, thread, prompt, refusal } = judgeIncoming(incoming, ports, false);
  if (refusal !== undefined) return refusal;
  const session = ports.sessions.open(incoming.session, incoming.headers, request);
  const kind = ports.kindOf(request, session.offersTools);
  session.offersTools ||= request.tools.length > 0;
  session.requests += 1;
  const asked = ports.chaos === undefined ? '' : fingerprint(kind, request);
  const again = session.struck?.asked === asked ? session.struck : undefined;
  const call = again?.call ?? session.run?.nextCall(kind) ?? 0;
  const seen = describeRequest(request, {
    number: incoming.number,
    session: session.key,
    kind,
    call,
    headers: incoming.headers,
  });

  const noReply = (why: string): Outcome => {
    const message = `rehearsal: ${why} ${formatRequest(seen)}`;
    const error = { ...invalidRequest(message), headers: { 'x-should-retry': 'false' } };
    return { verdict: { kind: 'unanswered', message }, kind, error };
  };
  if (session.run === undefined) return noReply('no scenario is meant for the session of');
  try {
    const taken = again?.taken ?? (await session.run.take(seen));
    if (taken === undefined)
      return noReply(`scenario ${session.run.name}${describeUnused(session)} has no reply for`);
    const chaos =
      ports.chaos === undefined ? undefined : drawFault(ports.chaos, session.ordinal, session.requests);
    session.struck = chaos === undefined ? undefined : { asked, taken, kind, call };
    const faults = chaos === undefined ? listFaults(taken.reply) : [...listFaults(taken.reply), chaos];
    return reply({ incoming, ports, request, thread, prompt, session, seen, taken, faults, kind });
  } catch (error) {
    const why =
      error instanceof TemplateError || error instanceof TurnwrightError
        ? error.message
        : `the scenario failed (${String(error)})`;
    return noReply(`${session.run.name}: ${why}, asked by`);
  }
}

interface ReplyInput {
  readonly incoming: Incoming;
  readonly ports: MessageEndpointPorts;
  readonly request: ApiRequest;
  readonly thread: AskedThread;
  readonly prompt: EditedPrompt;
  readonly session: RehearsedSession;
  readonly seen: RehearsalRequest;
  readonly taken: Taken;
  readonly faults: readonly Fault[];
  readonly kind: RequestKind;
}

function reply({
  incoming,
  ports,
  request,
  thread,
  prompt,
  session,
  seen,
  taken,
  faults,
  kind,
}: ReplyInput): Outcome {
  const scripted = taken.reply;
  const whole = composeMessage({
    reply: scripted,
    request,
    seen,
    vars: session.run?.vars ?? {},
    number: incoming.number,
  });
  const message = applyToMessage(whole, faults);
  const account = ports.cache.account({
    owner: readApiKey(incoming.headers),
    minTokens: ports.models.find(request.model)?.minCacheTokens ?? 0,
    request,
    prompt,
  });
  const usage = countUsage(account, message, scripted.usage);
  const timing = scripted.timing ?? {};
  const pingMs = pingEveryMs(timing);
  const streamed = request.body['stream'] === true;
  const frames: readonly AnswerFrame[] = streamed
    ? streamEvents(message, usage, {
        ...(timing.deltaChars === undefined ? {} : { deltaChars: timing.deltaChars }),
        ...(prompt.applied === undefined ? {} : { applied: prompt.applied }),
      }).map(eventFrame)
    : [{ bytes: JSON.stringify(wholeMessage(message, usage, prompt)) }];
  const answer = applyToAnswer(
    {
      status: 200,
      headers: {
        'content-type': streamed ? 'text/event-stream; charset=utf-8' : 'application/json',
        ...(streamed ? { 'cache-control': 'no-cache' } : {}),
        'request-id': incoming.requestId,
      },
      headersMs: timing.headersMs ?? 0,
      ...(pingMs === undefined || !streamed ? {} : { pingMs }),
      streamed,
      frames: pace(frames, timing),
    },
    faults,
  );
  if (answer.status === 200 && answer.instead === undefined) {
    account.commit();
    rememberThoughtCalls(message, ports.thoughtCalls);
    if (!UNHELD.includes(message.stopReason))
      ports.threads.hold(readApiKey(incoming.headers), request, thread, {
        id: message.id,
        content: message.blocks.map(({ block }) => block),
      });
  }
  const verdict = {
    kind: 'answered',
    reply: taken.label,
    faults: faults.map((fault) => fault.name),
    usage,
  } as const;
  return { verdict, kind, answer };
}

/** Answers that a thread does not keep. */
const UNHELD: readonly unknown[] = ['refusal', 'pause_turn'];

function wholeMessage(message: ComposedMessage, usage: object, prompt: EditedPrompt): object {
  return {
    id: message.id,
    type: 'message',
    role: 'assistant',
    model: message.model,
    content: message.blocks.map(({ block }) => block),
    stop_reason: message.stopReason,
    stop_sequence: message.stopSequence,
    ...(message.stopDetails !== undefined && { stop_details: message.stopDetails }),
    usage,
    ...(prompt.applied === undefined ? {} : { context_management: { applied_edits: prompt.applied } }),
  };
}

function rememberThoughtCalls({ blocks }: ComposedMessage, thoughtCalls: Set<string>): void {
  const first = blocks[0]?.block.type;
  if (first !== 'thinking' && first !== 'redacted_thinking') return;
  for (const { block } of blocks) if (block.type === 'tool_use') thoughtCalls.add(block.id);
}

function parseBetas(headers: Incoming['headers']): string[] {
  const header = headers['anthropic-beta'];
  return String(header ?? '')
    .split(',')
    .map((beta) => beta.trim())
    .filter((beta) => beta !== '');
}

/** Kind and messages of a request: breakpoints, caps and settings may differ between attempts. */
function fingerprint(kind: RequestKind, request: ApiRequest): string {
  const bare = request.merged.map((turn) =>
    turn.blocks.map(({ block }) => ({ ...block, cache_control: undefined })),
  );
  return `${kind}${JSON.stringify(bare)}`;
}

/** What is left of the scenario, for the error message. */
function describeUnused(session: RehearsedSession): string {
  const left = session.run?.unused() ?? [];
  if (left.length === 0) return '';
  return `, with ${left.slice(0, 3).join(', ')}${left.length > 3 ? `, and ${left.length - 3} more` : ''} unused,`;
}

function formatRequest(seen: RehearsalRequest): string {
  const words = seen.lastMessage.length > 120 ? `${seen.lastMessage.slice(0, 120)}…` : seen.lastMessage;
  return `request ${seen.number} (${seen.kind}, call ${seen.call}, session ${seen.session}, ${seen.tools.length} tools, last user message: ${JSON.stringify(words)})`;
}
