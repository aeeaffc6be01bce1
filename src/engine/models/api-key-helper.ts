import { TurnwrightError } from '../../protocol/errors.ts';
import { childProcess } from '../../util/node.ts';

const LIMIT_MS = 30_000;

/** The API key that a command of the user's settings prints. Throws `invalid_settings`; never repeats its output. */
export function keyFromHelper(
  command: string,
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<string> {
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
