/** Connections that break, end early, go silent or send slowly. */
import type { Answer, AnswerFrame } from '../reply/answer.ts';
import { cutInHalf, endingAfter, type FaultKind, markFault, wholeFrames } from './fault-kind.ts';

export const resetBeforeHeaders: FaultKind = {
  answer: (answer, fault) => markFault({ ...answer, instead: 'reset' }, fault),
};

export const stallBeforeHeaders: FaultKind = {
  answer: (answer, fault) => markFault({ ...answer, instead: 'stall' }, fault),
};

export const resetAfterBytes: FaultKind = {
  answer(answer, fault) {
    const whole = Buffer.concat(answer.frames.map((frame) => Buffer.from(frame.bytes)));
    let left = Math.min(fault.after ?? Math.floor(whole.length / 2), whole.length);
    const frames: AnswerFrame[] = [];
    for (const frame of answer.frames) {
      const bytes = Buffer.from(frame.bytes);
      if (bytes.length > left) {
        frames.push({ ...frame, bytes: bytes.subarray(0, left), marks: [] });
        break;
      }
      frames.push(frame);
      left -= bytes.length;
    }
    return endingAfter({ ...answer, frames }, frames.length, fault, { kind: 'reset' });
  },
};

export const resetAfterEvents: FaultKind = {
  answer(answer, fault) {
    if (!answer.streamed) return endingAfter(halved(answer), 1, fault, { kind: 'reset' });
    return endingAfter(answer, wholeFrames(answer, fault), fault, { kind: 'reset' });
  },
};

export const resetAfterStop: FaultKind = {
  answer: (answer, fault) => endingAfter(answer, answer.frames.length, fault, { kind: 'reset' }),
};

/** A clean end of the body without `message_stop`; by default after everything that precedes it. */
export const cut: FaultKind = {
  answer(answer, fault) {
    if (!answer.streamed) return endingAfter(halved(answer), 1, fault, { kind: 'end' });
    const count = Math.min(fault.after ?? answer.frames.length, answer.frames.length - 1);
    return endingAfter(answer, count, fault, { kind: 'end' });
  },
};

export const stall: FaultKind = {
  answer(answer, fault) {
    const next = { kind: 'stall', ...(fault.pingMs === undefined ? {} : { pingMs: fault.pingMs }) } as const;
    if (!answer.streamed) return endingAfter(halved(answer), 1, fault, next);
    return endingAfter(answer, wholeFrames(answer, fault), fault, next);
  },
};

export const slowDrip: FaultKind = {
  answer(answer, fault) {
    const size = Math.max(1, fault.size ?? 16);
    const pauseMs = fault.everyMs ?? 1;
    const frames = answer.frames.flatMap((frame) => {
      const bytes = Buffer.from(frame.bytes);
      const pieces: AnswerFrame[] = [];
      for (let at = 0; at < bytes.length; at += size)
        pieces.push({ bytes: bytes.subarray(at, at + size), pauseMs });
      return copyMarks(frame, pieces);
    });
    return markFault({ ...answer, frames }, fault);
  },
};

/** Marks, and the following ending, belong to the last piece of a frame. */
export function copyMarks(frame: AnswerFrame, pieces: readonly AnswerFrame[]): AnswerFrame[] {
  const last = pieces.at(-1);
  if (last === undefined) return [frame];
  const tail: AnswerFrame = {
    ...last,
    ...(frame.marks === undefined ? {} : { marks: frame.marks }),
    ...(frame.next === undefined ? {} : { next: frame.next }),
  };
  return [...pieces.slice(0, -1), tail];
}

function halved(answer: Answer): Answer {
  return {
    ...answer,
    frames: answer.frames.slice(0, 1).map((frame) => ({ ...frame, bytes: cutInHalf(frame.bytes) })),
  };
}
