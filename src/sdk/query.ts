/** `query()`: one session driven by a prompt, or by a stream of prompts. */
import type { SetServersResult } from '../engine/compose/mcp.ts';
import type { HostFile, HostFileOptions } from '../engine/host-files.ts';
import type { QueryEngine } from '../engine/query-engine.ts';
import type { ReloadedPlugins, ReloadPluginsOptions } from '../engine/reload-plugins.ts';
import type { McpServerStatus } from '../engine/session-facts.ts';
import type { TaskOutputTail } from '../engine/session-tasks.ts';
import type { ContextUsage } from '../protocol/context-usage.ts';
import { TurnwrightError } from '../protocol/errors.ts';
import type { HooksListing } from '../protocol/hook-config.ts';
import type { PermissionMode } from '../protocol/permission.ts';
import type {
  SDKMessage,
  SDKResultMessage,
  SDKUserMessage,
  SlashCommandInfo,
} from '../protocol/sdk-messages.ts';
import { endableIterator } from '../util/endable-iterator.ts';
import { type Announcements, createAnnouncements } from './announcements.ts';
import { splitServers } from './mcp/configured-servers.ts';
import { connectServer } from './mcp/connect-server.ts';
import type { McpServerConfig } from './mcp/server-config.ts';
import { type Opening, startEngine } from './open-engine.ts';
import { checkOptions, type Options } from './options.ts';
import { createPromptFeed, handQueueOn, noticeFrom, type PromptFeed, userMessage } from './prompt-feed.ts';
import { type InitializationResult, initializationOf } from './session-info.ts';
import { type SettingsMethods, settingsMethods } from './settings-methods.ts';
import { errorResult, refuseAborted } from './stop-errors.ts';

export interface Query extends AsyncGenerator<SDKMessage, void, void>, SettingsMethods {
  /** Stops the running turn; it still yields its result. Tells which prompts wait and will still run. */
  interrupt(): Promise<{ readonly still_queued: readonly string[] }>;
  /** From the next turn on; undefined: the default model. */
  setModel(model?: string): Promise<void>;
  /** At once, for calls that are not yet decided; a status message tells of it. */
  setPermissionMode(mode: PermissionMode): Promise<void>;
  /** From the next turn on; 0: no thinking, null: as configured. */
  setMaxThinkingTokens(tokens: number | null): Promise<void>;
  /** Does not wait for MCP servers. */
  initializationResult(): Promise<InitializationResult>;
  supportedCommands(): Promise<InitializationResult['commands']>;
  supportedModels(): Promise<InitializationResult['models']>;
  supportedAgents(): Promise<InitializationResult['agents']>;
  accountInfo(): Promise<InitializationResult['account']>;
  mcpServerStatus(): Promise<readonly McpServerStatus[]>;
  /** Rejects with the reason when it does not come to a connection. */
  reconnectMcpServer(name: string): Promise<void>;
  /** Off: its tools are taken away from the next request on. */
  toggleMcpServer(name: string, on: boolean): Promise<void>;
  /** Puts these servers in the place of those of an earlier call; the ones of `options.mcpServers` stay. */
  setMcpServers(servers: Readonly<Record<string, McpServerConfig>>): Promise<SetServersResult>;
  /** Looks for skills again; the model is told of what changed with the next prompt. */
  reloadSkills(): Promise<{ readonly skills: readonly SlashCommandInfo[] }>;
  /**
   * Gives the session a name. Rejects with `invalid_option` for an empty one, and when `sessionId` names another
   * session than this.
   */
  renameSession(title: string, which?: { readonly sessionId?: string | undefined }): Promise<void>;
  /** Reads the plugins again; see `ReloadPluginsOptions`. */
  reloadPlugins(options?: ReloadPluginsOptions): Promise<ReloadedPlugins>;
  /** The hooks of this session: callbacks, and those of settings and plugins. */
  hooksListing(): Promise<HooksListing>;
  /** The names of the output styles there are now. */
  reloadOutputStyles(): Promise<{ readonly available_output_styles: readonly string[] }>;
  /** By the rules of the Read tool; null: not there, or not allowed unasked. */
  readFile(path: string, options?: HostFileOptions): Promise<HostFile | null>;
  /** The model has seen this file as it was at `mtime` (ms), though its context no longer shows it. */
  seedReadState(path: string, mtime: number): Promise<void>;
  /** Paths in the working directory that fit the beginning of a mention; folders end in a slash. */
  fileSuggestions(query: string): Promise<readonly string[]>;
  /** What fills the context, by category. */
  getContextUsage(): Promise<ContextUsage>;
  /** Rejects with `unknown_task`, and with `task_ended` for one that does not run. */
  stopTask(taskId: string): Promise<void>;
  /**
   * Lets commands and agents that a call waits for go on in the background: that of one call, or all. False when
   * `toolUseId` names none that waits. Rejects with `tasks_disabled`.
   */
  backgroundTasks(toolUseId?: string): Promise<boolean>;
  /** The end of a task's output. Rejects with `unknown_task`. */
  getTaskOutput(taskId: string): Promise<TaskOutputTail>;
  /** More prompts. Resolves when all of them were read. */
  streamInput(input: AsyncIterable<SDKUserMessage>): Promise<void>;
  /** Ends the session: no result, and the iterator ends silently. */
  close(): Promise<void>;
}

