/** The hooks of a session: callbacks of the host, then what settings and plugins describe. */
import { join } from 'node:path';
import type { Scope } from '@turnwright/base/async/scope.ts';
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import { reminder, textOfContent } from '@turnwright/base/text/text-blocks.ts';
import type { HookedFiles, WatchedHooks } from '../../attachments/hooked-files.ts';
import { configuredHook } from '../../hooks/configured-hooks.ts';
import { createHooks, type Hooks, type OtherHooks } from '../../hooks/hook-runner.ts';
import type { RegisteredHook } from '../../hooks/registered-hook.ts';
import { ruleTest } from '../../permissions/rules/rule-test.ts';
import type { SystemBody } from '../../protocol/model/messages.ts';
import type { Clock, Ids, InboxItem } from '../../protocol/ports.ts';
import type { SDKMessage } from '../../protocol/stream/sdk-messages.ts';
import {
  type HookCall,
  type HookEvent,
  type HookInputBase,
  type HookPort,
  NO_HOOK_VERDICT,
} from '../../protocol/tools/hook.ts';
import {
  type ConfiguredHook,
  type HooksListing,
  OPEN_HOOK_POLICY,
} from '../../protocol/tools/hook-config.ts';
import type { SandboxPort } from '../../protocol/tools/isolation.ts';
import type { PermissionMode } from '../../protocol/tools/permission.ts';
import type { AnyTool } from '../../protocol/tools/tool.ts';
import type { QueryEngineConfig } from '../config.ts';
import { connectWith } from '../connect-with.ts';
import type { HostChannel } from '../session/host-channel.ts';
import type { ToolsRoom } from '../tools/tools-room.ts';

interface HookParts {
  readonly sessionId: string;
  readonly scope: Scope;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly files: PersistentFiles;
  /** Of child processes. */
  readonly env: Readonly<Record<string, string>>;
  readonly sandbox: Pick<SandboxPort, 'isolate' | 'isolatesHooks'> | undefined;
  /** What changes while the session runs. */
  readonly now: () => {
    readonly cwd: string;
    readonly transcriptPath: string | undefined;
    readonly promptId: string | undefined;
    readonly mode: PermissionMode;
    /** Of the model's answers; undefined: it knows of none. */
    readonly effort: string | undefined;
  };
  readonly host: HostChannel;
  /** The tools of now. */
  readonly tools: () => readonly AnyTool[];
  /** Past the gate: a person set the hook up. Rejects when there is no such tool. */
  readonly callTool: ToolsRoom['callTool'];
  readonly askJudge: Parameters<typeof configuredHook>[1]['askJudge'];
  /** Queues a prompt. */
  readonly enqueue: (item: Omit<InboxItem, 'n'>) => Promise<void>;
}

export interface SessionHooks extends Hooks, WatchedHooks {
  /** Hooks of plugins that were read again, for `takeUp`. Throws `invalid_settings` and changes nothing. */
  setPluginHooks(hooks: readonly ConfiguredHook[]): void;
  /** What was set holds from here on. */
  takeUp(): void;
}

/** Throws `invalid_option` and `invalid_settings` for hooks that cannot be read. */
export function composeHooks(config: QueryEngineConfig, parts: HookParts): SessionHooks {
  return new ComposedHooks(config, parts);
}

/** What runs hooks is made for the first of them: most sessions have none. */
class ComposedHooks implements SessionHooks {
  readonly #config: QueryEngineConfig;
  readonly #parts: HookParts;
  #runner: Hooks | undefined;
  /** By what they say: one that is read again is the one that there was. */
  #made: Map<string, RegisteredHook> | undefined;
  #waiting: OtherHooks | undefined;
  #watched: HookedFiles | undefined;

  constructor(config: QueryEngineConfig, parts: HookParts) {
    this.#config = config;
    this.#parts = parts;
    const { hooks = {}, configuredHooks = [], plugins } = config;
    const others = configuredHooks.length + (plugins?.hooks.length ?? 0);
    if (others > 0 || Object.keys(hooks).length > 0) this.#running();
  }

  has(event: HookEvent): boolean {
    return this.#runner?.has(event) === true;
  }

  async run(...[call, options]: Parameters<Hooks['run']>): ReturnType<Hooks['run']> {
    const runner = this.#runner;
    if (runner === undefined) return NO_HOOK_VERDICT;
    const run = () => runner.run(call, options);
    return this.#watched === undefined || !runner.has(call.event) ? run() : this.#watched.around(call, run);
  }

  ran(agentId?: string) {
    return this.#runner?.ran?.(agentId) ?? [];
  }

  watch(files: HookedFiles): void {
    this.#watched = files;
  }

  listing(): Promise<HooksListing> {
    return this.#running().listing();
  }

  replace(others: OtherHooks): void {
    this.#running().replace(others);
  }

  setPluginHooks(ofPlugins: readonly ConfiguredHook[]): void {
    this.#waiting = this.#othersWith(ofPlugins);
  }

