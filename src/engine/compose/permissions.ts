import { createAsk } from '../../permissions/ask.ts';
import { createPermissions } from '../../permissions/permission-engine.ts';
import type { PersistentFiles } from '../../protocol/files.ts';
import type { AskPort, PermissionPort } from '../../protocol/gate.ts';
import type { CanUseTool, PermissionResult } from '../../protocol/permission.ts';
import type { Clock, Ids } from '../../protocol/ports.ts';
import type { QueryEngineConfig } from '../config.ts';
import { STRUCTURED_OUTPUT_TOOL } from '../structured-output.ts';

export interface ComposedPermissions {
  readonly permissions: PermissionPort;
  readonly ask: AskPort;
  presetAnswer(answer: PermissionResult & { readonly toolUseID: string }): void;
}

export function composePermissions(
  config: QueryEngineConfig,
  ports: {
    readonly files: PersistentFiles;
    readonly ids: Ids;
    readonly clock: Clock;
    readonly readableDirectories: readonly string[];
  },
): ComposedPermissions {
  const permissions = createPermissions({
    mode: config.permissionMode,
    allowDangerouslySkipPermissions: config.allowDangerouslySkipPermissions,
    // The caller asked for this tool by giving a schema.
    allow: [
      ...(config.allowRules ?? []),
      ...(config.jsonSchema === undefined ? [] : [STRUCTURED_OUTPUT_TOOL]),
    ],
    deny: config.denyRules,
    ask: config.askRules,
    rules: config.permissionRules,
    additionalDirectories: config.additionalDirectories,
    readableDirectories: ports.readableDirectories,
    home: config.env?.['HOME'],
    files: ports.files,
  });
  const preset = new Map<string, PermissionResult>();
  const { canUseTool } = config;
  const withPreset: CanUseTool = async (toolName, input, context) => {
    const answer = preset.get(context.toolUseID);
    if (answer === undefined) return canUseTool?.(toolName, input, context) ?? null;
    preset.delete(context.toolUseID);
    return answer;
  };
  // Without a host the ask room words the denial itself, so it must not be given a callback it would call a host.
  const needsPreset = config.orphanedPermission !== undefined;
  const ask = createAsk({
    canUseTool: needsPreset ? withPreset : canUseTool,
    permissions,
    ids: ports.ids,
    clock: ports.clock,
  });
  return { permissions, ask, presetAnswer: (answer) => preset.set(answer.toolUseID, answer) };
}
