/** What `${VAR}` means in the configurations of servers. */
import type { ServerVariables } from '../../mcp/servers/parse-server.ts';
import { childEnvironment } from '../../settings/resolve/child-env.ts';
import type { QueryEngineConfig } from '../config.ts';

/**
 * A server that a repository brought along says itself where what it is given goes. It gets what child
 * processes get: a variable that looks like a secret only where the user names it in `childEnvAllow`, a
 * provider's key never.
 */
export function serverVariables(
  { scope }: { readonly scope: string },
  { childEnv, env = {} }: Pick<QueryEngineConfig, 'childEnv' | 'env'>,
): ServerVariables {
  if (scope !== 'project') return { values: env };
  const values = childEnv ?? childEnvironment(env);
  return { values, isWithheld: (name) => env[name] !== undefined && values[name] === undefined };
}
