/** A login: the address it is for, whether that accepts it, and where it is kept. */
import {
  checkLogin,
  DEFAULT_PROVIDER,
  type EndpointAnswer,
  type Login,
  modelAccess,
  storeLogin,
} from '@turnwright/engine';
import { UsageError } from '../usage-error.ts';
import type { World } from '../world.ts';

type Place = Pick<World, 'cwd' | 'env'>;

/** The same trust as a run of the command line. */
export const TRUST = { projectTrusted: false, trustRecorded: true } as const;
/** Time limit of both requests of a check. */
const CHECK_LIMIT_MS = 10_000;

/** What a login here would be for, and what is used in its place. */
export interface LoginTarget {
  readonly address: string;
  /** A credential that takes precedence over a login: the name of its source. */
  readonly overriddenBy: string | undefined;
}

/** `address`: default that of a run in this folder. */
export async function loginTarget({ cwd, env }: Place, address?: string): Promise<LoginTarget> {
  if (address !== undefined && !(/^https?:/i.test(address) && URL.canParse(address)))
    throw new UsageError(
      `The address must be an absolute http or https URL, not ${JSON.stringify(address)}.`,
    );
  const { apiKeySource, baseUrl, provider } = await modelAccess({ cwd, env, ...TRUST });
  if (provider !== DEFAULT_PROVIDER && address === undefined)
    throw new UsageError(
      `A run here asks the provider ${provider}, which has credentials of its own (docs/models.md). For the Messages API: turnwright login https://api.anthropic.com`,
    );
  const overriddenBy = ['none', 'login'].includes(apiKeySource) ? undefined : apiKeySource;
  return { address: address ?? baseUrl, overriddenBy };
}

/** Throws when this cannot be sent as a credential. `token`: sent as a bearer token. */
export function loginOf(secret: string, { token = false }: { readonly token?: boolean | undefined }): Login {
  if (secret === '') throw new UsageError('Nothing was given, so nothing is stored.');
  if (!/^[\x21-\x7e]+$/.test(secret))
    throw new UsageError(
      'A key is one word of printable ASCII characters, and this is not. Nothing is stored.',
    );
  // The form of a subscription's token.
  return token || secret.startsWith('sk-ant-oat') ? { authToken: secret } : { apiKey: secret };
}

interface LoginOutcome {
  readonly stored: boolean;
  /** What became of it, in sentences. */
  readonly said: string;
}

/** `check`: asks the address first, and stores nothing that it refuses. */
export async function logIn(
  login: Login,
  { address, overriddenBy }: LoginTarget,
  { cwd, env }: Place,
  { check = true, limitMs = CHECK_LIMIT_MS }: { readonly check?: boolean; readonly limitMs?: number } = {},
): Promise<LoginOutcome> {
  const answer = check
    ? await checkLogin(address, login, { cwd, env, signal: AbortSignal.timeout(limitMs) })
    : undefined;
  const judged = answer === undefined ? 'It was not checked.' : judge(answer, address);
  if (typeof judged !== 'string') return { stored: false, said: `${judged.refused} Nothing is stored.` };
  const file = await storeLogin(address, login, { cwd, env });
  const used = overriddenBy === undefined ? '' : ` ${overriddenBy} is set too, and is used before it.`;
  return { stored: true, said: `${judged} It is stored in ${file}, for this address alone.${used}` };
}

function judge(answer: EndpointAnswer, address: string): string | { readonly refused: string } {
  switch (answer.kind) {
    case 'accepted':
      return `${address} accepts it.`;
    case 'refused':
      return { refused: `${address} refuses it (${answer.status}): ${sentence(answer.message)}` };
    case 'foreign':
      return {
        refused: `${address} answers, but does not speak the Messages API (${answer.status}: ${answer.message}).`,
      };
    case 'failed':
      return `It could not be checked: ${address} answers with an error (${answer.status}): ${sentence(answer.message)}`;
    case 'unreachable':
      return `It could not be checked: ${address} cannot be reached: ${sentence(answer.message)}`;
  }
}

const sentence = (message: string): string => (/[.?!]$/.test(message) ? message : `${message}.`);