/**
 * Runs a session. A string is one prompt; of a stream, each message is a submission with a result of its own,
 * unless it joins the turn that is running when it arrives. Throws `invalid_option` at once. The iterator throws
 * AbortError when `options.abortController` fired, and `error_result` once the input has ended and the last
 * result was an error.
 */
export function query({
  prompt,
  options = {},
}: {
  /** Absent, with `resume` or `continue`: the interrupted submission is carried on to its result (L4.1). */
  readonly prompt?: string | AsyncIterable<SDKUserMessage> | undefined;
  readonly options?: Options;
}): Query {
  checkOptions(options);
  const carriesOn = prompt === undefined;
  if (carriesOn && options.resume === undefined && options.continue !== true) {
    throw new TurnwrightError(
      'invalid_option',
      'A query needs a prompt, or "resume" or "continue" to carry on what was interrupted.',
    );
  }
  const caller = options.abortController?.signal;
  let opening: Opening | undefined;
  let closing: Promise<void> | undefined;
  const open = () => {
    if (opening === undefined) {
      opening = startEngine(options);
      // Whoever asks for one of the two hears of its failure; the other must not count as unheard.
      opening.config.catch(() => undefined);
      attend(opening.engine).catch(() => undefined);
    }
    return opening;
  };
  const engine = () => open().engine;
  const announcements = createAnnouncements();
  const feed = createPromptFeed(engine);
  const attend = async (opened: Promise<QueryEngine>) => {
    const session = await opened;
    session.tasks.onChange(feed.wake);
    session.onAnnouncement((message) => {
      announcements.say(message);
      feed.wake();
    });
  };
  const close = () => {
    closing ??= (async () => {
      feed.end();
      await (await opening?.engine.catch(() => undefined))?.close();
    })();
    return closing;
  };
  const sayMode = (session: QueryEngine) => {
    announcements.say(session.modeMessage());
    feed.wake();
  };
  const isOver = () => closing !== undefined;
  /** After `/clear` the same stream goes on with the engine of the next conversation. */
  const succeed = async (session: QueryEngine) => {
    const next = session.successor();
    if (next === undefined) return;
    opening = { config: open().config, engine: Promise.resolve(next) };
    await attend(opening.engine);
    await handQueueOn(session, next);
    await session.close();
  };
  let commands: InitializationResult['commands'] | undefined;
  const heard = (message: SDKMessage) => {
    if (message.type === 'system' && message.subtype === 'commands_changed') commands = message.commands;
  };

  const reading = carriesOn
    ? feed.end()
    : typeof prompt === 'string'
      ? feed.add(userMessage(prompt))
      : feed.read(prompt);
  const life: Life = { caller, isOver, close, succeed, heard, carriesOn, announcements };
  const messages = run(engine, feed, reading, life);
  const initialization = async () => initializationOf(await open().config);
  return Object.assign(
    endableIterator(messages, () => void close()),
    {
      async interrupt() {
        const session = await engine();
        session.interrupt();
        // Who cannot stop single tasks would be left with them; nor can anybody once the input is closed.
        if (options.perTaskStopAffordance !== true || feed.ended) await session.tasks.stopAll('interrupt');
        return { still_queued: session.queued().flatMap(({ uuid }) => uuid ?? []) };
      },
      setModel: async (model?: string) => (await engine()).setModel(model),
      async setPermissionMode(mode: PermissionMode) {
        const session = await engine();
        session.setPermissionMode(mode);
        sayMode(session);
      },
      ...settingsMethods(engine, sayMode),
      async setMaxThinkingTokens(tokens: number | null) {
        (await engine()).setThinking(
          tokens === null
            ? undefined
            : tokens === 0
              ? { type: 'disabled' }
              : { type: 'enabled', budgetTokens: tokens },
        );
      },
      initializationResult: initialization,
      supportedCommands: async () => commands ?? (await initialization()).commands,
      supportedModels: async () => (await initialization()).models,
      supportedAgents: async () => (await initialization()).agents,
      accountInfo: async () => (await initialization()).account,
      reloadSkills: async () => ({ skills: await (await engine()).reloadSkills() }),
      renameSession: async (title: string, which?: { readonly sessionId?: string | undefined }) =>
        (await engine()).rename(title, which?.sessionId),
      reloadPlugins: async (options?: ReloadPluginsOptions) => (await engine()).reloadPlugins(options),
      hooksListing: async () => (await engine()).hooksListing(),
      reloadOutputStyles: async () => ({
        available_output_styles: (await initialization()).available_output_styles,
      }),
      readFile: async (path: string, options?: HostFileOptions) => (await engine()).files.read(path, options),
      seedReadState: async (path: string, mtime: number) => (await engine()).files.seedRead(path, mtime),
      fileSuggestions: async (query: string) => (await engine()).files.suggest(query),
      getContextUsage: async () => (await engine()).getContextUsage(),
      mcpServerStatus: async () => (await engine()).mcpServerStatus(),
      reconnectMcpServer: async (name: string) => (await engine()).reconnectMcpServer(name),
      toggleMcpServer: async (name: string, on: boolean) => (await engine()).toggleMcpServer(name, on),
      async setMcpServers(servers: Readonly<Record<string, McpServerConfig>>) {
        const { inProcess, external } = splitServers(servers);
        const clients = await Promise.all(inProcess.map(([name, server]) => connectServer(name, server)));
        return (await engine()).setMcpServers(external, clients);
      },
      stopTask: async (taskId: string) => (await engine()).tasks.stop(taskId),
      backgroundTasks: async (toolUseId?: string) => (await engine()).tasks.toBackground(toolUseId),
      getTaskOutput: async (taskId: string) => (await engine()).tasks.output(taskId),
      streamInput: (input: AsyncIterable<SDKUserMessage>) => feed.read(input),
      close,
    },
  );
}

