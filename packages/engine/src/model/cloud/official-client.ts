/**
 * Anthropic's own clients for the clouds, as far as they are used: they address a request and sign it with
 * the cloud's credentials. They are optional packages of the user, loaded with the first request. What they
 * would send is handed over: it goes through our connections and our readers, which know proxies,
 * certificates, time limits and truncated answers. So a client never sees an answer, and never retries.
 */
import { createRequire } from 'node:module';

/** What is used of a client. */
export interface OfficialClient {
  post(
    path: string,
    options: {
      readonly body: string;
      readonly headers: Readonly<Record<string, string | null>>;
      readonly signal: AbortSignal;
    },
  ): { asResponse(): Promise<unknown> };
}

/** Options that every client gets. */
export interface ClientOptions {
  readonly fetch: typeof fetch;
  readonly maxRetries: 0;
  readonly logLevel: 'off';
  /** The attempt is recorded by us; the client would report an answer that it has not seen. */
  readonly openTelemetry: false;
}

export interface SignedRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface UnsignedRequest {
  /** Of the Messages API, JSON. */
  readonly body: string;
  /** null: without the client's own. */
  readonly headers: Readonly<Record<string, string | null>>;
}

/** Headers of the clients that say nothing true about our request. */
const DROPPED = { 'x-stainless-retry-count': null, 'x-stainless-timeout': null };

/** Rejects with the client's error, such as missing credentials, and on abort. */
export async function sign(
  makeClient: (options: ClientOptions) => OfficialClient,
  { body, headers }: UnsignedRequest,
  signal: AbortSignal,
): Promise<SignedRequest> {
  let signed: SignedRequest | undefined;
  const client = makeClient({
    fetch: async (url, init) => {
      signed = {
        url: new URL(String(url)),
        headers: Object.fromEntries(new Headers(init?.headers)),
        body: String(init?.body),
      };
      return Response.json({});
    },
    maxRetries: 0,
    logLevel: 'off',
    openTelemetry: false,
  });
  await client.post('/v1/messages', { body, headers: { ...headers, ...DROPPED }, signal }).asResponse();
  if (signed === undefined) throw new Error('The client sent no request.');
  return signed;
}

const require = createRequire(import.meta.url);

/** A sentence with the command that installs the package; undefined: it is installed. */
export function missingPackage(provider: string, name: string): string | undefined {
  try {
    require.resolve(name);
    return undefined;
  } catch {
    return `${provider} needs the package ${name}, which is not installed: npm install ${name}`;
  }
}

/** The module of an optional package. */
export async function loadPackage<T>(name: string): Promise<T> {
  return (await import(name)) as T;
}

/** A module that `owner` depends on, in the version that it uses. */
export function loadDependency<T>(owner: string, name: string): T {
  return createRequire(require.resolve(owner))(name) as T;
}
