/** Secrets in text: those that are known, and those that look like one. */

/** Keys and tokens that say by their form what they are. */
const SHAPES = [
  /\bsk-(?:ant-|proj-|or-)?[\w-]{16,}/,
  /\b(?:gh[opsur]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,})/,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/,
  /\bxox[abeoprs]-[\w-]{10,}/,
  /\bAIza[\w-]{35}/,
  /\bnpm_\w{30,}/,
  /\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]+/,
  /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----[\s\S]*?(?:-----END (?:[A-Z]+ )*PRIVATE KEY-----|$)/,
];
/** The part of an address between the scheme and the host that holds a password, or a token alone. */
const CREDENTIALS_OF_ADDRESS = /\b([a-z][a-z0-9+.-]*:\/\/)[^\s/?#@"'<>]+@/i;

const ANY_SHAPE = new RegExp(SHAPES.map(({ source }) => source).join('|'), 'g');
const ANY_CREDENTIALS = new RegExp(CREDENTIALS_OF_ADDRESS, 'gi');

export const MASK = '[masked]';

/** A shorter text is found in words that are no secret. */
const SHORTEST_SECRET = 6;

/** Whether the text holds a key of a known form, or an address with a password. */
export function looksSecret(text: string): boolean {
  return SHAPES.some((shape) => shape.test(text)) || /:\/\/[^\s/?#@:]*:[^\s/?#@]+@/.test(text);
}

/** The text without what is `known` to be secret and what looks it. Values of fewer than six characters are left. */
export function maskSecrets(text: string, known: Iterable<string> = []): string {
  let masked = text;
  for (const value of known) if (value.length >= SHORTEST_SECRET) masked = masked.replaceAll(value, MASK);
  return masked.replace(ANY_SHAPE, MASK).replace(ANY_CREDENTIALS, `$1${MASK}@`);
}

/** An address as it may be shown: without credentials, and without the query, which often holds a token. */
export function shownAddress(address: string): string {
  if (!URL.canParse(address)) return maskSecrets(address);
  const { protocol, host, pathname } = new URL(address);
  return `${protocol}//${host}${pathname}`;
}
