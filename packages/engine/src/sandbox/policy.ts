/**
 * What an isolated program may do: plain data, out of settings, rules and the session. All paths are
 * absolute.
 */
export interface SandboxPolicy {
  /** Folders that may be written, beside a temporary one of its own. */
  readonly writable: readonly string[];
  readonly deniedWrites: readonly PathPattern[];
  readonly deniedReads: readonly PathPattern[];
  /** Read all the same, inside what may not be read. */
  readonly readable: readonly string[];
  /** Folders and files that grant, beside those that are known by their names. They can be read. */
  readonly protectedPaths: readonly string[];
  /** Where configuration and credentials are: neither read nor written. */
  readonly hiddenPaths: readonly string[];
  /**
   * Keys and tokens of other programs: not read where they are, and where they are not, nothing is kept free
   * for them.
   */
  readonly credentialPaths: readonly string[];
  /**
   * The user's home folder, where shells and programs look for their configuration; undefined: there is none.
   */
  readonly home: string | undefined;
  readonly network: NetworkPolicy;
  readonly allowUnixSockets: boolean;
  readonly allowUserNamespaces: boolean;
  /** The process table stays the machine's: for containers that can mount none. */
  readonly sharesProc: boolean;
  /** false: all files can be read and written; the network and system calls stay filtered. */
  readonly isolatesFiles: boolean;
  /** Variables that are taken out of the environment. */
  readonly hiddenVariables: readonly string[];
  readonly macos: MacosPolicy;
}

export type NetworkPolicy =
  | { readonly kind: 'none' }
  | { readonly kind: 'all' }
  /** Through a proxy that looks at names. */
  | {
      readonly kind: 'domains';
      readonly allowed: readonly string[];
      readonly denied: readonly string[];
      readonly httpProxyPort?: number | undefined;
      readonly socksProxyPort?: number | undefined;
    };

/** What only the sandbox of macOS knows. */
interface MacosPolicy {
  readonly unixSockets: readonly string[];
  readonly allowLocalBinding: boolean;
  readonly machServices: readonly string[];
  readonly allowAppleEvents: boolean;
  readonly allowTrustDaemon: boolean;
}

/**
 * A path: the folder where it begins, and the names that are looked for beneath it, in the syntax of ignore
 * files: `*`, `?`, classes, backslashes, and `**` for any number of names.
 */
export interface PathPattern {
  readonly root: string;
  readonly segments: readonly string[];
  /** A file of that name is not meant, only a folder. */
  readonly foldersOnly?: boolean;
}

/** Where the programs are that isolate. */
export interface SandboxPrograms {
  /** bubblewrap, or `sandbox-exec` on macOS. */
  readonly isolator: string;
  readonly socat: string | undefined;
}
