/**
 * The binary framing of Bedrock's streams (`application/vnd.amazon.eventstream`): bytes in, the data of each
 * event out, as the Messages API would have sent it. Lengths and checksums are big-endian:
 * total length, length of the headers, CRC of these two, headers, payload, CRC of all before.
 */

import { crc32 } from 'node:zlib';
import { readJsonObject } from '@turnwright/base/bounded-json.ts';
import type { SseReader } from '../stream/sse.ts';

const PRELUDE_BYTES = 12;
const CRC_BYTES = 4;
/** A frame holds 24 MiB at most; a longer one is not this format. */
const MAX_FRAME_BYTES = 24 * 1024 * 1024;

/** The API's error type for what a stream reports, by exception. Others are `api_error`. */
const ERROR_TYPES: Readonly<Record<string, string>> = {
  throttlingException: 'rate_limit_error',
  serviceUnavailableException: 'overloaded_error',
  modelTimeoutException: 'timeout_error',
  validationException: 'invalid_request_error',
};

/** A damaged frame ends the stream with an error event: the frames behind it have no known beginning. */
export function createAwsEventReader(): SseReader {
  return new Reader();
}

class Reader implements SseReader {
  #rest: Buffer = Buffer.alloc(0);
  #damaged = false;

  push(bytes: Buffer): readonly string[] {
    const events: string[] = [];
    this.#rest = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    while (!this.#damaged && this.#rest.length >= PRELUDE_BYTES) {
      const length = frameLength(this.#rest);
      if (length === undefined) {
        this.#damaged = true;
        events.push(errorEvent('api_error', 'A frame of the stream is damaged.'));
      } else if (this.#rest.length < length) break;
      else {
        const event = decodeFrame(this.#rest.subarray(0, length));
        if (event !== undefined) events.push(event);
        this.#rest = this.#rest.subarray(length);
      }
    }
    return events;
  }
}

/** Of the frame that begins here; undefined: it is damaged. */
function frameLength(bytes: Buffer): number | undefined {
  const total = bytes.readUInt32BE(0);
  const headers = bytes.readUInt32BE(4);
  if (crc32(bytes.subarray(0, 8)) !== bytes.readUInt32BE(8)) return undefined;
  if (total > MAX_FRAME_BYTES || total < PRELUDE_BYTES + headers + CRC_BYTES) return undefined;
  const end = total - CRC_BYTES;
  if (bytes.length >= total && crc32(bytes.subarray(0, end)) !== bytes.readUInt32BE(end)) return undefined;
  return total;
}

/** undefined: a frame without an event, such as a keep-alive. */
function decodeFrame(frame: Buffer): string | undefined {
  const payloadAt = PRELUDE_BYTES + frame.readUInt32BE(4);
  const headers = headersIn(frame.subarray(PRELUDE_BYTES, payloadAt));
  const payload = readJsonObject(frame.toString('utf8', payloadAt, frame.length - CRC_BYTES)) ?? {};
  switch (headers.get(':message-type')) {
    case 'event': {
      const { bytes } = payload;
      return headers.get(':event-type') === 'chunk' && typeof bytes === 'string'
        ? Buffer.from(bytes, 'base64').toString('utf8')
        : undefined;
    }
    case 'exception': {
      const name = headers.get(':exception-type') ?? 'exception';
      const message = payload['message'] ?? payload['Message'] ?? payload['originalMessage'];
      return errorEvent(
        ERROR_TYPES[name] ?? 'api_error',
        typeof message === 'string' && message !== '' ? message : name,
      );
    }
    case 'error':
      return errorEvent(
        'api_error',
        headers.get(':error-message') ?? headers.get(':error-code') ?? 'unknown error',
      );
    default:
      return undefined;
  }
}

function errorEvent(type: string, message: string): string {
  return JSON.stringify({ type: 'error', error: { type, message } });
}

/** The length of a value by its type; strings and byte arrays state theirs. */
const VALUE_BYTES: readonly (number | undefined)[] = [0, 0, 1, 2, 4, 8, undefined, undefined, 8, 16];
const STRING = 7;

/** Those with text. */
function headersIn(bytes: Buffer): ReadonlyMap<string, string> {
  const headers = new Map<string, string>();
  let at = 0;
  while (at < bytes.length) {
    const nameEnd = at + 1 + bytes.readUInt8(at);
    const name = bytes.toString('utf8', at + 1, nameEnd);
    const type = bytes.readUInt8(nameEnd);
    at = nameEnd + 1;
    const fixed = VALUE_BYTES[type];
    if (fixed !== undefined) at += fixed;
    else {
      const length = bytes.readUInt16BE(at);
      at += 2;
      if (type === STRING) headers.set(name, bytes.toString('utf8', at, at + length));
      at += length;
    }
  }
  return headers;
}
