/** Writes one answer. Frames without pauses are written at once; a timer is only set for a pause. */
import type { ServerResponse } from 'node:http';
import { whenAborted } from '@turnwright/base/async/promises.ts';
import type { Clock } from '@turnwright/engine/protocol/ports.ts';
import { type Answer, type AnswerFrame, PING_FRAME } from '../reply/answer.ts';
import type { TimelineFact } from './timeline.ts';

interface DeliveryPorts {
  readonly clock: Pick<Clock, 'sleep'>;
  note(fact: TimelineFact): void;
}

/** Resolves when the answer was written, or the client has disconnected. Never rejects. */
export async function deliver(response: ServerResponse, answer: Answer, ports: DeliveryPorts): Promise<void> {
  // A scenario may take longer for its answer than the client waits.
  if (response.destroyed) {
    ports.note({ kind: 'socket_closed' });
    return;
  }
  const gone = new AbortController();
  let ours = false;
  response.once('close', () => {
    if (!response.writableFinished && !ours) ports.note({ kind: 'socket_closed' });
    gone.abort();
  });
  const reset = () => {
    ours = true;
    response.socket?.resetAndDestroy();
  };
  try {
    if (answer.instead !== undefined) {
      for (const mark of answer.frames[0]?.marks ?? []) if (mark.kind === 'fault') ports.note(mark);
      if (answer.instead === 'reset') reset();
      else await whenAborted(gone.signal);
      return;
    }
    if (answer.headersMs > 0) await ports.clock.sleep(answer.headersMs, gone.signal);
    response.writeHead(answer.status, answer.headers);
    ports.note({ kind: 'headers_sent', status: answer.status });
    await writeFrames(response, answer, { ...ports, gone: gone.signal, reset });
  } catch (error) {
    if (!gone.signal.aborted) response.destroy(error instanceof Error ? error : undefined);
  }
}

interface Writing extends DeliveryPorts {
  readonly gone: AbortSignal;
  reset(): void;
}

async function writeFrames(response: ServerResponse, answer: Answer, writing: Writing): Promise<void> {
  const { note, gone } = writing;
  let waiting: AnswerFrame[] = [];
  let begun = false;
  const flush = (last: boolean): Promise<void> | undefined => {
    const frames = waiting;
    waiting = [];
    const bytes = joined(frames);
    if (bytes.length > 0 && !begun) {
      begun = true;
      note({ kind: 'first_byte' });
    }
    for (const frame of frames) for (const mark of frame.marks ?? []) note(mark);
    if (last) {
      note({ kind: 'last_byte' });
      response.end(bytes);
      return undefined;
    }
    if (bytes.length === 0) return undefined;
    return new Promise((resolve) => response.write(bytes, () => resolve()));
  };

  for (const frame of answer.frames) {
    if (frame.pauseMs !== undefined) {
      await (flush(false) ?? sendHead(response, begun));
      await pause(response, frame.pauseMs, answer.pingMs, writing);
      if (gone.aborted) return;
    }
    waiting.push(frame);
    const { next } = frame;
    if (next === undefined) continue;
    if (next.kind === 'end') break;
    await (flush(false) ?? sendHead(response, begun));
    if (next.kind === 'reset') {
      // One turn of the event loop, so that the client reads what was written before the reset.
      await new Promise((resolve) => setImmediate(resolve));
      writing.reset();
    } else {
      await pause(response, Number.POSITIVE_INFINITY, next.pingMs, writing);
    }
    return;
  }
  flush(true);
}

function sendHead(response: ServerResponse, begun: boolean): undefined {
  if (!begun) response.flushHeaders();
  return undefined;
}

/** Waits, with a ping event every `pingMs`. Infinity waits until the client disconnects. */
async function pause(
  response: ServerResponse,
  ms: number,
  pingMs: number | undefined,
  { clock, gone }: Writing,
): Promise<void> {
  if (ms === 0) {
    await new Promise((resolve) => setImmediate(resolve));
    return;
  }
  let left = ms;
  while (left > 0 && !gone.aborted) {
    if (pingMs === undefined || pingMs >= left) {
      await (left === Number.POSITIVE_INFINITY
        ? whenAborted(gone)
        : clock.sleep(left, gone).catch(ignoreAbort(gone)));
      return;
    }
    await clock.sleep(pingMs, gone).catch(ignoreAbort(gone));
    if (!gone.aborted) response.write(PING_FRAME);
    left -= pingMs;
  }
}

function ignoreAbort(gone: AbortSignal): (error: unknown) => void {
  return (error) => {
    if (!gone.aborted) throw error;
  };
}

function joined(frames: readonly AnswerFrame[]): string | Buffer {
  let text = '';
  for (const { bytes } of frames) {
    if (typeof bytes !== 'string') return Buffer.concat(frames.map((frame) => Buffer.from(frame.bytes)));
    text += bytes;
  }
  return text;
}
