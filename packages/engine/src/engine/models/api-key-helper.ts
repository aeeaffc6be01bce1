import { childProcess } from '@turnwright/base/node.ts';
import { TurnwrightError } from '../../protocol/errors.ts';
import type { Resolution } from '../../settings/resolve/resolution.ts';
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

/**
 * The API key that a command of the user's settings prints. Throws `invalid_settings`; never repeats its
 * output.
 */
async function keyFromHelper(
  command: string,
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<string> {
  const { exitCode, stdout } = await runCredentialCommand(command, { cwd, env, limitMs: LIMIT_MS });
  const key = stdout.trim();
  if (exitCode === 0 && key !== '') return key;
  throw new TurnwrightError('invalid_settings', `apiKeyHelper printed no key (exit code ${exitCode}).`);
}

/** Runs a command of the user's settings by the shell. Its output may hold secrets. */
export function runCredentialCommand(
  command: string,
  place: {
    readonly cwd: string;
    readonly env: Readonly<Record<string, string>>;
    readonly limitMs: number;
  },
): Promise<{ readonly exitCode: number | string; readonly stdout: string }> {
  const { cwd, env, limitMs } = place;
  return new Promise((resolve) => {
    childProcess().exec(command, { cwd, env, timeout: limitMs, windowsHide: true }, (error, stdout) =>
      resolve({ exitCode: error === null ? 0 : (error.code ?? error.signal ?? 1), stdout }),
    );
  });
}
