/**
 * Google's token endpoint on loopback, a service account's signed assertion for an access token. Google's
 * library knows one address of it, so it is reached through a proxy that leads there, over TLS.
 */
import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { join } from 'node:path';

const HOST = 'oauth2.googleapis.com:443';
const EMAIL = 'robot@project-1.iam.gserviceaccount.com';
const fixture = (name: string) => readFileSync(new URL(`../fixtures/${name}`, import.meta.url));

export interface GoogleServer {
  /** A proxy: the address that the session's requests take. */
  readonly proxyUrl: string;
  /** Of the endpoint's certificate, PEM. */
  readonly ca: Buffer;
  /** Tokens that were issued, the newest last. */
  readonly tokens: string[];
  /** Writes the service account's key file and returns its path. */
  keyFileIn(folder: string): string;
  close(): Promise<void>;
}

/** Of the service account, one for all servers: to make a pair takes a quarter of a second. */
let keys: ReturnType<typeof generateRsa> | undefined;
const generateRsa = () => generateKeyPairSync('rsa', { modulusLength: 2048 });

export async function googleServer(): Promise<GoogleServer> {
  keys ??= generateRsa();
  const { privateKey, publicKey } = keys;
  const tokens: string[] = [];
  const ca = fixture('google-cert.pem');
  const sockets = new Set<Socket>();
  const endpoint = createTlsServer(
    { cert: ca, key: fixture('google-key.pem') },
    async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const form = new URLSearchParams(Buffer.concat(chunks).toString());
      const valid = isSignedBy(
        publicKey.export({ type: 'spki', format: 'pem' }),
        form.get('assertion') ?? '',
      );
      if (valid) tokens.push(`ya29.token-${tokens.length + 1}`);
      response.writeHead(valid ? 200 : 400, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify(
          valid
            ? { access_token: tokens.at(-1), expires_in: 3599, token_type: 'Bearer' }
            : { error: 'invalid_grant', error_description: 'Invalid JWT Signature.' },
        ),
      );
    },
  );
  const port = await listening(endpoint);
  const proxy = createServer();
  proxy.on('connect', (request, client: Socket) => {
    sockets.add(client);
    client.on('error', () => {});
    if (request.url !== HOST) {
      client.end('HTTP/1.1 403 Forbidden\r\n\r\n');
      return;
    }
    const through = connect(port, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      through.pipe(client).pipe(through);
    });
    through.on('error', () => client.destroy());
    sockets.add(through);
  });
  const proxyPort = await listening(proxy);
  return {
    proxyUrl: `http://127.0.0.1:${proxyPort}`,
    ca,
    tokens,
    keyFileIn(folder) {
      const path = join(folder, 'service-account.json');
      const account = {
        type: 'service_account',
        project_id: 'project-1',
        private_key_id: 'key-1',
        private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
        client_email: EMAIL,
        client_id: '1',
        token_uri: `https://${HOST}/token`,
        universe_domain: 'googleapis.com',
      };
      writeFileSync(path, JSON.stringify(account));
      return path;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await Promise.all([closed(endpoint), closed(proxy)]);
    },
  };
}

async function listening(server: ReturnType<typeof createServer>): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

function closed(server: ReturnType<typeof createServer>): Promise<unknown> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(resolve));
}

function isSignedBy(publicKey: string | Buffer, assertion: string): boolean {
  const [head = '', claims = '', signature = ''] = assertion.split('.');
  const { iss } = JSON.parse(Buffer.from(claims, 'base64url').toString() || '{}') as { iss?: string };
  const signed = Buffer.from(`${head}.${claims}`);
  return (
    iss === EMAIL &&
    verify('RSA-SHA256', signed, createPublicKey(publicKey), Buffer.from(signature, 'base64url'))
  );
}