  takeUp(): void {
    if (this.#waiting !== undefined) this.replace(this.#waiting);
    this.#waiting = undefined;
  }

  close(): Promise<unknown> | undefined {
    return this.#runner?.close();
  }

  #running(): Hooks {
    if (this.#runner !== undefined) return this.#runner;
    const config = this.#config;
    const parts = this.#parts;
    this.#runner = createHooks({
      matchers: config.hooks,
      ...this.#othersWith(config.plugins?.hooks ?? []),
      policy: config.hookPolicy,
      base: (event) => buildInputBase(event, parts),
      clock: parts.clock,
      ids: parts.ids,
      show: (body) => show(body, config, parts),
      showAll: config.includeHookEvents === true,
      spans: config.spans?.hooks,
      late: {
        context: (event, texts) => put(`${event} hook: ${texts.join('\n')}`, parts),
        wake: (text) => put(text, parts),
      },
    });
    parts.scope.onClose(tellOfSettings(config, this.#runner, parts.scope));
    return this.#runner;
  }

  #othersWith(ofPlugins: readonly ConfiguredHook[]): OtherHooks {
    const described = [...(this.#config.configuredHooks ?? []), ...ofPlugins];
    if (described.length === 0) return {};
    const ports = buildHookPorts(this.#config, this.#parts);
    this.#made ??= new Map();
    const made = this.#made;
    const all = described.map((hook) => {
      const key = JSON.stringify(hook);
      const registered = made.get(key) ?? configuredHook(hook, ports);
      made.set(key, registered);
      return { off: hook.disabled === true, hook: registered };
    });
    return {
      more: all.filter(({ off }) => !off).map(({ hook }) => hook),
      disabled: all.filter(({ off }) => off).map(({ hook }) => hook),
    };
  }
}

function buildHookPorts(config: QueryEngineConfig, parts: HookParts): Parameters<typeof configuredHook>[1] {
  const { clock, files } = parts;
  const home = config.env?.['HOME'];
  return {
    cwd: config.cwd,
    projectRoot: config.projectRoot ?? config.cwd,
    childEnv: parts.env,
    bytecode: config.home === undefined ? undefined : join(config.home, 'cache', 'bytecode'),
    isolate: parts.sandbox?.isolatesHooks === true ? parts.sandbox.isolate : undefined,
    env: config.env ?? {},
    policy: config.hookPolicy ?? OPEN_HOOK_POLICY,
    connect: connectWith(config),
    clock,
    askJudge: parts.askJudge,
    async callMcpTool(server, tool, input, signal) {
      const output = await parts.callTool(`mcp__${server}__${tool}`, input, signal);
      return { text: textOfContent(output.content), isError: output.isError === true };
    },
    ruleTest(rule) {
      const test = ruleTest(rule, { files, home });
      return async (call: HookCall) => {
        const question = toPermissionQuestion(call, config, parts);
        return question === undefined || test(question);
      };
    },
  };
}

const CONFIG_SOURCE = {
  userSettings: 'user_settings',
  projectSettings: 'project_settings',
  localSettings: 'local_settings',
} as const;

/** ConfigChange, after each settings file that this session wrote. */
function tellOfSettings(
  { settingsAccess }: QueryEngineConfig,
  hooks: HookPort,
  scope: Pick<Scope, 'signal'>,
): () => void {
  const told = settingsAccess?.onChange(
    ({ source, file }) =>
      void hooks.run(
        { event: 'ConfigChange', source: CONFIG_SOURCE[source], file_path: file },
        { signal: scope.signal },
      ),
  );
  return () => told?.();
}

/** No mode is in force where nothing can be asked about. */
const WITHOUT_MODE: ReadonlySet<HookEvent> = new Set([
  'SessionStart',
  'SessionEnd',
  'PreCompact',
  'PostCompact',
  'SubagentStart',
  'Elicitation',
  'ElicitationResult',
  'InstructionsLoaded',
  'PreModelSwitch',
  'PostModelSwitch',
  'StopFailure',
  'CwdChanged',
  'DirectoryAdded',
  'MessageDisplay',
]);

/**
 * They come of an answer of the model, and of how hard it thought; instructions, when they are loaded in a
 * turn.
 */
const WITH_EFFORT: ReadonlySet<HookEvent> = new Set([
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'PostToolBatch',
  'PermissionRequest',
  'PermissionDenied',
  'Stop',
  'SubagentStop',
  'StopFailure',
  'InstructionsLoaded',
]);

function buildInputBase(event: HookEvent, { sessionId, now }: HookParts): HookInputBase {
  const { cwd, transcriptPath, promptId, mode, effort } = now();
  return {
    session_id: sessionId,
    transcript_path: transcriptPath ?? '',
    cwd,
    ...(promptId !== undefined && { prompt_id: promptId }),
    ...(!WITHOUT_MODE.has(event) && { permission_mode: mode }),
    ...(effort !== undefined &&
      promptId !== undefined &&
      WITH_EFFORT.has(event) && { effort: { level: effort } }),
  };
}

/** An engine that is being closed has no consumer: the message is then written to stderr. */
function show(body: SystemBody, config: QueryEngineConfig, { host }: HookParts): void {
  const message = { type: 'system', ...body, ...host.stamp() } as SDKMessage;
  if (!host.emit(message) && body.subtype === 'informational') config.stderr?.(body.content);
}

/** What a hook says after its event is over joins the running turn, or makes one. */
function put(text: string, { enqueue, ids }: HookParts): void {
  const content = reminder(text).text;
  // The session may be over by now; then the prompt is dropped.
  void enqueue({ key: `hook-${ids.uuid()}`, priority: 'next', content, byHook: true }).catch(() => undefined);
}

/** undefined: the call's tool is not known, so nothing can be held against a rule. */
function toPermissionQuestion(
  call: HookCall,
  config: QueryEngineConfig,
  parts: Pick<HookParts, 'now' | 'tools'>,
) {
  const { tool_name, tool_input, tool_use_id } = call as Readonly<Record<string, unknown>>;
  const tool = parts.tools().find(({ name }) => name === tool_name);
  if (tool === undefined) return undefined;
  return {
    tool,
    input: (tool_input ?? {}) as Record<string, unknown>,
    toolUseId: String(tool_use_id ?? ''),
    cwd: parts.now().cwd,
    root: config.cwd,
    additionalDirectories: config.additionalDirectories ?? [],
  };
}
