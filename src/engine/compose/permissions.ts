import { createAsk } from '../../permissions/ask.ts';
import { createPermissions, type Permissions } from '../../permissions/permission-engine.ts';
import { promptThrough } from '../../permissions/prompt-tool.ts';
import type { PersistentFiles } from '../../protocol/files.ts';
import type { AskPort, PermissionQuestion } from '../../protocol/gate.ts';
import type { CanUseTool, PermissionResult, PermissionUpdate } from '../../protocol/permission.ts';
import type { Clock, Ids } from '../../protocol/ports.ts';
import type { ToolOutput } from '../../protocol/tool.ts';
import type { QueryEngineConfig } from '../config.ts';
import { STRUCTURED_OUTPUT_TOOL } from '../structured-output.ts';
import { readableNotes } from './memory.ts';

export interface ComposedPermissions {
  readonly permissions: Permissions;
  /** In memory, and in the settings file that an update names. */
  applyUpdates(updates: readonly PermissionUpdate[]): Promise<void>;
  readonly ask: AskPort;
  presetAnswer(answer: PermissionResult & { readonly toolUseID: string }): void;
}

const NO_PROMPTS =
  'This call needs approval, and permission prompts are switched off for this run, so it is denied. Do what can be done without it.';

const BY_TOOL = { answeredBy: 'permissionPromptTool' } as const;

/** Who answers questions. An MCP tool that was named for it goes before the host. */
function answererOf(
  { canUseTool, permissionPromptTool: name }: QueryEngineConfig,
  callTool: (name: string, input: Record<string, unknown>, signal: AbortSignal) => Promise<ToolOutput>,
): CanUseTool | undefined {
  if (name === undefined) return canUseTool;
  return promptThrough((input, signal) => callTool(name, input, signal));
}

/** The same, for questions of one who has a mode, or directories, of their own. */
export function askingWith(
  composed: ComposedPermissions,
  whose: Pick<PermissionQuestion, 'mode' | 'ownDirectories'>,
): ComposedPermissions {
  const { permissions } = composed;
  const own = Object.create(permissions, {
    decide: { value: (question: PermissionQuestion) => permissions.decide({ ...whose, ...question }) },
  }) as Permissions;
  return { ...composed, permissions: own };
}

export function composePermissions(
  config: QueryEngineConfig,
  ports: {
    readonly files: PersistentFiles;
    readonly ids: Ids;
    readonly clock: Clock;
    readonly readableDirectories: () => readonly string[];
    /** Tools whose server was told to ask in any mode. */
    readonly asksAlways: (tool: string) => boolean;
    /** Calls a tool beside the conversation, for `permissionPromptTool`. */
    callTool(name: string, input: Record<string, unknown>, signal: AbortSignal): Promise<ToolOutput>;
  },
): ComposedPermissions {
  const notes = readableNotes(config);
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
    directorySources: config.directorySources,
    locks: config.permissionLocks,
    readableDirectories: () => [...ports.readableDirectories(), ...notes],
    asksAlways: ports.asksAlways,
    home: config.env?.['HOME'],
    files: ports.files,
  });
  const preset = new Map<string, PermissionResult>();
  const canUseTool = answererOf(config, ports.callTool);
  const applyUpdates = async (updates: readonly PermissionUpdate[]) => {
    permissions.check(updates);
    await config.settingsAccess?.persist(updates);
    permissions.apply(updates);
  };
  const common = { permissions: { apply: applyUpdates }, ids: ports.ids };
  const askSomebody = createAsk({
    ...common,
    canUseTool,
    clock: ports.clock,
    timeoutMs: config.permissionTimeoutMs,
  });
  const tellKnown = createAsk({
    ...common,
    async canUseTool(_name, _input, { toolUseID }) {
      const answer = preset.get(toolUseID) ?? null;
      preset.delete(toolUseID);
      return answer;
    },
  });
  const answeredBy = config.permissionPromptTool === undefined ? {} : BY_TOOL;
  const ask: AskPort = async (question, signal) => {
    if (preset.has(question.toolUseId)) return tellKnown(question, signal);
    // Asked for anew at each question: settings may change it while the session runs.
    if (permissions.locks.denyInsteadOfPrompting === true) return { behavior: 'deny', message: NO_PROMPTS };
    const answer = await askSomebody(question, signal);
    return answer.behavior === 'pending' ? answer : { ...answer, ...answeredBy };
  };
  return { permissions, applyUpdates, ask, presetAnswer: (answer) => preset.set(answer.toolUseID, answer) };
}
