import { TurnwrightError } from '../../protocol/errors.ts';
import type { Resolution } from '../../settings/resolve/resolution.ts';
import { childProcess } from '../../util/node.ts';
import type { QueryEngineConfig } from '../config.ts';

const LIMIT_MS = 30_000;

/** Credentials of a configuration whose key a command prints. Runs it; throws `invalid_settings`. */
export async function credentialsFromHelper(
  command: string,
  { cwd, childEnv }: Pick<Resolution['config'], 'childEnv' | 'cwd'>,
): Promise<Pick<QueryEngineConfig, 'apiKey' | 'credentials'>> {
  const apiKey = () => keyFromHelper(command, cwd, childEnv);
  return { apiKey: await apiKey(), credentials: async () => ({ apiKey: await apiKey() }) };
}

/** The API key that a command of the user's settings prints. Throws `invalid_settings`; never repeats its output. */
function keyFromHelper(command: string, cwd: string, env: Readonly<Record<string, string>>): Promise<string> {
  return new Promise((resolve, reject) => {
    childProcess().exec(command, { cwd, env, timeout: LIMIT_MS, windowsHide: true }, (error, stdout) => {
      const key = stdout.trim();
      if (error === null && key !== '') resolve(key);
      else
        reject(
          new TurnwrightError(
            'invalid_settings',
            `apiKeyHelper printed no key (exit code ${error?.code ?? 0}).`,
          ),
        );
    });
  });
}
