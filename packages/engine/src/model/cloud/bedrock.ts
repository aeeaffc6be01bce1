/** Amazon Bedrock: InvokeModel, signed with AWS credentials or with a Bedrock API key. */

import { parseJson } from '@turnwright/base/bounded-json.ts';
import type { FailureKind, ModelFailure } from '../../protocol/model/failure.ts';
import type { HttpHead, WirePorts } from '../../protocol/model/provider-wire.ts';
import { canonicalModel } from '../catalog/model-info.ts';
import { MESSAGES_API } from '../messages-wire.ts';
import { classifyAnswer } from '../retry/classify-error.ts';
import type { WireAccess, WireSetup } from '../wire-setup.ts';
import { createAwsCredentials } from './aws-credentials.ts';
import { createAwsEventReader } from './aws-event-stream.ts';
import { describeRootCause, isOn, readCloudVariable, urlIn } from './cloud-setup.ts';
import { type CloudEndpoint, createCloudWire } from './cloud-wire.ts';
import { bedrockModel } from './model-ids.ts';
import { type ClientOptions, loadPackage, missingPackage, type OfficialClient } from './official-client.ts';

const PACKAGE = '@anthropic-ai/bedrock-sdk';

interface BedrockModule {
  readonly AnthropicBedrock: new (
    options: ClientOptions & {
      readonly awsRegion: string;
      readonly baseURL: string;
      /** null: none, whatever the environment holds. */
      readonly apiKey: string | null;
      readonly skipAuth: boolean;
      readonly providerChainResolver: () => Promise<() => Promise<unknown>>;
    },
  ) => OfficialClient;
}

/**
 * `AWS_REGION` (or `AWS_DEFAULT_REGION`) is required. `ANTHROPIC_SMALL_FAST_MODEL_AWS_REGION` is the region
 * of Haiku models and of `ANTHROPIC_SMALL_FAST_MODEL`.
 */
export function bedrockAccess(setup: WireSetup): WireAccess {
  const region = readCloudVariable(setup, 'AWS_REGION') ?? readCloudVariable(setup, 'AWS_DEFAULT_REGION');
  if (region === undefined)
    return { problem: 'Bedrock needs a region: set AWS_REGION, for example to us-east-1.' };
  if (!/^[a-z]{2}(?:-[a-z]+)+-\d+$/.test(region))
    return { problem: `AWS_REGION is not the name of a region: ${region}` };
  const { url, problem } = urlIn(setup, 'ANTHROPIC_BEDROCK_BASE_URL');
  const missing = problem ?? missingPackage('Bedrock', PACKAGE);
  if (missing !== undefined) return { problem: missing };
  return { open: (ports) => createCloudWire(bedrockEndpoint(setup, region, url, ports), setup, ports) };
}

function bedrockEndpoint(
  setup: WireSetup,
  region: string,
  baseUrl: string | undefined,
  { clock }: WirePorts,
): CloudEndpoint {
  const apiKey = readCloudVariable(setup, 'AWS_BEARER_TOKEN_BEDROCK');
  const skipAuth = isOn(setup, 'CLAUDE_CODE_SKIP_BEDROCK_AUTH');
  const isSigned = apiKey === undefined && !skipAuth;
  const credentials = createAwsCredentials(setup, PACKAGE, region, () => clock.nowMs());
  const fix = fixFor(setup, apiKey !== undefined);
  return {
    name: 'bedrock',
    title: 'AWS',
    api: {
      ...MESSAGES_API,
      name: 'Bedrock',
      framing: { contentType: 'application/vnd.amazon.eventstream', createReader: createAwsEventReader },
      classify: (head, text, nowMs) => classifyAws(head, text, nowMs, fix),
    },
    body: { anthropic_version: 'bedrock-2023-05-31' },
    knows: { contextManagement: false, serverTools: false, metadata: false },
    modelId: (model) => bedrockModel(model, pickRegion(setup, model, region)),
    async client(model) {
      const [{ AnthropicBedrock }] = await Promise.all([
        loadPackage<BedrockModule>(PACKAGE),
        isSigned && credentials.ready(),
      ]);
      const awsRegion = pickRegion(setup, model, region);
      return (options) =>
        new AnthropicBedrock({
          ...options,
          awsRegion,
          baseURL: baseUrl ?? `https://bedrock-runtime.${awsRegion}.amazonaws.com`,
          apiKey: apiKey ?? null,
          skipAuth,
          providerChainResolver: async () => () => credentials.keys(),
        });
    },
    async renewCredentials() {
      if (!isSigned) return false;
      await credentials.renew();
      return true;
    },
    unsigned: (error) => ({
      kind: 'cloud_credentials',
      message: `AWS credentials could not be obtained: ${describeRootCause(error)}. ${fix}`,
      cause: error,
    }),
  };
}

