import { looksSecret } from '@turnwright/base/text/secret-text.ts';
import type { Environment } from '../read/config-home.ts';

/**
 * Credentials of the model's provider, and the database that tells workers what to run: no child process ever
 * sees them.
 */
const NEVER_PASSED = [
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_AUTH_TOKEN',
  'ANTHROPIC_CUSTOM_HEADERS',
  'AWS_BEARER_TOKEN_BEDROCK',
  'CLAUDE_CODE_OAUTH_TOKEN',
  'CLAUDE_CODE_SESSION_ACCESS_TOKEN',
  'TURNWRIGHT_DB',
];

/** Words in the names of secrets. */
const SECRET_WORDS = ['TOKEN', 'SECRET', 'KEY', 'PASS', 'CRED', 'AUTH', 'WEBHOOK'];
/** Names in which one of these words means something else. */
const HARMLESS_NAMES = ['GIT_AUTHOR_NAME', 'GIT_AUTHOR_EMAIL', 'GIT_AUTHOR_DATE', 'XKEYSYMDB'];

interface ChildEnvOptions {
  /**
   * Names, or patterns with a trailing `*`, that pass although they look like secrets. Credentials of the
   * model's provider never do.
   */
  readonly allow?: readonly string[] | undefined;
  /** Set on purpose for child processes: added on top, whatever their names, provider keys excepted. */
  readonly set?: Readonly<Record<string, string>> | undefined;
}

/** The environment of child processes: the parent's, without what may be a secret. */
export function childEnvironment(
  parent: Environment,
  { allow = [], set = {} }: ChildEnvOptions = {},
): Readonly<Record<string, string>> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(parent)) {
    if (value === undefined) continue;
    if (!isWithheld(name, value) || isAllowed(name, allow)) env[name] = value;
  }
  Object.assign(env, set);
  for (const name of Object.keys(env)) if (isNeverPassed(name.toUpperCase())) delete env[name];
  return env;
}

/**
 * Whether child processes do without this variable, unless settings allow or set it on purpose: for its name,
 * or because its value is a key by its form or an address with a password in it.
 */
export function isWithheld(name: string, value: string): boolean {
  const upper = name.toUpperCase();
  return isSecret(upper) || isNeverPassed(upper) || looksSecret(value);
}

function isSecret(name: string): boolean {
  if (!SECRET_WORDS.some((word) => name.includes(word))) return false;
  return !HARMLESS_NAMES.includes(name) && !name.startsWith('KEYBOARD_');
}

function isNeverPassed(name: string): boolean {
  return (
    NEVER_PASSED.includes(name) ||
    name.startsWith('ANTHROPIC_IDENTITY_TOKEN') ||
    (name.startsWith('CLAUDE_CODE_') && name.endsWith('_FILE_DESCRIPTOR'))
  );
}

function isAllowed(name: string, allow: readonly string[]): boolean {
  return allow.some((entry) => (entry.endsWith('*') ? name.startsWith(entry.slice(0, -1)) : name === entry));
}
