/** Faults that encode the same events in other bytes: every client must read them as usual. */
import type { AnswerFrame } from '../reply/answer.ts';
import { copyMarks } from './connection-faults.ts';
import { type FaultKind, markFault } from './fault-kind.ts';

export const crlf: FaultKind = {
  answer(answer, fault) {
    if (!answer.streamed) return answer;
    const frames = answer.frames.map((frame) => ({
      ...frame,
      bytes: frame.bytes.toString().replaceAll('\n', '\r\n'),
    }));
    return markFault({ ...answer, frames }, fault);
  },
};

/** Every multi-byte character, and every line end, is split across two packets. */
export const splitUtf8: FaultKind = {
  answer(answer, fault) {
    const frames = answer.frames.flatMap((frame) => {
      const bytes = Buffer.from(frame.bytes);
      const pieces: AnswerFrame[] = [];
      let start = 0;
      for (let at = 1; at < bytes.length; at++) {
        const inside = ((bytes[at] ?? 0) & 0xc0) === 0x80;
        const betweenLineEnds = bytes[at] === 0x0a && bytes[at - 1] === 0x0a;
        if (!inside && !betweenLineEnds) continue;
        pieces.push({ bytes: bytes.subarray(start, at), pauseMs: 0 });
        start = at;
      }
      pieces.push({ bytes: bytes.subarray(start), pauseMs: 0 });
      return copyMarks(frame, pieces);
    });
    return markFault({ ...answer, frames }, fault);
  },
};
