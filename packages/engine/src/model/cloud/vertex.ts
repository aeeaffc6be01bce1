/** Google Vertex AI: rawPredict with a Google access token. */

import { parseJson } from '@turnwright/base/bounded-json.ts';
import { openConnections } from '@turnwright/base/http/connections.ts';
import { createFetch } from '@turnwright/base/http/create-fetch.ts';
import type { ModelFailure } from '../../protocol/model/failure.ts';
import type { HttpHead } from '../../protocol/model/provider-wire.ts';
import { MESSAGES_API } from '../messages-wire.ts';
import { classifyAnswer, classifyConnectionError } from '../retry/classify-error.ts';
import type { WireAccess, WireSetup } from '../wire-setup.ts';
import { describeRootCause, isOn, LOGIN_LIMIT_MS, readCloudVariable, urlIn } from './cloud-setup.ts';
import { type CloudEndpoint, createCloudWire } from './cloud-wire.ts';
import { vertexModel, vertexRegionVariables } from './model-ids.ts';
import {
  type ClientOptions,
  loadDependency,
  loadPackage,
  missingPackage,
  type OfficialClient,
} from './official-client.ts';

const PACKAGE = '@anthropic-ai/vertex-sdk';
const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';

interface VertexModule {
  readonly AnthropicVertex: new (
    options: ClientOptions & {
      readonly region: string;
      readonly projectId: string;
      readonly baseURL: string | undefined;
      readonly authClient: AuthClient;
    },
  ) => OfficialClient;
}

/** What is used of `google-auth-library`. */
interface AuthClient {
  getRequestHeaders(): Promise<Headers>;
}
interface GoogleAuthModule {
  readonly GoogleAuth: new (options: {
    readonly scopes: string;
    readonly projectId: string;
    readonly keyFilename?: string;
    readonly clientOptions: { readonly transporterOptions: { readonly fetchImplementation: typeof fetch } };
  }) => { getClient(): Promise<AuthClient> };
}

/**
 * `CLOUD_ML_REGION` is required, or a region for the model in `VERTEX_REGION_CLAUDE_…`; so is
 * `ANTHROPIC_VERTEX_PROJECT_ID` (or `GOOGLE_CLOUD_PROJECT`, `GCLOUD_PROJECT`).
 */
export function vertexAccess(setup: WireSetup): WireAccess {
  const region = readCloudVariable(setup, 'CLOUD_ML_REGION');
  if (region === undefined)
    return { problem: 'Vertex needs a region: set CLOUD_ML_REGION, for example to global or us-east5.' };
  if (!/^[a-z0-9-]+$/.test(region))
    return { problem: `CLOUD_ML_REGION is not the name of a region: ${region}` };
  const projectId =
    readCloudVariable(setup, 'ANTHROPIC_VERTEX_PROJECT_ID') ??
    readCloudVariable(setup, 'GOOGLE_CLOUD_PROJECT') ??
    readCloudVariable(setup, 'GCLOUD_PROJECT');
  if (projectId === undefined)
    return { problem: 'Vertex needs a project: set ANTHROPIC_VERTEX_PROJECT_ID to its id.' };
  const { url, problem } = urlIn(setup, 'ANTHROPIC_VERTEX_BASE_URL');
  const missing = problem ?? missingPackage('Vertex', PACKAGE);
  if (missing !== undefined) return { problem: missing };
  return { open: (ports) => createCloudWire(vertexEndpoint(setup, region, projectId, url), setup, ports) };
}

