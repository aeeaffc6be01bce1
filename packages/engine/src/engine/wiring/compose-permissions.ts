import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import { createPermissions } from '../../permissions/permission-engine.ts';
import type { SandboxPort } from '../../protocol/tools/isolation.ts';
import type { QueryEngineConfig } from '../config.ts';
import { type AskedPermissions, Asking, type AskingPorts } from '../host/asking.ts';
import { protectedFolders } from '../sandbox/protected-folders.ts';
import { STRUCTURED_OUTPUT_TOOL } from '../submission/structured-output.ts';

interface PermissionRoomPorts extends AskingPorts {
  readonly files: PersistentFiles;
  readonly readableDirectories: () => readonly string[];
  /** undefined: commands are not isolated. */
  readonly sandbox: SandboxPort | undefined;
  /** Tools of servers whose calls ask in every mode. */
  readonly asksAlways: (tool: string) => boolean;
}

export function composePermissions(config: QueryEngineConfig, ports: PermissionRoomPorts): AskedPermissions {
  const permissions = createPermissions({
    mode: config.permissionMode,
    allowDangerouslySkipPermissions: config.allowDangerouslySkipPermissions,
    hasJudge: config.autoMode?.judge !== undefined,
    // The caller asked for this tool by giving a schema.
    allow: [
      ...(config.allowRules ?? []),
      ...(config.outputFormat === undefined ? [] : [STRUCTURED_OUTPUT_TOOL]),
    ],
    deny: config.denyRules,
    ask: config.askRules,
    rules: config.permissionRules,
    additionalDirectories: config.additionalDirectories,
    directorySources: config.directorySources,
    locks: config.permissionLocks,
    readableDirectories: ports.readableDirectories,
    asksAlways: ports.asksAlways,
    protectedFolders: () => protectedFolders(config),
    memoryImportsAnywhere: config.memoryFiles?.imports === 'anywhere',
    sandbox: ports.sandbox,
    home: config.env?.['HOME'],
    searchPath: (config.childEnv ?? config.env)?.['PATH'],
    files: ports.files,
  });
  const asking = new Asking(config, permissions, ports);
  return {
    permissions,
    applyUpdates: (updates) => asking.applyUpdates(updates),
    ask: (question, signal) => asking.ask(question, signal),
    isAnswered: (toolUseId) => asking.isAnswered(toolUseId),
    presetAnswer: (answer) => asking.preset(answer),
  };
}
