import type { PermissionMode } from '../../protocol/tools/permission.ts';

/** How much a mode lets through. Of two with the same figure the session's holds. */
const REACH: Readonly<Record<PermissionMode, number>> = {
  plan: 0,
  dontAsk: 0,
  default: 1,
  acceptEdits: 2,
  auto: 2,
  bypassPermissions: 3,
};

/**
 * The session's mode, unless a stricter one is asked for: an agent is never allowed more than its session.
 */
export function stricterMode(session: PermissionMode, asked: PermissionMode | undefined): PermissionMode {
  return asked !== undefined && REACH[asked] < REACH[session] ? asked : session;
}
