/** Every fault by name. */
import type { Answer } from '../reply/answer.ts';
import type { ComposedMessage } from '../reply/compose-message.ts';
import * as byte from './byte-faults.ts';
import * as connection from './connection-faults.ts';
import * as event from './event-faults.ts';
import type { Fault, FaultName } from './fault.ts';
import { type FaultKind, markFault } from './fault-kind.ts';
import * as http from './http-faults.ts';
import * as said from './message-faults.ts';

const FAULTS: Readonly<Record<FaultName, FaultKind>> = {
  'http-status': http.httpStatus,
  'html-error-page': http.htmlErrorPage,
  'wrong-content-type': http.wrongContentType,
  'empty-body': http.emptyBody,
  'reset-before-headers': connection.resetBeforeHeaders,
  'stall-before-headers': connection.stallBeforeHeaders,
  'reset-after-bytes': connection.resetAfterBytes,
  'reset-after-events': connection.resetAfterEvents,
  'reset-after-stop': connection.resetAfterStop,
  cut: connection.cut,
  stall: connection.stall,
  'slow-drip': connection.slowDrip,
  crlf: byte.crlf,
  'split-utf8': byte.splitUtf8,
  'sse-error': event.sseError,
  'truncated-json': event.truncatedJson,
  'invalid-json': event.invalidJson,
  'out-of-order': event.outOfOrder,
  'duplicate-event': event.duplicateEvent,
  'unknown-event': event.unknownEvent,
  'unknown-block': event.unknownBlock,
  'huge-delta': event.hugeDelta,
  'delta-without-usage': event.deltaWithoutUsage,
  'max-tokens-in-tool-json': said.maxTokensInToolJson,
  'empty-response': said.emptyMessage,
  refusal: said.refusal,
  'pause-turn': said.pauseTurn,
  'model-context-window-exceeded': said.windowExceeded,
};

export function applyToMessage(message: ComposedMessage, faults: readonly Fault[]): ComposedMessage {
  return faults.reduce((changed, fault) => FAULTS[fault.name].message?.(changed, fault) ?? changed, message);
}

/** Faults apply in the given order: a later one edits the outcome of an earlier one. */
export function applyToAnswer(answer: Answer, faults: readonly Fault[]): Answer {
  return faults.reduce(
    (changed, fault) => FAULTS[fault.name].answer?.(changed, fault) ?? markFault(changed, fault),
    answer,
  );
}
