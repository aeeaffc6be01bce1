import type { Env } from './config-home.ts';

/** Credentials of the model's provider: no child process ever sees them. */
const PROVIDER_KEYS =
  /^(?:ANTHROPIC_(?:API_KEY|AUTH_TOKEN|CUSTOM_HEADERS|IDENTITY_TOKEN.*)|CLAUDE_CODE_(?:OAUTH_TOKEN|SESSION_ACCESS_TOKEN|.*_FILE_DESCRIPTOR)|AWS_BEARER_TOKEN_BEDROCK)$/i;

/** Names that speak of a secret (K138). */
const SECRET_NAME = /TOKEN|SECRET|KEY|PASS|CRED|AUTH/i;
/** Names in which one of these words means something else. */
const HARMLESS_NAME = /^(?:GIT_AUTHOR_(?:NAME|EMAIL|DATE)|KEYBOARD_.*|XKEYSYMDB)$/i;

export interface ChildEnvOptions {
  /** Names, or patterns with a trailing `*`, that pass although they look like secrets. Provider keys never do. */
  readonly allow?: readonly string[] | undefined;
  /** Set on purpose for child processes: added on top, whatever their names, provider keys excepted. */
  readonly set?: Readonly<Record<string, string>> | undefined;
}

/** The environment of child processes: the parent's, without what may be a secret. */
export function childEnvironment(
  parent: Env,
  { allow = [], set = {} }: ChildEnvOptions = {},
): Readonly<Record<string, string>> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(parent)) {
    if (value === undefined) continue;
    if (!SECRET_NAME.test(name) || HARMLESS_NAME.test(name) || isAllowed(name, allow)) env[name] = value;
  }
  Object.assign(env, set);
  for (const name of Object.keys(env)) if (PROVIDER_KEYS.test(name)) delete env[name];
  return env;
}

function isAllowed(name: string, allow: readonly string[]): boolean {
  return allow.some((entry) => (entry.endsWith('*') ? name.startsWith(entry.slice(0, -1)) : name === entry));
}
