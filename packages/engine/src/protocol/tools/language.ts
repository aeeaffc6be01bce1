/** Language servers: as options, settings and plugins describe them, and their states in a session. */

/** A language server: a program that speaks the Language Server Protocol over its standard streams. */
export interface LanguageServerConfig {
  /** A program on `PATH`, or its path. */
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  /** Endings of files, and the language that the server calls them: `{ ".go": "go" }`. */
  readonly extensionToLanguage: Readonly<Record<string, string>>;
  /** Variables of its environment, beside those that child processes get. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Sent with `initialize`. */
  readonly initializationOptions?: unknown;
  /** What it is answered when it asks for its configuration, by section. */
  readonly settings?: Readonly<Record<string, unknown>> | undefined;
  /**
   * Its workspace, absolute or from the session's folder.
   * @default the session's folder
   */
  readonly workspaceFolder?: string | undefined;
  /**
   * ms that it may take until it is ready.
   * @default 30000
   */
  readonly startupTimeout?: number | undefined;
  /**
   * Whether it is started again after it ended by itself.
   * @default true
   */
  readonly restartOnCrash?: boolean | undefined;
  /**
   * How often, each time after a longer pause.
   * @default 3
   */
  readonly maxRestarts?: number | undefined;
  /** Only `stdio`. */
  readonly transport?: 'stdio' | undefined;
}

export interface LanguageServersSettings {
  /** Servers by name. */
  readonly servers?: Readonly<Record<string, LanguageServerConfig>> | undefined;
  /**
   * Whether well-known servers are used that are installed in the project or on `PATH`.
   * @default false
   */
  readonly known?: boolean | undefined;
  /**
   * ms that an edit waits for its problems; what comes later is in the next request.
   * @default 1500
   */
  readonly waitMs?: number | undefined;
}

/** true: well-known servers. false: none, those of plugins included. */
export type LanguageServersOption = boolean | LanguageServersSettings;

export interface LanguageServerStatus {
  readonly name: string;
  /** `idle`: it is started when it is first needed. */
  readonly state: 'idle' | 'starting' | 'running' | 'failed';
  /** The program. */
  readonly command: string;
  /** Endings of its files. */
  readonly extensions: readonly string[];
  /** Absolute; absent while it is idle. */
  readonly root?: string;
  /** Of one that failed: why, half a sentence. */
  readonly problem?: string;
}
