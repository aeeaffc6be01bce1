import { TurnwrightError } from '../../protocol/errors.ts';
import {
  formatRule,
  PERMISSION_MODES,
  type PermissionMode,
  type PermissionUpdate,
} from '../../protocol/tools/permission.ts';
import { parseRule } from '../rules/permission-rule.ts';

/** Which modes a session may switch to, besides those that are open to every one. */
export interface OpenModes {
  readonly bypassPermissions: boolean;
  /** It has a judge. */
  readonly auto: boolean;
}

/**
 * Throws `invalid_mode` for a mode that does not exist, or has no judge, and `bypass_not_launched` for one
 * that had to be enabled at the start.
 */
export function checkMode(mode: PermissionMode, open: OpenModes): PermissionMode {
  if (!PERMISSION_MODES.includes(mode)) {
    throw new TurnwrightError(
      'invalid_mode',
      `"${String(mode)}" is not a permission mode; the modes are ${PERMISSION_MODES.join(', ')}.`,
    );
  }
  if (mode === 'auto' && !open.auto)
    throw new TurnwrightError(
      'invalid_mode',
      'The permission mode auto needs a judge, or is switched off: name a model as autoMode.judge in your settings, or as --judge, when the session starts.',
    );
  if (mode === 'bypassPermissions' && !open.bypassPermissions) {
    throw new TurnwrightError(
      'bypass_not_launched',
      'The permission mode bypassPermissions needs allowDangerouslySkipPermissions: true when the run starts.',
    );
  }
  return mode;
}

/**
 * Throws `invalid_option` for an update that could not be applied whole. Hosts write these, so they are
 * checked.
 */
export function checkUpdate(update: PermissionUpdate, open: OpenModes): void {
  switch (update?.type) {
    case 'addRules':
    case 'replaceRules':
    case 'removeRules':
      if (!['allow', 'deny', 'ask'].includes(update.behavior) || !Array.isArray(update.rules))
        throw unreadable(update);
      for (const rule of update.rules) parseRule(formatRule(rule), update.behavior);
      return;
    case 'setMode':
      checkMode(update.mode, open);
      return;
    case 'addDirectories':
    case 'removeDirectories':
      if (
        !Array.isArray(update.directories) ||
        !update.directories.every((each) => typeof each === 'string')
      ) {
        throw unreadable(update);
      }
      return;
    default:
      throw unreadable(update);
  }
}

function unreadable(update: unknown): TurnwrightError {
  return new TurnwrightError(
    'invalid_option',
    `This permission update cannot be read: ${JSON.stringify(update)}`,
  );
}
