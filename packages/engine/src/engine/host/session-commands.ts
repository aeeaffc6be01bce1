/** The commands of a running session: those of its configuration, and the prompts of its MCP servers. */

import type { SDKCommandsChanged } from '../../protocol/stream/session-messages.ts';
import type { Command } from '../../protocol/tools/command.ts';
import type { QueryEngineConfig } from '../config.ts';
import type { HostChannel } from '../session/host-channel.ts';
import { collectCommands, commandList, loadCommands } from './command-list.ts';

type CommandConfig = Pick<QueryEngineConfig, 'commands' | 'commandSources' | 'disableSlashCommands'>;

export class SessionCommands {
  readonly #config: CommandConfig;
  readonly #mcp: { readonly commands: readonly Command[] };
  readonly #host: HostChannel;
  /** The list that hosts know; undefined: the one they could ask for before the session had begun. */
  #emitted: string | undefined;

  constructor(config: CommandConfig, mcp: { readonly commands: readonly Command[] }, host: HostChannel) {
    this.#config = config;
    this.#mcp = mcp;
    this.#host = host;
  }

  /** In the order in which a name is looked up. */
  list(): readonly Command[] {
    return collectCommands(this.#config, this.#mcp.commands);
  }

  /** Reads what the sources have to read. Never rejects. */
  load(): Promise<void> {
    return loadCommands(this.#config);
  }

  /**
   * For the host, when the list is another than it knows: at first it knows all but the prompts of MCP
   * servers.
   */
  changed(): readonly SDKCommandsChanged[] {
    const { commands: ofServers } = this.#mcp;
    if (ofServers.length === 0 && this.#emitted === undefined) return [];
    const known = this.#emitted ?? toKey(commandList(this.#config));
    const commands = commandList(this.#config, ofServers);
    this.#emitted = toKey(commands);
    if (known === this.#emitted) return [];
    return [{ type: 'system', subtype: 'commands_changed', commands, ...this.#host.stamp() }];
  }

  /** Emits the list if this changes it. */
  async changing<T>(change: Promise<T>): Promise<T> {
    this.#emitted ??= toKey(commandList(this.#config, this.#mcp.commands));
    const result = await change;
    for (const message of this.changed()) this.#host.emit(message);
    return result;
  }
}

/** The same for equal lists. */
const toKey = (list: ReturnType<typeof commandList>): string => JSON.stringify(list);