/** The small model may have a region of its own. */
function pickRegion(setup: WireSetup, model: string, region: string): string {
  const own = readCloudVariable(setup, 'ANTHROPIC_SMALL_FAST_MODEL_AWS_REGION');
  if (own === undefined) return region;
  const isSmall =
    model === readCloudVariable(setup, 'ANTHROPIC_SMALL_FAST_MODEL') ||
    canonicalModel(model).includes('haiku');
  return isSmall ? own : region;
}

/** The sentence that says how to get valid credentials. */
function fixFor({ commands }: WireSetup, hasApiKey: boolean): string {
  if (hasApiKey) return 'Check AWS_BEARER_TOKEN_BEDROCK: the Bedrock API key is wrong or has expired.';
  if (commands.awsCredentialExport !== undefined)
    return 'Check the command in the setting awsCredentialExport.';
  if (commands.awsAuthRefresh !== undefined) return 'Check the command in the setting awsAuthRefresh.';
  return 'Log in again (for example with `aws sso login`, and AWS_PROFILE set), or name the command that does in the setting awsAuthRefresh.';
}

const KINDS: Readonly<Record<string, FailureKind>> = {
  ThrottlingException: 'rate_limited',
  TooManyRequestsException: 'rate_limited',
  ModelNotReadyException: 'rate_limited',
  ServiceUnavailableException: 'overloaded',
  ModelTimeoutException: 'timeout',
  ModelErrorException: 'server_error',
  ModelStreamErrorException: 'server_error',
  InternalServerException: 'server_error',
  ExpiredTokenException: 'cloud_credentials',
  ExpiredToken: 'cloud_credentials',
  UnrecognizedClientException: 'cloud_credentials',
  InvalidClientTokenId: 'cloud_credentials',
  InvalidSignatureException: 'cloud_credentials',
  SignatureDoesNotMatch: 'cloud_credentials',
  IncompleteSignatureException: 'cloud_credentials',
  MissingAuthenticationTokenException: 'cloud_credentials',
  MissingAuthenticationToken: 'cloud_credentials',
};

/** By the name of the exception, which says more than its status; a `ValidationException` by its words. */
function classifyAws(head: HttpHead, text: string, nowMs: number, fix: string): ModelFailure {
  const { name, body } = exceptionIn(head, text);
  const failure = classifyAnswer(head, body, nowMs);
  const kind = KINDS[name ?? ''] ?? (failure.kind === 'authentication' ? 'cloud_credentials' : failure.kind);
  const errorType = failure.errorType === 'billing_error' ? failure.errorType : name;
  const classified = { ...failure, kind, ...(errorType !== undefined && { errorType }) };
  if (kind === 'cloud_credentials' || /api key is valid|invalid api key/i.test(failure.message))
    return {
      ...classified,
      kind: 'cloud_credentials',
      message: `AWS refused the credentials: ${saidBy(body).replace(/\.$/, '')}. ${fix}`,
    };
  if (/on-demand throughput/i.test(failure.message))
    return {
      ...classified,
      message: `${failure.message} Name an inference profile as the model: its id (us.anthropic.…, eu.…, global.…) or its ARN.`,
    };
  return classified;
}

/** Some services of AWS write `Message`. */
function exceptionIn(head: HttpHead, text: string): { readonly name?: string; readonly body: string } {
  let json: Readonly<Record<string, unknown>> = {};
  try {
    json = Object(parseJson(text)) as Record<string, unknown>;
  } catch {
    // An error of something between: a proxy's page.
  }
  const type = head.headers['x-amzn-errortype'] ?? json['__type'];
  const name = typeof type === 'string' ? type.split(':', 1)[0]?.split('#').at(-1) : undefined;
  const message = json['message'] ?? json['Message'];
  return {
    ...(name !== undefined && { name }),
    body: typeof message === 'string' ? JSON.stringify({ message }) : text,
  };
}

function saidBy(body: string): string {
  try {
    return String((parseJson(body) as { readonly message?: unknown }).message ?? body);
  } catch {
    return body.slice(0, 200);
  }
}
