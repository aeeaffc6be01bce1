/** What a wire is set up with, by the variables and settings that its users know, and what comes of it. */

import type { CacheTtl } from '../protocol/model/cache.ts';
import type { ProviderConfig } from '../protocol/model/provider-config.ts';
import type { OpenWire } from '../protocol/model/provider-wire.ts';

export interface WireSetup {
  readonly provider: ProviderConfig;
  /** Variables of the session. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly userAgent: string;
  /** Added to every request of a cloud; they override the client's own. `anthropic-beta` is merged. */
  readonly headers: Readonly<Record<string, string>>;
  /** false: no cache breakpoints. */
  readonly caching: boolean;
  readonly cacheTtl: CacheTtl;
  /** Further fields of each request body; they override fields of the request. */
  readonly extraBody: Readonly<Record<string, unknown>> | undefined;
  readonly proxyUrl?: string | undefined;
  readonly noProxy?: string | undefined;
  /** Additional certificate authorities, PEM. */
  readonly ca?: string | Buffer | undefined;
  /** Commands of settings that the user trusts. */
  readonly commands: CredentialCommands;
  /** Runs one of them and returns what it printed. Rejects with a sentence, without its output. */
  readonly runCommand: (command: string, limitMs: number) => Promise<string>;
}

interface CredentialCommands {
  /** Renews what is below `~/.aws`. */
  readonly awsAuthRefresh?: string | undefined;
  /** Prints AWS credentials as JSON. */
  readonly awsCredentialExport?: string | undefined;
  /** Renews Google's application default credentials. */
  readonly gcpAuthRefresh?: string | undefined;
}

/** How the provider is reached; `problem`: a sentence that says why it cannot be, and what to do. */
export type WireAccess = { readonly open: OpenWire } | { readonly problem: string };
