/** Secrets in text: known ones, and those of a known form. */

/** Keys and tokens that are recognised by their form. */
const SHAPES: readonly { readonly kind: string; readonly pattern: RegExp }[] = [
  { kind: 'an API key', pattern: /\bsk-(?:ant-|proj-|or-)?[\w-]{16,}/ },
  {
    kind: 'a GitHub or GitLab token',
    pattern: /\b(?:gh[opsur]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,})/,
  },
  { kind: 'an AWS key', pattern: /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/ },
  { kind: 'a Slack token', pattern: /\bxox[abeoprs]-[\w-]{10,}/ },
  { kind: 'a Google key', pattern: /\bAIza[\w-]{35}/ },
  { kind: 'an npm token', pattern: /\bnpm_\w{30,}/ },
  { kind: 'a web token', pattern: /\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]+/ },
  {
    kind: 'a private key',
    pattern: /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----[\s\S]*?(?:-----END (?:[A-Z]+ )*PRIVATE KEY-----|$)/,
  },
];
/** The part of a URL between scheme and host with a password or token. */
const CREDENTIALS_OF_ADDRESS = /\b([a-z][a-z0-9+.-]*:\/\/)[^\s/?#@"'<>]+@/i;

const ANY_SHAPE = new RegExp(SHAPES.map(({ pattern }) => pattern.source).join('|'), 'g');
const ANY_CREDENTIALS = new RegExp(CREDENTIALS_OF_ADDRESS, 'gi');

const MASK = '[masked]';

/** Shorter values occur in ordinary words. */
const SHORTEST_SECRET = 6;

/** Whether the text contains a key of a known form, or a URL with a password. */
export function looksSecret(text: string): boolean {
  return SHAPES.some(({ pattern }) => pattern.test(text)) || /:\/\/[^\s/?#@:]*:[^\s/?#@]+@/.test(text);
}

/** Masks `known` secrets and those of a known form. Values of fewer than six characters are kept. */
export function maskSecrets(text: string, known: Iterable<string> = []): string {
  let masked = text;
  for (const value of known) if (value.length >= SHORTEST_SECRET) masked = masked.replaceAll(value, MASK);
  return masked.replace(ANY_SHAPE, MASK).replace(ANY_CREDENTIALS, `$1${MASK}@`);
}

/** A secret that was taken out of a text. */
export interface RemovedSecret {
  /** `an API key`, or how the caller names a value that it knows. */
  readonly kind: string;
  /** Of the text, from 1. */
  readonly line: number;
}

/**
 * The text without `known` secrets (their names by their values) and those of a known form: what was in
 * their place, and on which line. Values of fewer than six characters are kept.
 */
export function removeSecrets(
  text: string,
  known: ReadonlyMap<string, string> = new Map(),
): { readonly text: string; readonly removed: readonly RemovedSecret[] } {
  const removed: RemovedSecret[] = [];
  const take = (kind: string, from: string, at: number, mask: string) => {
    removed.push({ kind, line: from.slice(0, at).split('\n').length });
    return mask;
  };
  let left = text;
  for (const [value, name] of known) {
    if (value.length < SHORTEST_SECRET || !left.includes(value)) continue;
    const from = left;
    left = from.replaceAll(value, (_, at: number) => take(name, from, at, MASK));
  }
  for (const { kind, pattern } of SHAPES) {
    const from = left;
    left = from.replace(new RegExp(pattern, 'g'), (found, at: number) =>
      // Lines are kept, so that places in the rest of the text stay what they are.
      take(kind, from, at, MASK + '\n'.repeat(found.split('\n').length - 1)),
    );
  }
  const from = left;
  left = from.replace(ANY_CREDENTIALS, (found, scheme: string, at: number) =>
    found.includes(MASK) ? found : take('the password of an address', from, at, `${scheme}${MASK}@`),
  );
  return { text: left, removed };
}

/** A URL for display: without credentials and query, which often contains a token. */
export function shownAddress(address: string): string {
  if (!URL.canParse(address)) return maskSecrets(address);
  const { protocol, host, pathname } = new URL(address);
  return `${protocol}//${host}${pathname}`;
}
