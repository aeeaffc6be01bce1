/** The message that a finished block is emitted and recorded as. */

import { isoTime } from '@turnwright/base/text/figures-and-times.ts';
import type { AssistantMessage, ThoughtFacts } from '../../protocol/model/messages.ts';
import type { ModelRequest } from '../../protocol/model/model.ts';
import type { AssistantBlock, WireResponse } from '../../protocol/model/wire.ts';
import type { LoopDeps } from '../deps.ts';
import type { ResponseSoFar } from '../response.ts';
import type { CallFacts } from './observed-call.ts';

interface BlockOrigin {
  readonly response: ResponseSoFar;
  readonly request: ModelRequest;
  readonly deps: LoopDeps;
  readonly aborted: boolean;
  readonly facts: CallFacts | undefined;
}

/** `startedMs`: when its first event arrived. */
export function blockMessage(
  block: AssistantBlock,
  startedMs: number,
  { response, request, deps, aborted, facts }: BlockOrigin,
): AssistantMessage {
  return Object.freeze({
    type: 'assistant' as const,
    uuid: deps.ids.uuid(),
    timestamp: isoTime(deps.clock.nowMs()),
    message: {
      ...response.more,
      id: response.messageId ?? '',
      type: 'message' as const,
      role: 'assistant' as const,
      model: response.model,
      content: [block],
      stop_reason: null,
      stop_sequence: null,
      usage: response.usage,
    },
    ...(response.requestId === undefined ? {} : { requestId: response.requestId }),
    ...(request.effort === undefined ? {} : { effort: request.effort }),
    ...(block.type === 'thinking' ? { thought: buildThoughtFacts(startedMs, request, deps) } : {}),
    ...(aborted ? { aborted: true as const } : {}),
    ...facts,
  });
}

function buildThoughtFacts(startedMs: number, request: ModelRequest, { clock }: LoopDeps): ThoughtFacts {
  const durationMs = Math.round(clock.monotonicMs() - startedMs);
  const display = readThinkingDisplay(request);
  return display === undefined ? { durationMs } : { durationMs, display };
}

export const readThinkingDisplay = ({ thinking }: ModelRequest): string | undefined =>
  thinking === undefined || thinking.type === 'disabled' ? undefined : thinking.display;

/** Fields of a message that the loop does not read: they are for consumers. */
export function otherFields({
  id: _id,
  type: _type,
  role: _role,
  model: _model,
  content: _content,
  stop_reason: _reason,
  stop_sequence: _sequence,
  usage: _usage,
  ...more
}: WireResponse): Readonly<Record<string, unknown>> {
  return more;
}
