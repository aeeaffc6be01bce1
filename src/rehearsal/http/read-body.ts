import type { IncomingMessage } from 'node:http';
import { errorText } from '../../util/text/error-text.ts';

/** The complete body; undefined when the client disconnected before its end. */
export function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)));
    request.on('error', () => resolve(undefined));
    request.on('close', () => resolve(undefined));
  });
}

export function parseJson(body: Buffer): { readonly value: unknown; readonly error?: string } {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? { value } : { value, error: 'expected an object' };
  } catch (error) {
    return { value: undefined, error: errorText(error) };
  }
}
