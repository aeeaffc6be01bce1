/** Secrets in text: known ones, and those of a known form. */

/** Keys and tokens that are recognised by their form. */
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
/** The part of a URL between scheme and host with a password or token. */
const CREDENTIALS_OF_ADDRESS = /\b([a-z][a-z0-9+.-]*:\/\/)[^\s/?#@"'<>]+@/i;

const ANY_SHAPE = new RegExp(SHAPES.map(({ source }) => source).join('|'), 'g');
const ANY_CREDENTIALS = new RegExp(CREDENTIALS_OF_ADDRESS, 'gi');

const MASK = '[masked]';

/** Shorter values occur in ordinary words. */
const SHORTEST_SECRET = 6;

/** Whether the text contains a key of a known form, or a URL with a password. */
export function looksSecret(text: string): boolean {
  return SHAPES.some((shape) => shape.test(text)) || /:\/\/[^\s/?#@:]*:[^\s/?#@]+@/.test(text);
}

/** Masks `known` secrets and those of a known form. Values of fewer than six characters are kept. */
export function maskSecrets(text: string, known: Iterable<string> = []): string {
  let masked = text;
  for (const value of known) if (value.length >= SHORTEST_SECRET) masked = masked.replaceAll(value, MASK);
  return masked.replace(ANY_SHAPE, MASK).replace(ANY_CREDENTIALS, `$1${MASK}@`);
}

/** A URL for display: without credentials and query, which often contains a token. */
export function shownAddress(address: string): string {
  if (!URL.canParse(address)) return maskSecrets(address);
  const { protocol, host, pathname } = new URL(address);
  return `${protocol}//${host}${pathname}`;
}
