import { join, relative, sep } from 'node:path';
import { createAsk } from '../../permissions/ask/ask.ts';
import { promptThrough } from '../../permissions/ask/prompt-tool.ts';
import { createPermissions, type Permissions } from '../../permissions/permission-engine.ts';
import type { PersistentFiles } from '../../protocol/files.ts';
import type { AskPort, PermissionQuestion } from '../../protocol/gate.ts';
import type { CanUseTool, PermissionResult, PermissionUpdate } from '../../protocol/permission.ts';
import type { Clock, Ids } from '../../protocol/ports.ts';
import type { SandboxPort } from '../../protocol/sandbox.ts';
import type { ToolOutput } from '../../protocol/tool.ts';
import { isInside } from '../../util/files/inside.ts';
import { compiledCode } from '../../util/process/compile-cache.ts';
import type { QueryEngineConfig } from '../config.ts';
import { STRUCTURED_OUTPUT_TOOL } from '../submission/structured-output.ts';
import { readableNotes } from './project/memory.ts';

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
  { canUseTool, permissionPromptToolName: name }: QueryEngineConfig,
  callTool: (name: string, input: Record<string, unknown>, signal: AbortSignal) => Promise<ToolOutput>,
): CanUseTool | undefined {
  if (name === undefined) return canUseTool;
  return promptThrough((input, signal) => callTool(name, input, signal));
}

/** What tools need of them. */
export interface ToolPermissions extends Pick<ComposedPermissions, 'ask' | 'presetAnswer'> {
  readonly permissions: Pick<Permissions, 'decide' | 'readFilter'>;
}

/** The same, for questions of one who has a mode, or directories, of their own. */
export function askingWith(
  { ask, permissions, presetAnswer }: ToolPermissions,
  whose: Pick<PermissionQuestion, 'mode' | 'ownDirectories'>,
): ToolPermissions {
  const isOwn = whose.mode !== undefined || whose.ownDirectories !== undefined;
  const own = isOwn && {
    decide: (question: PermissionQuestion) => permissions.decide({ ...whose, ...question }),
    readFilter: (place: { readonly cwd: string }) => permissions.readFilter(place),
  };
  return { ask, presetAnswer, permissions: own || permissions };
}

export interface PermissionRoomPorts {
  readonly files: PersistentFiles;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly readableDirectories: () => readonly string[];
  /** undefined: commands are not isolated. */
  readonly sandbox: Pick<SandboxPort, 'placeOf' | 'autoAllow'> | undefined;
  /** Tools whose server was told to ask in any mode. */
  readonly asksAlways: (tool: string) => boolean;
  /** Calls a tool beside the conversation, for `permissionPromptToolName`. */
  callTool(name: string, input: Record<string, unknown>, signal: AbortSignal): Promise<ToolOutput>;
}

export function composePermissions(
  config: QueryEngineConfig,
  ports: PermissionRoomPorts,
): ComposedPermissions {
  const notes = readableNotes(config);
  const permissions = createPermissions({
    mode: config.permissionMode,
    allowDangerouslySkipPermissions: config.allowDangerouslySkipPermissions,
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
    readableDirectories: () => [...ports.readableDirectories(), ...notes],
    asksAlways: ports.asksAlways,
    protectedFolders: () => protectedFolders(config),
    memoryImportsAnywhere: config.memoryFiles?.imports === 'anywhere',
    sandbox: ports.sandbox,
    home: config.env?.['HOME'],
    files: ports.files,
  });
  const asking = new Asking(config, permissions, ports);
  return {
    permissions,
    applyUpdates: (updates) => asking.applyUpdates(updates),
    ask: (question, signal) => asking.ask(question, signal),
    presetAnswer: (answer) => asking.preset(answer),
  };
}

/** What plugins bring, or would once they are read again, and code that the next process runs, in whatever folder they are. */
export function foldersThatRun({ plugins, env = {} }: QueryEngineConfig): readonly string[] {
  return [...(plugins?.folders ?? []), ...compiledCode(env, process.platform)];
}

/** The user's own configuration too. */
function protectedFolders(config: QueryEngineConfig) {
  const { cwd, home } = config;
  const roots = foldersThatRun(config).map((path) => ({ path }));
  if (home === undefined) return roots;
  // A project that was put into the home is a project all the same.
  const [first = ''] = isInside(cwd, home) ? relative(home, cwd).split(sep) : [];
  const isProject = first !== '' && !PARTS_OF_A_HOME.test(first);
  return [...roots, { path: home, except: isProject ? join(home, first) : undefined }];
}

/** Folders of a configuration home. */
const PARTS_OF_A_HOME =
  /^(?:\..*|skills|agents|agent-memory|commands|hooks|output-styles|plans|plugins|projects|rules|tasks)$/i;

/** Whoever answers is made ready for the first question. */
class Asking {
  readonly #config: QueryEngineConfig;
  readonly #permissions: Permissions;
  readonly #ports: PermissionRoomPorts;
  #preset: Map<string, PermissionResult> | undefined;

  constructor(config: QueryEngineConfig, permissions: Permissions, ports: PermissionRoomPorts) {
    this.#config = config;
    this.#permissions = permissions;
    this.#ports = ports;
  }

  preset(answer: PermissionResult & { readonly toolUseID: string }): void {
    this.#preset ??= new Map();
    this.#preset.set(answer.toolUseID, answer);
  }

  async applyUpdates(updates: readonly PermissionUpdate[]): Promise<void> {
    this.#permissions.check(updates);
    await this.#config.settingsAccess?.persist(updates);
    this.#permissions.apply(updates);
  }

  async ask(...[question, signal]: Parameters<AskPort>): ReturnType<AskPort> {
    const { permissionPromptToolName, permissionTimeoutMs: timeoutMs } = this.#config;
    const { callTool, clock, ids } = this.#ports;
    const known = this.#preset?.get(question.toolUseId);
    const permissions = { apply: (updates: readonly PermissionUpdate[]) => this.applyUpdates(updates) };
    if (known !== undefined) {
      const tellKnown: CanUseTool = async (_name, _input, { toolUseID }) => {
        this.#preset?.delete(toolUseID);
        return known;
      };
      return createAsk({ permissions, ids, canUseTool: tellKnown })(question, signal);
    }
    // Asked for anew at each question: settings may change it while the session runs.
    if (this.#permissions.locks.denyInsteadOfPrompting === true)
      return { behavior: 'deny', message: NO_PROMPTS, answeredBy: 'asyncAgent' };
    const canUseTool = answererOf(this.#config, callTool);
    const answer = await createAsk({ permissions, ids, canUseTool, clock, timeoutMs })(question, signal);
    if (answer.behavior === 'pending' || permissionPromptToolName === undefined) return answer;
    return answer.answeredBy !== undefined ? answer : { ...answer, ...BY_TOOL };
  }
}
