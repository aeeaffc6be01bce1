/**
 * Events that are invalid, duplicated, out of order, unknown or huge. A plain JSON answer has none and is
 * left unchanged.
 */
import { toErrorType } from '../api-errors.ts';
import { NOVEL_BLOCK } from '../judge/block-fields.ts';
import { type Answer, type AnswerFrame, eventFrame, sse } from '../reply/answer.ts';
import type { Fault } from './fault.ts';
import { cutInHalf, endingAfter, type FaultKind, markFault, swapFrame, wholeFrames } from './fault-kind.ts';
import { httpStatus } from './http-faults.ts';

const DEFAULT_HUGE_CHARS = 1_000_000;

/** An `error` event, then the end. Without a stream the error is the answer. */
export const sseError: FaultKind = {
  answer(answer, fault) {
    const type = fault.type ?? toErrorType(529);
    const message = fault.message ?? (type === 'overloaded_error' ? 'Overloaded' : 'Internal server error');
    if (!answer.streamed) {
      const status = type === 'overloaded_error' ? 529 : 500;
      return httpStatus.answer?.(answer, { ...fault, status, type, message }) ?? answer;
    }
    const count = Math.min(wholeFrames(answer, fault), answer.frames.length - 1);
    const error: AnswerFrame = {
      bytes: sse('error', JSON.stringify({ type: 'error', error: { type, message } })),
    };
    return endingAfter({ ...answer, frames: [...answer.frames.slice(0, count), error] }, count + 1, fault, {
      kind: 'end',
    });
  },
};

/** The JSON of one event is truncated, and the body ends. */
export const truncatedJson: FaultKind = {
  answer(answer, fault) {
    const at = answer.streamed ? strikeAt(answer, fault) : 0;
    const broken = answer.frames
      .slice(0, at + 1)
      .map((frame, index) => (index === at ? { ...frame, bytes: cutInHalf(frame.bytes), marks: [] } : frame));
    return endingAfter({ ...answer, frames: broken }, at + 1, fault, { kind: 'end' });
  },
};

/** The data of one event is not JSON; the others follow. */
export const invalidJson: FaultKind = {
  answer(answer, fault) {
    if (!answer.streamed)
      return markFault({ ...answer, frames: [{ bytes: '{"type": "message", oops}' }] }, fault);
    const swap = (frame: AnswerFrame) => [
      { ...frame, bytes: sse(frame.event?.type ?? 'message', '{"type": oops}') },
    ];
    return markFault(swapFrame(answer, strikeAt(answer, fault), swap), fault);
  },
};

/** Swaps two neighbouring events. */
export const outOfOrder: FaultKind = {
  answer(answer, fault) {
    const at = strikeAt(answer, fault);
    const next = answer.frames[at + 1];
    const moved = answer.frames[at];
    if (!answer.streamed || next === undefined || moved === undefined) return answer;
    return markFault({ ...answer, frames: answer.frames.with(at, next).with(at + 1, moved) }, fault);
  },
};

export const duplicateEvent: FaultKind = {
  answer(answer, fault) {
    if (!answer.streamed) return answer;
    return markFault(
      swapFrame(answer, strikeAt(answer, fault), (frame) => [frame, { ...frame, marks: [] }]),
      fault,
    );
  },
};

export const unknownEvent: FaultKind = {
  answer(answer, fault) {
    if (!answer.streamed) return answer;
    const event = {
      bytes: sse('rehearsal_news', '{"type":"rehearsal_news","of":["an event",{"nobody":"knows"}]}'),
    };
    return markFault(
      swapFrame(answer, strikeAt(answer, fault), (frame) => [event, frame]),
      fault,
    );
  },
};

/** A block of an unknown type comes first; the others follow one index later. */
export const unknownBlock: FaultKind = {
  answer(answer, fault) {
    if (!answer.streamed) return answer;
    const shifted = answer.frames.map((frame): AnswerFrame => {
      const event = frame.event;
      if (event === undefined || !('index' in event)) return frame;
      const { pauseMs } = frame;
      return {
        ...eventFrame({ ...event, index: event.index + 1 }),
        ...(pauseMs === undefined ? {} : { pauseMs }),
      };
    });
    const novelty: AnswerFrame[] = [
      {
        bytes: sse(
          'content_block_start',
          `{"type":"content_block_start","index":0,"content_block":{"type":"${NOVEL_BLOCK}","about":""}}`,
        ),
      },
      {
        bytes: sse(
          'content_block_delta',
          '{"type":"content_block_delta","index":0,"delta":{"type":"novelty_delta","about":"x"}}',
        ),
      },
      { bytes: sse('content_block_stop', '{"type":"content_block_stop","index":0}') },
    ];
    return markFault({ ...answer, frames: [...shifted.slice(0, 1), ...novelty, ...shifted.slice(1)] }, fault);
  },
};

/** Pads the first text delta to a huge one. */
export const hugeDelta: FaultKind = {
  answer(answer, fault) {
    const at = answer.frames.findIndex(
      ({ event }) => event?.type === 'content_block_delta' && event.delta.type === 'text_delta',
    );
    return markFault(
      swapFrame(answer, at, (frame) => {
        const event = frame.event;
        if (event?.type !== 'content_block_delta' || event.delta.type !== 'text_delta') return [frame];
        const text = event.delta.text.padEnd(fault.size ?? DEFAULT_HUGE_CHARS, ' padding');
        return [eventFrame({ ...event, delta: { type: 'text_delta', text } })];
      }),
      fault,
    );
  },
};

export const deltaWithoutUsage: FaultKind = {
  answer(answer, fault) {
    const frames = answer.frames.map((frame) => {
      if (frame.event?.type !== 'message_delta') return frame;
      const { usage: _usage, ...event } = frame.event;
      return { ...frame, ...eventFrame(event) };
    });
    return markFault({ ...answer, frames }, fault);
  },
};

/** Index of the frame that the fault changes: after those that stay intact, never the last. */
function strikeAt(answer: Answer, fault: Fault): number {
  return Math.max(0, Math.min(wholeFrames(answer, fault), answer.frames.length - 2));
}