interface Life {
  readonly caller: AbortSignal | undefined;
  isOver(): boolean;
  close(): Promise<void>;
  succeed(session: QueryEngine): Promise<void>;
  heard(message: SDKMessage): void;
  readonly carriesOn: boolean;
  readonly announcements: Announcements;
}

async function* run(
  engine: () => Promise<QueryEngine>,
  feed: PromptFeed,
  reading: Promise<void> | void,
  life: Life,
): AsyncGenerator<SDKMessage, void, void> {
  const { caller, announcements } = life;
  let inputFailed: { readonly error: unknown } | undefined;
  reading?.catch((error: unknown) => {
    inputFailed = { error };
    feed.wake();
  });
  const wake = () => feed.wake();
  caller?.addEventListener('abort', wake, { once: true });
  let last: SDKResultMessage | undefined;
  let callOff = () => {};
  try {
    if (life.carriesOn) {
      refuseAborted(caller);
      for await (const message of announcements.between((await engine()).resume())) {
        refuseAborted(caller);
        if (message.type === 'result') last = message;
        yield message;
      }
    }
    while (true) {
      refuseAborted(caller);
      if (life.isOver()) return;
      const session = await engine();
      for (let said = announcements.take(); said !== undefined; said = announcements.take()) yield said;
      const next = feed.next(session) ?? noticeFrom(session);
      callOff();
      if (next === undefined) {
        if (inputFailed !== undefined) throw inputFailed.error;
        // Background work is waited for, as its end is news (F45); after an error nobody would go on with it.
        if (feed.ended && (!session.tasks.running || last?.is_error === true)) {
          await session.tasks.stopAll('session');
          for (let said = announcements.take(); said !== undefined; said = announcements.take()) yield said;
          break;
        }
        if (feed.ended) callOff = session.tasks.limitWait();
        await feed.changed();
        continue;
      }
      const { uuid, origin, shouldQuery, verbatim } = next;
      const messages = session.submitMessage(next.content, { uuid, origin, shouldQuery, verbatim });
      for await (const message of announcements.between(messages)) {
        refuseAborted(caller);
        if (shouldQuery === false) continue;
        if (message.type === 'result') last = message;
        life.heard(message);
        yield message;
      }
      await life.succeed(session);
    }
    if (last?.is_error === true && !life.isOver()) throw errorResult(last);
  } finally {
    callOff();
    caller?.removeEventListener('abort', wake);
    await life.close();
  }
}
