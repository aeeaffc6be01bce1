/**
 * What a vendor wants back with the next request: reasoning, encrypted or not, and signatures of tool calls.
 * It is kept as the `signature` of a thinking block, so that it survives journal, resume and edits of the
 * view byte for byte. The origin is part of it: nothing is ever sent to another wire or provider (F119).
 */

const PREFIX = 'vendor:';

/** Signature of a thinking block. `origin`: the wire and the provider that understand `kept`. */
export function vendorSignature(origin: string, kept: unknown): string {
  return `${PREFIX}${JSON.stringify([origin, kept])}`;
}

/**
 * What `vendorSignature` was given; undefined for another origin, and for a signature of the Messages API.
 */
export function keptIn(signature: string, origin: string): unknown {
  if (!signature.startsWith(PREFIX)) return undefined;
  try {
    const [from, kept] = JSON.parse(signature.slice(PREFIX.length)) as readonly unknown[];
    return from === origin ? kept : undefined;
  } catch {
    return undefined;
  }
}

/** Whether only another wire than the Messages API understands it. */
export function isVendorSignature(signature: string): boolean {
  return signature.startsWith(PREFIX);
}
