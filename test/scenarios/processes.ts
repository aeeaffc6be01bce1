/** Looking at processes and at what they leave behind, without timed assertions. */
import { existsSync, readFileSync } from 'node:fs';

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  // A child that nobody has waited for yet is dead all the same.
  try {
    return !/^State:\s*Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return true;
  }
}

/** Below the limit of a test, so that what never comes is named, and nothing polls on behind a failed test. */
const PATIENCE_MS = 90_000;

/** Resolves once the condition holds. Throws when it does not come to hold. */
export async function until(holds: () => boolean): Promise<void> {
  const giveUpMs = performance.now() + PATIENCE_MS;
  while (!holds()) {
    if (performance.now() > giveUpMs) throw new Error(`This never came to hold: ${holds}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

/** Resolves once the file is there and not empty. */
export function untilFile(path: string): Promise<void> {
  return until(() => existsSync(path) && readFileSync(path).length > 0);
}
