/** Checks a Signature Version 4 as AWS documents it: from the request as it arrived, with the keys it knows. */
import { createHash, createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

export interface AwsAccount {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Required of every request, if there is one. */
  readonly sessionToken?: string;
}

/** What is wrong with the signature; undefined: nothing. */
export function wrongSignature(
  request: Pick<IncomingMessage, 'method' | 'url' | 'headers'>,
  body: string,
  { accessKeyId, secretAccessKey, sessionToken }: AwsAccount,
  region: string,
): 'missing' | 'unknown key' | 'wrong token' | 'wrong scope' | 'wrong signature' | undefined {
  const { headers } = request;
  const parts =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8}\/[^,]+), SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(
      headers.authorization ?? '',
    );
  if (parts === null) return 'missing';
  const [, key, scope = '', signedNames = '', signature] = parts;
  if (key !== accessKeyId) return 'unknown key';
  if (headers['x-amz-security-token'] !== sessionToken) return 'wrong token';
  const date = String(headers['x-amz-date']);
  if (scope !== `${date.slice(0, 8)}/${region}/bedrock/aws4_request`) return 'wrong scope';
  const names = signedNames.split(';');
  for (const needed of [
    'host',
    'x-amz-date',
    ...(sessionToken === undefined ? [] : ['x-amz-security-token']),
  ])
    if (!names.includes(needed)) return 'wrong signature';
  const url = new URL(request.url ?? '', 'http://host');
  const canonical = [
    request.method,
    // Of every service but S3 the path is encoded a second time.
    url.pathname.split('/').map(encodeStrictly).join('/'),
    [...url.searchParams]
      .map(([name, value]) => `${encodeStrictly(name)}=${encodeStrictly(value)}`)
      .sort()
      .join('&'),
    ...names.map((name) => `${name}:${String(headers[name]).trim().replace(/ +/g, ' ')}`),
    '',
    signedNames,
    sha256(body),
  ].join('\n');
  const toSign = ['AWS4-HMAC-SHA256', date, scope, sha256(canonical)].join('\n');
  const signingKey = scope
    .split('/')
    .reduce<Buffer | string>((secret, part) => hmac(secret, part), `AWS4${secretAccessKey}`);
  return hmac(signingKey, toSign).toString('hex') === signature ? undefined : 'wrong signature';
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function hmac(key: Buffer | string, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

function encodeStrictly(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
