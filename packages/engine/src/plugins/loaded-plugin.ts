/** A plugin as plain data for other rooms: its name and the places of its parts. None of it has run. */
import type { NamedCommand } from './manifest.ts';

export interface Plugin {
  /** Prefix of the names of its parts, followed by a colon. */
  readonly name: string;
  readonly version?: string;
  readonly description?: string;
  /** Absolute. */
  readonly root: string;
  /** Absolute, resolved and inside of the root, like all following paths. */
  readonly commandDirectories: readonly string[];
  readonly commandFiles: readonly PluginCommand[];
  /** Folders and files. */
  readonly agentDirectories: readonly string[];
  readonly skillDirectories: readonly string[];
  /** Folders and files. */
  readonly outputStyleDirectories: readonly string[];
  /** By event, as in a settings file. `${CLAUDE_PLUGIN_ROOT}` is left for the shell. */
  readonly hooks: Readonly<Record<string, unknown>>;
  /** By the plugin's own names for them; `${CLAUDE_PLUGIN_ROOT}` is replaced. */
  readonly mcpServers: Readonly<Record<string, unknown>>;
  /** Language servers, in the same form. */
  readonly lspServers: Readonly<Record<string, unknown>>;
}

/** A command that a manifest names: its file, or its text. */
export interface PluginCommand extends Omit<NamedCommand, 'source' | 'content'> {
  /** Without the plugin's name. */
  readonly name: string;
  /** Absolute: its file, else the plugin's folder. */
  readonly path: string;
  /** undefined: that of its file. */
  readonly text?: string;
}

export interface PluginError {
  /** Its name; `inline[n]` for the n-th of the list when it has none. */
  readonly plugin: string;
  readonly type:
    | 'path-not-found'
    | 'manifest-validation-error'
    | 'path-escape'
    | 'duplicate-name'
    | 'component-load-failed'
    | 'hook-load-failed'
    | 'generic-error';
  /** One sentence. */
  readonly message: string;
  /** Absolute path; present when no part of it was loaded. */
  readonly path?: string;
}

export const PLUGIN_ROOT = 'CLAUDE_PLUGIN_ROOT';
