/** The JSON object in the body of a request. */
import { readJsonObject } from '@turnwright/base/bounded-json.ts';

/** The request is answered with this status and sentence. */
export class RefusedRequest extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** JSON by its content type alone: other types a browser sends for a foreign page without asking first. */
export async function readJsonBody(
  request: Request,
  maxBytes: number,
): Promise<Readonly<Record<string, unknown>>> {
  if (!/^application\/json\b/i.test(request.headers.get('content-type') ?? ''))
    throw new RefusedRequest(415, 'The body must have the content type application/json.');
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (request.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw new RefusedRequest(413, `The body has more than ${maxBytes} bytes.`);
    chunks.push(chunk);
  }
  const body = readJsonObject(new TextDecoder().decode(joined(chunks, bytes)));
  if (body === undefined) throw new RefusedRequest(400, 'The body must be a JSON object.');
  return body;
}

function joined(chunks: readonly Uint8Array[], bytes: number): Uint8Array {
  const all = new Uint8Array(bytes);
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.byteLength;
  }
  return all;
}
