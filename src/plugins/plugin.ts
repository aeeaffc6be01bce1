/** A plugin, as other rooms take it: what it is called and where its parts are. Plain data; nothing of it has run. */

export interface Plugin {
  /** Stands before the names of its parts, with a colon. */
  readonly name: string;
  readonly version?: string;
  readonly description?: string;
  /** Absolute. */
  readonly root: string;
  /** Absolute, and inside of the root with links followed: so are all of these. */
  readonly commandDirectories: readonly string[];
  readonly agentDirectories: readonly string[];
  readonly skillDirectories: readonly string[];
  readonly outputStyleDirectories: readonly string[];
  /** By event, as a settings file has them. `${CLAUDE_PLUGIN_ROOT}` is left for the shell. */
  readonly hooks: Readonly<Record<string, unknown>>;
  /** By the plugin's own names for them; `${CLAUDE_PLUGIN_ROOT}` is replaced. */
  readonly mcpServers: Readonly<Record<string, unknown>>;
}

export interface PluginError {
  /** Its name; `inline[n]` for the n-th of the list when it did not come to one. */
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
  /** Absolute; when nothing of it was loaded. */
  readonly path?: string;
}

export const PLUGIN_ROOT = 'CLAUDE_PLUGIN_ROOT';
