/** The server behind the inspector's page: on this machine only, read-only, for those who have its token. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { OpenInspection, SDKSessionInfo } from '@turnwright/engine';
import { EXPORTS } from '../flags/inspect-flags.ts';
import { exportSession } from './export-session.ts';
import { FollowedSession, streamSession } from './followed-session.ts';
import { createToken, refuseRequest, SAFE_HEADERS } from './guard-request.ts';
import type { PageFile } from './page-file.ts';

interface InspectorParts {
  readonly page: PageFile;
  /** The one that the page shows first. */
  readonly session: OpenInspection;
  list(): Promise<readonly Pick<SDKSessionInfo, 'sessionId' | 'summary' | 'lastModified' | 'cwd'>[]>;
  open(sessionId: string, redact: boolean): Promise<OpenInspection>;
  readonly redact: boolean;
  readonly port?: number | undefined;
  /** How long it stays when no page is open, ms. Default 10 minutes. */
  readonly idleMs?: number | undefined;
}

interface Inspector {
  /** With the token in its fragment, which no server and no log sees. */
  readonly url: string;
  /** Ends all connections; the next ones are answered. */
  cut(): void;
  /** Resolves when it has ended: no page was open for `idleMs`, or `close` was called. */
  readonly closed: Promise<void>;
  close(): void;
}

const IDLE_MS = 10 * 60_000;
const HOST = '127.0.0.1';

export async function serveInspector(parts: InspectorParts): Promise<Inspector> {
  const token = createToken();
  const sessions = new Map<string, Promise<FollowedSession>>();
  sessions.set(parts.session.sessionId, Promise.resolve(new FollowedSession(parts.session)));
  let idle: ReturnType<typeof setTimeout> | undefined;
  let open = 0;
  const server = createServer((request, response) => {
    open += 1;
    clearTimeout(idle);
    response.once('close', () => {
      open -= 1;
      if (open === 0) rest();
    });
    const { port } = server.address() as AddressInfo;
    void answer(request, response, { parts, sessions, port, token }).catch(() => {
      if (!response.headersSent) response.writeHead(500, SAFE_HEADERS);
      response.end();
    });
  });
  const close = () => {
    clearTimeout(idle);
    server.close();
    server.closeAllConnections();
  };
  const rest = () => {
    clearTimeout(idle);
    idle = setTimeout(close, parts.idleMs ?? IDLE_MS);
  };
  const port = await listen(server, parts.port ?? 0);
  rest();
  return {
    url: `http://${HOST}:${port}/#token=${token}&session=${encodeURIComponent(parts.session.sessionId)}`,
    cut: () => server.closeAllConnections(),
    closed: new Promise((resolve) => server.once('close', resolve)),
    close,
  };
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, HOST, () => resolve((server.address() as AddressInfo).port));
  });
}

interface Serving {
  readonly parts: InspectorParts;
  readonly sessions: Map<string, Promise<FollowedSession>>;
  readonly port: number;
  readonly token: string;
}

async function answer(request: IncomingMessage, response: ServerResponse, serving: Serving): Promise<void> {
  const refusal = refuseRequest(request, serving);
  if (refusal !== undefined) return sendText(response, refusal.status, `${refusal.why}\n`);
  const url = new URL(request.url ?? '/', `http://${HOST}`);
  const isHead = request.method === 'HEAD';
  const { page } = serving.parts;
  if (url.pathname === '/') {
    // Not in the page's own policy: browsers take it from headers alone.
    const policy = `${page.policy}; frame-ancestors 'none'`;
    const headers = { ...SAFE_HEADERS, 'content-security-policy': policy };
    response.writeHead(200, { ...headers, 'content-type': 'text/html; charset=utf-8' });
    response.end(isHead ? undefined : page.html);
    return;
  }
  const route = Object.hasOwn(ROUTES, url.pathname) ? ROUTES[url.pathname] : undefined;
  if (route === undefined) return sendText(response, 404, 'There is nothing here.\n');
  if (isHead) return sendText(response, 200, '');
  await route({ ...serving, response, query: url.searchParams });
}

interface Call extends Serving {
  readonly response: ServerResponse;
  readonly query: URLSearchParams;
}

const ROUTES: Readonly<Record<string, (call: Call) => Promise<void>>> = {
  '/api/sessions': async ({ parts, response }) => sendJson(response, await parts.list()),

  '/api/index': withSession(async (session, { response }) => {
    await session.refresh();
    sendJson(response, session.data());
  }),

  '/api/iteration': withSession(async (session, { response, query }) => {
    const [detail] = await session.inspection.details([query.get('key') ?? '']);
    if (detail === undefined) sendText(response, 404, 'There is no such iteration.\n');
    else sendJson(response, detail);
  }),

  '/api/text': withSession(async (session, { response, query }) => {
    const from = Math.max(0, Number(query.get('from') ?? 0) || 0);
    const found = await session.inspection.text(query.get('uuid') ?? '', from);
    if (found === undefined) sendText(response, 404, 'There is no such message.\n');
    else sendJson(response, found);
  }),

  '/api/search': withSession(async (session, { response, query }) => {
    response.writeHead(200, { ...SAFE_HEADERS, 'content-type': 'application/x-ndjson; charset=utf-8' });
    for await (const hit of session.inspection.search((query.get('q') ?? '').slice(0, 500))) {
      if (response.destroyed) return;
      response.write(`${JSON.stringify(hit)}\n`);
    }
    response.end();
  }),

  '/api/live': withSession(async (session, { response }) => streamSession(session, response)),

  '/api/export': withSession(async (session, { response, query, parts }) => {
    const asked = query.get('kind') ?? 'html';
    const kind = EXPORTS.find((each) => each === asked);
    if (kind === undefined) return sendText(response, 404, 'There is no such export.\n');
    const isRedacted = query.get('redact') === '1' && !session.data().redacted;
    const from = isRedacted ? await parts.open(session.inspection.sessionId, true) : session.inspection;
    const text = await exportSession(kind, from, async () => parts.page.html);
    const type = kind === 'html' ? 'text/html' : 'application/json';
    response.writeHead(200, {
      ...SAFE_HEADERS,
      'content-type': `${type}; charset=utf-8`,
      // It is saved, never shown: as a page of this address it could ask for more.
      'content-disposition': 'attachment',
    });
    response.end(text);
  }),
};

/** Sessions are known by their ids: of those that are listed, nothing else is read. */
function withSession(run: (session: FollowedSession, call: Call) => Promise<void>) {
  return async (call: Call): Promise<void> => {
    const { parts, sessions, query, response } = call;
    const id = query.get('session') ?? parts.session.sessionId;
    let session = sessions.get(id);
    if (session === undefined) {
      const isListed =
        /^[\w-]{1,128}$/.test(id) && (await parts.list()).some(({ sessionId }) => sessionId === id);
      if (!isListed) return sendText(response, 404, 'There is no such session.\n');
      session = parts.open(id, parts.redact).then((opened) => new FollowedSession(opened));
      sessions.set(id, session);
      session.catch(() => sessions.delete(id));
    }
    await run(await session, call);
  };
}

function sendJson(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { ...SAFE_HEADERS, 'content-type': 'application/json; charset=utf-8' });
  response.end(JSON.stringify(value));
}

function sendText(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { ...SAFE_HEADERS, 'content-type': 'text/plain; charset=utf-8' });
  response.end(text);
}
