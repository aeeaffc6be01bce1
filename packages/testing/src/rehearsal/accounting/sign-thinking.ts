/**
 * Signatures of thinking blocks: an altered block, or one of another model, does not verify. The key is
 * fixed, so a session recorded against one server can continue against another; it protects nothing but the
 * test.
 */
import { createHmac } from 'node:crypto';

const KEY = 'turnwright rehearsal thinking';

export function signThinking(model: string, thinking: string, nonce: string): string {
  return Buffer.from(`${model}|${nonce}|${mac(model, thinking, nonce)}`).toString('base64');
}

/** Redacted thinking contains its own signature. */
export function sealThinking(model: string, thinking: string): string {
  return signThinking(model, '', Buffer.from(thinking).toString('base64url'));
}

export function verifyThinking(
  model: string,
  thinking: string,
  signature: string,
): 'valid' | 'foreign' | 'altered' {
  const [signedFor, nonce, sum, ...rest] = Buffer.from(signature, 'base64').toString('utf8').split('|');
  if (signedFor === undefined || nonce === undefined || sum === undefined || rest.length > 0)
    return 'altered';
  if (sum !== mac(signedFor, thinking, nonce)) return 'altered';
  return signedFor === model ? 'valid' : 'foreign';
}

function mac(model: string, thinking: string, nonce: string): string {
  return createHmac('sha256', KEY).update(`${model}\0${nonce}\0${thinking}`).digest('base64url');
}