function vertexEndpoint(
  setup: WireSetup,
  region: string,
  projectId: string,
  baseUrl: string | undefined,
): CloudEndpoint {
  const skipAuth = isOn(setup, 'CLAUDE_CODE_SKIP_VERTEX_AUTH');
  const { gcpAuthRefresh } = setup.commands;
  const fix =
    gcpAuthRefresh === undefined
      ? 'Log in again (`gcloud auth application-default login`), or name the command that does in the setting gcpAuthRefresh.'
      : 'Check the command in the setting gcpAuthRefresh.';
  /** Caches its token until it expires. */
  let authClient: Promise<AuthClient> | undefined;
  return {
    name: 'vertex',
    title: 'Google Cloud',
    api: {
      ...MESSAGES_API,
      name: 'Vertex AI',
      classify: (head, text, nowMs) => classifyGoogle(head, text, nowMs, fix),
    },
    body: { anthropic_version: 'vertex-2023-10-16' },
    knows: { contextManagement: true, serverTools: true, metadata: false },
    modelId: vertexModel,
    async client(model) {
      const { AnthropicVertex } = await loadPackage<VertexModule>(PACKAGE);
      authClient ??= skipAuth ? Promise.resolve(NO_AUTH) : googleClient(setup, projectId);
      const signer = await authClient;
      return (options) =>
        new AnthropicVertex({
          ...options,
          region: findRegion(setup, model) ?? region,
          projectId,
          baseURL: baseUrl,
          authClient: signer,
        });
    },
    async renewCredentials() {
      if (skipAuth) return false;
      authClient = undefined;
      if (gcpAuthRefresh !== undefined) await setup.runCommand(gcpAuthRefresh, LOGIN_LIMIT_MS);
      return true;
    },
    unsigned: (error) => ({
      kind: 'cloud_credentials',
      message: `Google Cloud credentials could not be obtained: ${describeRootCause(error)}. ${fix}`,
      cause: error,
    }),
  };
}

const NO_AUTH: AuthClient = { getRequestHeaders: async () => new Headers() };

function googleClient(setup: WireSetup, projectId: string): Promise<AuthClient> {
  const { GoogleAuth } = loadDependency<GoogleAuthModule>(PACKAGE, 'google-auth-library');
  const keyFilename = readCloudVariable(setup, 'GOOGLE_APPLICATION_CREDENTIALS');
  return new GoogleAuth({
    scopes: SCOPE,
    projectId,
    ...(keyFilename !== undefined && { keyFilename }),
    clientOptions: { transporterOptions: { fetchImplementation: fetchOnce(setup) } },
  }).getClient();
}

/** For the small requests by which tokens are obtained: each on sockets of its own; failures in our words. */
function fetchOnce({ proxyUrl, noProxy, ca }: WireSetup): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const { method, signal } = request;
    const http = createFetch((baseUrl) => openConnections({ baseUrl, proxyUrl, noProxy, ca }));
    try {
      const answer = await http.fetch(request.url, {
        method,
        signal,
        headers: { ...Object.fromEntries(request.headers), 'accept-encoding': 'identity' },
        body: method === 'GET' ? null : await request.text(),
      });
      return new Response(answer.body && (await answer.arrayBuffer()), answer);
    } catch (error) {
      signal.throwIfAborted();
      throw new Error(classifyConnectionError(error as Error).message, { cause: error });
    } finally {
      http.close();
    }
  };
}

function findRegion(setup: WireSetup, model: string): string | undefined {
  return vertexRegionVariables(model)
    .map((name) => readCloudVariable(setup, name))
    .find((region) => region !== undefined);
}

/** Google's own errors, and those of the Messages API that Vertex passes on. */
function classifyGoogle(head: HttpHead, text: string, nowMs: number, fix: string): ModelFailure {
  const failure = classifyAnswer(head, unwrapped(text), nowMs);
  if (failure.kind !== 'authentication' && failure.kind !== 'cloud_credentials') return failure;
  const said = classifyAnswer({ ...head, status: 400 }, unwrapped(text), nowMs).message;
  return {
    ...failure,
    kind: 'cloud_credentials',
    message: `Google Cloud refused the credentials: ${said.replace(/\.$/, '')}. ${fix}`,
  };
}

/** An error of a streamed method comes as a list of one. */
function unwrapped(text: string): string {
  if (!text.trimStart().startsWith('[')) return text;
  try {
    return JSON.stringify((parseJson(text) as readonly unknown[])[0]);
  } catch {
    return text;
  }
}
