/** What the cloud providers are set up with, and what comes of it. */
import type { CacheTtl } from '../request/cache-breakpoints.ts';
import type { OpenWire } from '../wire.ts';

export type CloudName = 'bedrock' | 'vertex' | 'foundry';

export interface CloudSetup {
  /** Variables of the session. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly userAgent: string;
  /** Added to every request; they override the client's own. `anthropic-beta` is merged. */
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

/** A login in a browser takes its time. */
export const LOGIN_LIMIT_MS = 180_000;

/** How the provider is reached; `problem`: a sentence that says why it cannot be, and what to do. */
export type CloudAccess = { readonly open: OpenWire } | { readonly problem: string };

/** A variable that is set to something; undefined otherwise. */
export function variable({ env }: Pick<CloudSetup, 'env'>, name: string): string | undefined {
  return env[name]?.trim() || undefined;
}

/** `1`, `true`, `yes` or `on`. */
export function isOn(setup: Pick<CloudSetup, 'env'>, name: string): boolean {
  return /^(?:1|true|yes|on)$/i.test(variable(setup, name) ?? '');
}

/** The URL in a variable, without a slash at its end. `problem`: it is not one. */
export function urlIn(
  setup: Pick<CloudSetup, 'env'>,
  name: string,
): { readonly url?: string | undefined; readonly problem?: string } {
  const url = variable(setup, name)?.replace(/\/+$/, '');
  if (url === undefined) return {};
  return URL.canParse(url) && /^https?:/.test(url) ? { url } : { problem: `${name} is not a URL: ${url}` };
}
