import type { LanguageServersOption } from '../../protocol/tools/language.ts';
import type { Servers } from '../read/mcp-file.ts';
import type { UserServers } from '../read/user-servers.ts';
import type { Settings, SettingsLayer } from '../settings-keys.ts';
import type { ProjectTrust } from '../trust/trust.ts';
import type { ResolvedSandbox } from './resolve-sandbox.ts';
import type { ApiKeySource, ResolvedOptions } from './resolved-options.ts';

/**
 * What the resolver found: the options as the engine takes them, and what its parts are made from. Plain
 * data.
 */
export interface Resolution {
  readonly config: ResolvedOptions & Filled;
  /** Values that had to be ignored, one sentence each. */
  readonly warnings: readonly string[];
  /** Those of them that say what of the settings is not in force: the stream says them, too. */
  readonly notices: readonly string[];
  /** What was read, weakest first, without what each layer may not set. */
  readonly layers: readonly SettingsLayer[];
  /** The settings files as they were read, with what a repository may not set. */
  readonly filesRead: readonly SettingsLayer[];
  /** Absolute: files of the project must really lie in it. */
  readonly repositoryRoot: string;
  /** What `~` means. */
  readonly homeDirectory: string | undefined;
  readonly project: ResolvedProject;
  /** Which servers of the project's `.mcp.json` are used. */
  readonly projectServers: ProjectServerPolicy;
  /** Of the user's own file, as far as its sources are read. */
  readonly userServers: UserServers;
  /** How commands are isolated; undefined: they are not. */
  readonly sandbox: ResolvedSandbox | undefined;
  /** A command that prints an API key; undefined when a key is given. */
  readonly apiKeyHelper: string | undefined;
  /** A credential or an address was given, so there is a model to ask. */
  readonly isModelConfigured: boolean;
  /** What asks for the provider, for errors: `CLAUDE_CODE_USE_BEDROCK`. */
  readonly providerAskedBy: string;
  readonly languageServers: LanguageServersOption | undefined;
  /** Built-in tools that are not offered to the model: bare names in `disallowedTools`. */
  readonly removedTools: readonly string[];
  /** Share of the context window, 0 to 1; undefined: the engine's default. */
  readonly deferToolsAbove: number | undefined;
  /** Limits of the Bash tool; undefined: its own. */
  readonly bash: {
    readonly defaultTimeoutMs: number | undefined;
    readonly maxTimeoutMs: number | undefined;
    readonly maxOutputChars: number | undefined;
  };
  /** undefined: the default one. */
  readonly outputStyle: string | undefined;
  /** The agent that the main thread of a new session is; never that of a repository which is not trusted. */
  readonly agent: string | undefined;
  readonly skills: {
    /**
     * Where those of the project are looked for, and whether they may allow tools; undefined: they are not
     * read.
     */
    readonly project:
      | { readonly root: string; readonly trusted: boolean; trusts(folder: string): Promise<boolean> }
      | undefined;
    /** Whether those of the configuration home are read. */
    readonly user: boolean;
    readonly maxDescriptionChars: number | undefined;
    readonly budgetFraction: number | undefined;
    readonly overrides: NonNullable<Settings['skillOverrides']>;
  };
}

/** The fields of `config` that always have a value. */
type Filled = {
  readonly [Name in
    | 'additionalDirectories'
    | 'baseUrl'
    | 'childEnv'
    | 'directorySources'
    | 'env'
    | 'hookPolicy'
    | 'permissionLocks'
    | 'permissionMode'
    | 'permissionRules'
    | 'projectRoot'
    | 'projectTrusted'
    | 'settingSources']: NonNullable<ResolvedOptions[Name]>;
} & { readonly apiKeySource: ApiKeySource };

/** Whether the project's files may do more than restrict, and what they ask for. */
export interface ResolvedProject {
  readonly trusted: boolean;
  /** Whether its shared settings may allow tools: naming it among the sources does not permit that. */
  readonly mayAllow: boolean;
  /** Whether a folder above or below is trusted, whose skills are read too: each is agreed to by itself. */
  trusts(folder: string): Promise<boolean>;
  /** undefined if the record of trust was not requested. */
  readonly trust: ProjectTrust | undefined;
  /** Of `.mcp.json`, as they are written; undefined when there is none, or it may not be used. */
  readonly mcpServers: Servers | undefined;
}

/** Which servers of a trusted project's `.mcp.json` are used. */
export interface ProjectServerPolicy {
  /** undefined: all of them. */
  readonly enabled: readonly string[] | undefined;
  readonly disabled: readonly string[];
}
