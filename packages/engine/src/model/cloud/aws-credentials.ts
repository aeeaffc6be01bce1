/** AWS credentials for signing: from a command, from variables, else from the chain of the AWS SDK. */

import { readJson } from '@turnwright/base/bounded-json.ts';
import { isRecord } from '@turnwright/base/json-values.ts';
import type { WireSetup } from '../wire-setup.ts';
import { LOGIN_LIMIT_MS, readCloudVariable } from './cloud-setup.ts';
import { loadDependency } from './official-client.ts';

interface AwsKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
  readonly expiration?: Date | undefined;
}

interface AwsCredentials {
  /** Runs the command that prints credentials, if there is one and its last ones have expired. */
  ready(): Promise<void>;
  /** Cached until they expire. Rejects when there are none. */
  keys(): Promise<AwsKeys>;
  /** Discards cached credentials and runs the command that renews them, if there is one. */
  renew(): Promise<void>;
}

/** What is used of `@aws-sdk/credential-providers`. */
interface CredentialProviders {
  fromNodeProviderChain(options: {
    readonly profile?: string;
    readonly filepath?: string;
    readonly configFilepath?: string;
    readonly ignoreCache: true;
    readonly clientConfig: { readonly region: string };
  }): () => Promise<AwsKeys>;
}

/** Exported credentials without an expiry are kept for this long. */
const EXPORTED_MS = 3_600_000;
/** Credentials this close to their expiry are not used any more. */
const MARGIN_MS = 60_000;

export function createAwsCredentials(
  setup: WireSetup,
  owner: string,
  region: string,
  nowMs: () => number,
): AwsCredentials {
  return new Credentials(setup, owner, region, nowMs);
}

class Credentials implements AwsCredentials {
  readonly #setup: WireSetup;
  readonly #owner: string;
  readonly #region: string;
  readonly #nowMs: () => number;
  #exported: { readonly keys: AwsKeys; readonly untilMs: number } | undefined;
  #exporting: Promise<void> | undefined;
  #chain: (() => Promise<AwsKeys>) | undefined;

  constructor(setup: WireSetup, owner: string, region: string, nowMs: () => number) {
    this.#setup = setup;
    this.#owner = owner;
    this.#region = region;
    this.#nowMs = nowMs;
  }

  async ready(): Promise<void> {
    const { awsCredentialExport } = this.#setup.commands;
    if (awsCredentialExport === undefined) return;
    if (this.#exported !== undefined && this.#nowMs() < this.#exported.untilMs) return;
    this.#exporting ??= this.#export(awsCredentialExport).finally(() => {
      this.#exporting = undefined;
    });
    await this.#exporting;
  }

  async keys(): Promise<AwsKeys> {
    return this.#exported?.keys ?? this.#fromVariables() ?? (await this.#fromChain());
  }

  async renew(): Promise<void> {
    this.#exported = undefined;
    this.#chain = undefined;
    const { awsAuthRefresh } = this.#setup.commands;
    if (awsAuthRefresh !== undefined) await this.#setup.runCommand(awsAuthRefresh, LOGIN_LIMIT_MS);
  }

  async #export(command: string): Promise<void> {
    const keys = keysIn(await this.#setup.runCommand(command, LOGIN_LIMIT_MS));
    if (keys === undefined)
      throw new Error(
        'awsCredentialExport printed no credentials. It prints JSON: {"Credentials": {"AccessKeyId", "SecretAccessKey", "SessionToken"}}.',
      );
    const untilMs = keys.expiration?.getTime() ?? this.#nowMs() + EXPORTED_MS;
    this.#exported = { keys, untilMs: untilMs - MARGIN_MS };
  }

  /** A profile that is named goes before keys, as in AWS' own tools. */
  #fromVariables(): AwsKeys | undefined {
    const accessKeyId = readCloudVariable(this.#setup, 'AWS_ACCESS_KEY_ID');
    const secretAccessKey = readCloudVariable(this.#setup, 'AWS_SECRET_ACCESS_KEY');
    if (accessKeyId === undefined || secretAccessKey === undefined) return undefined;
    if (readCloudVariable(this.#setup, 'AWS_PROFILE') !== undefined) return undefined;
    return {
      accessKeyId,
      secretAccessKey,
      sessionToken: readCloudVariable(this.#setup, 'AWS_SESSION_TOKEN'),
    };
  }

  #fromChain(): Promise<AwsKeys> {
    const profile = readCloudVariable(this.#setup, 'AWS_PROFILE');
    const filepath = readCloudVariable(this.#setup, 'AWS_SHARED_CREDENTIALS_FILE');
    const configFilepath = readCloudVariable(this.#setup, 'AWS_CONFIG_FILE');
    this.#chain ??= loadDependency<CredentialProviders>(
      this.#owner,
      '@aws-sdk/credential-providers',
    ).fromNodeProviderChain({
      ...(profile !== undefined && { profile }),
      ...(filepath !== undefined && { filepath }),
      ...(configFilepath !== undefined && { configFilepath }),
      // A command may have written the files since they were read last.
      ignoreCache: true,
      clientConfig: { region: this.#region },
    });
    return this.#chain();
  }
}

/** `{"Credentials": {…}}`, or the inner object, as `aws configure export-credentials` prints it. */
function keysIn(text: string): AwsKeys | undefined {
  const printed = readJson(text);
  const {
    AccessKeyId: accessKeyId,
    SecretAccessKey: secretAccessKey,
    SessionToken: sessionToken,
    Expiration,
  } = record(record(printed)['Credentials'] ?? printed);
  if (typeof accessKeyId !== 'string' || typeof secretAccessKey !== 'string') return undefined;
  const expiration = typeof Expiration === 'string' ? new Date(Expiration) : undefined;
  return {
    accessKeyId,
    secretAccessKey,
    ...(typeof sessionToken === 'string' && { sessionToken }),
    ...(expiration !== undefined && !Number.isNaN(expiration.getTime()) && { expiration }),
  };
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}
