/** Microsoft Foundry: the Messages API below an Azure resource, with an API key or a token of Entra ID. */

import type { ModelFailure } from '../../protocol/model/failure.ts';
import type { HttpHead } from '../../protocol/model/provider-wire.ts';
import { MESSAGES_API } from '../messages-wire.ts';
import { classifyAnswer } from '../retry/classify-error.ts';
import type { WireAccess, WireSetup } from '../wire-setup.ts';
import { describeRootCause, isOn, readCloudVariable, urlIn } from './cloud-setup.ts';
import { type CloudEndpoint, createCloudWire } from './cloud-wire.ts';
import { type ClientOptions, loadPackage, missingPackage, type OfficialClient } from './official-client.ts';

const PACKAGE = '@anthropic-ai/foundry-sdk';
const IDENTITY_PACKAGE = '@azure/identity';
const SCOPE = 'https://ai.azure.com/.default';

interface FoundryModule {
  readonly AnthropicFoundry: new (
    options: ClientOptions & {
      readonly baseURL: string;
      /** null, whatever the environment holds: a base URL and a resource exclude each other. */
      readonly resource: null;
      readonly apiKey: string | null;
      readonly azureADTokenProvider?: () => Promise<string>;
    },
  ) => OfficialClient;
}

/** What is used of `@azure/identity`. */
interface IdentityModule {
  readonly DefaultAzureCredential: new () => object;
  getBearerTokenProvider(credential: object, scope: string): () => Promise<string>;
}

/**
 * `ANTHROPIC_FOUNDRY_RESOURCE` or `ANTHROPIC_FOUNDRY_BASE_URL`, and `ANTHROPIC_FOUNDRY_API_KEY`,
 * `ANTHROPIC_FOUNDRY_AUTH_TOKEN` (a bearer token), or a login that `@azure/identity` finds. Model names are
 * names of deployments.
 */
export function foundryAccess(setup: WireSetup): WireAccess {
  const resource = readCloudVariable(setup, 'ANTHROPIC_FOUNDRY_RESOURCE');
  const { url, problem } = urlIn(setup, 'ANTHROPIC_FOUNDRY_BASE_URL');
  if (problem !== undefined) return { problem };
  if (url === undefined && resource === undefined)
    return {
      problem:
        'Foundry needs a resource: set ANTHROPIC_FOUNDRY_RESOURCE to its name, or ANTHROPIC_FOUNDRY_BASE_URL to its address.',
    };
  if (url === undefined && !/^[a-zA-Z0-9-]+$/.test(resource ?? ''))
    return { problem: `ANTHROPIC_FOUNDRY_RESOURCE is not the name of a resource: ${resource}` };
  const missing = missingPackage('Foundry', PACKAGE) ?? missingIdentity(setup);
  if (missing !== undefined) return { problem: missing };
  const baseUrl = url ?? `https://${resource}.services.ai.azure.com/anthropic`;
  return { open: (ports) => createCloudWire(foundryEndpoint(setup, baseUrl), setup, ports) };
}

/** How requests are authorised. */
function pickAuth(setup: WireSetup): 'key' | 'token' | 'none' | 'login' {
  if (isOn(setup, 'CLAUDE_CODE_SKIP_FOUNDRY_AUTH')) return 'none';
  if (readCloudVariable(setup, 'ANTHROPIC_FOUNDRY_API_KEY') !== undefined) return 'key';
  return readCloudVariable(setup, 'ANTHROPIC_FOUNDRY_AUTH_TOKEN') === undefined ? 'login' : 'token';
}

function missingIdentity(setup: WireSetup): string | undefined {
  if (pickAuth(setup) !== 'login' || missingPackage('', IDENTITY_PACKAGE) === undefined) return undefined;
  return `Foundry has no credentials: set ANTHROPIC_FOUNDRY_API_KEY, or install ${IDENTITY_PACKAGE} to use your Azure login: npm install ${IDENTITY_PACKAGE}`;
}

function foundryEndpoint(setup: WireSetup, baseURL: string): CloudEndpoint {
  const auth = pickAuth(setup);
  const fix = {
    key: 'Check ANTHROPIC_FOUNDRY_API_KEY.',
    token: 'Check ANTHROPIC_FOUNDRY_AUTH_TOKEN: a token is valid for about an hour.',
    none: 'Credentials are left to a gateway (CLAUDE_CODE_SKIP_FOUNDRY_AUTH).',
    login: 'Log in again (`az login`), or check the AZURE_… variables of your application.',
  }[auth];
  /** Caches its token until it expires. */
  let login: (() => Promise<string>) | undefined;

  async function azureLogin(): Promise<() => Promise<string>> {
    const { DefaultAzureCredential, getBearerTokenProvider } =
      await loadPackage<IdentityModule>(IDENTITY_PACKAGE);
    login ??= getBearerTokenProvider(new DefaultAzureCredential(), SCOPE);
    return login;
  }

  return {
    name: 'foundry',
    title: 'Azure',
    api: {
      ...MESSAGES_API,
      name: 'Foundry',
      classify: (head, text, nowMs) => classifyAzure(head, text, nowMs, fix),
    },
    body: {},
    ...(auth === 'none' && { headers: { 'x-api-key': null } }),
    knows: { contextManagement: true, serverTools: true, metadata: true },
    modelId: (model) => model,
    async client() {
      const { AnthropicFoundry } = await loadPackage<FoundryModule>(PACKAGE);
      const token = readCloudVariable(setup, 'ANTHROPIC_FOUNDRY_AUTH_TOKEN') ?? '';
      const provider = auth === 'login' ? await azureLogin() : async () => token;
      const credential =
        auth === 'key' || auth === 'none'
          ? { apiKey: readCloudVariable(setup, 'ANTHROPIC_FOUNDRY_API_KEY') ?? 'none' }
          : { apiKey: null, azureADTokenProvider: provider };
      return (options) => new AnthropicFoundry({ ...options, baseURL, resource: null, ...credential });
    },
    async renewCredentials() {
      login = undefined;
      return auth === 'login';
    },
    unsigned: (error) => ({
      kind: 'cloud_credentials',
      message: `Azure credentials could not be obtained: ${loginError(error) ?? describeRootCause(error)}. ${fix}`,
      cause: error,
    }),
  };
}

/** What the login server said, of an error of `@azure/identity`; the first line names a credential only. */
function loginError(error: unknown): string | undefined {
  for (let inner = error; inner instanceof Error; inner = inner.cause) {
    const said = /\bDescription: (.+?)\.?(?: - |$)/m.exec(inner.message)?.[1];
    if (said !== undefined) return said;
  }
  return undefined;
}

function classifyAzure(head: HttpHead, text: string, nowMs: number, fix: string): ModelFailure {
  const failure = classifyAnswer(head, text, nowMs);
  if (failure.kind === 'not_found')
    return { ...failure, message: `${failure.message} On Foundry a model is named by its deployment.` };
  if (failure.kind !== 'authentication') return failure;
  const said = classifyAnswer({ ...head, status: 400 }, text, nowMs).message;
  return {
    ...failure,
    kind: 'cloud_credentials',
    message: `Azure refused the credentials: ${said.replace(/\.$/, '')}. ${fix}`,
  };
}
