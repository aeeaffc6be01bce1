/** Who asks for isolated commands gets them, or no session: isolation is not available yet. */
import { TurnwrightError } from '../protocol/errors.ts';
import type { SandboxSettings } from './settings.ts';

const WHY =
  'sandbox is enabled but commands cannot be isolated here: bubblewrap (bwrap) and socat are not supported yet';

/** Throws `sandbox_unavailable` unless running without isolation was agreed to, which is warned of. */
export function checkSandbox(sandbox: SandboxSettings | undefined, warn: (line: string) => void): void {
  if (sandbox?.enabled !== true) return;
  if (sandbox.failIfUnavailable === false) {
    warn(`${WHY}. Commands will run WITHOUT isolation.`);
    return;
  }
  throw new TurnwrightError(
    'sandbox_unavailable',
    `Sandbox required but unavailable: ${WHY}. Set sandbox.failIfUnavailable=false to allow unsandboxed execution.`,
  );
}
