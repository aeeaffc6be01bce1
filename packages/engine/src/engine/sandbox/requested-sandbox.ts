/** The isolation that options and settings request, or why a session cannot start without it. */

import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import { TurnwrightError } from '../../protocol/errors.ts';
import type { Resolution } from '../../settings/resolve/resolution.ts';
import type { SessionSandbox } from './session-sandbox.ts';

interface RequestedSandbox {
  readonly sandbox?: SessionSandbox;
  /** To throw when a session is started. */
  readonly refused?: TurnwrightError;
}

/** A session that requests isolated commands does not start without them, unless it accepts their absence. */
export async function requestedSandbox(
  { sandbox: asked, config, homeDirectory: home }: Resolution,
  files: PersistentFiles,
  warn: (line: string) => void,
): Promise<RequestedSandbox> {
  if (asked === undefined) return {};
  const { refusingSandbox, openSessionSandbox } = await import('./open-sandbox.ts');
  const found = await openSessionSandbox(asked, { configHome: config.home, home, files });
  if ('sandbox' in found) return found;
  const why = `sandbox is enabled but ${found.why}`;
  if (!asked.failIfUnavailable) {
    warn(`Sandbox disabled: ${why}. Commands will run WITHOUT isolation.`);
    return {};
  }
  const sentence = `Sandbox required but unavailable: ${why}. Set sandbox.failIfUnavailable=false to allow unsandboxed execution.`;
  return {
    sandbox: refusingSandbox(asked, sentence),
    refused: new TurnwrightError('sandbox_unavailable', sentence),
  };
}
