import type { Answer, AnswerFrame, Ending } from '../reply/answer.ts';
import { faultMark } from '../reply/answer.ts';
import type { ComposedMessage } from '../reply/compose-message.ts';
import type { Fault } from './fault.ts';

/** Effect of a fault: on the message before it is encoded, or on the encoded answer. */
export interface FaultKind {
  message?(message: ComposedMessage, fault: Fault): ComposedMessage;
  answer?(answer: Answer, fault: Fault): Answer;
}

/** Number of intact frames: as configured, at most all, by default half. */
export function wholeFrames(answer: Answer, fault: Fault): number {
  return Math.min(fault.after ?? Math.floor(answer.frames.length / 2), answer.frames.length);
}

/** The first `count` frames, the last of them followed by `next`. Without frames an empty one is created. */
export function endingAfter(answer: Answer, count: number, fault: Fault, next: Ending): Answer {
  const kept = answer.frames.slice(0, count);
  const last: AnswerFrame = kept.pop() ?? { bytes: '' };
  return {
    ...answer,
    frames: [...kept, { ...last, marks: [...(last.marks ?? []), faultMark(fault.name)], next }],
  };
}

/** Marks the first frame, so that the timeline names the fault. */
export function markFault(answer: Answer, fault: Fault): Answer {
  const [first, ...rest] = answer.frames;
  if (first === undefined) return answer;
  return {
    ...answer,
    frames: [{ ...first, marks: [faultMark(fault.name), ...(first.marks ?? [])] }, ...rest],
  };
}

/** Replaces one frame of a stream. */
export function swapFrame(
  answer: Answer,
  at: number,
  swap: (frame: AnswerFrame) => readonly AnswerFrame[],
): Answer {
  return {
    ...answer,
    frames: answer.frames.flatMap((frame, index) => (index === at ? swap(frame) : [frame])),
  };
}

export function cutInHalf(bytes: string | Buffer): Buffer {
  const whole = typeof bytes === 'string' ? Buffer.from(bytes) : bytes;
  return whole.subarray(0, Math.floor(whole.length / 2));
}
