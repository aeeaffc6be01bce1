/** The inspector's server over a home of made sessions, and its page in the browser of the machine. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { lazily } from '@turnwright/base/collections/made-once.ts';
import { listSessions, openInspection } from '@turnwright/engine';
import { onTestFinished } from 'vitest';
import { readPage } from '../../packages/cli/src/inspect/page-file.ts';
import { serveInspector } from '../../packages/cli/src/inspect/serve-inspector.ts';
// @ts-expect-error a program without declarations
import { inspectorPage } from '../../scripts/inspector-page.mjs';
import { ROOT } from '../sources.ts';

/** As the build writes it. */
export const builtPage = lazily(async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'turnwright-inspector-')), 'inspector.html');
  writeFileSync(file, brotliCompressSync((await inspectorPage(ROOT)) as string));
  return readPage(file);
});

export const newHome = (): string => mkdtempSync(join(tmpdir(), 'turnwright-inspected-'));

interface Served {
  readonly url: string;
  readonly origin: string;
  readonly token: string;
  /** Ends the connections that are open; the server stays. */
  cut(): void;
}

export async function serveSession(
  home: string,
  sessionId: string,
  { redact = false, idleMs }: { readonly redact?: boolean; readonly idleMs?: number } = {},
): Promise<Served & Awaited<ReturnType<typeof serveInspector>>> {
  const env = { TURNWRIGHT_HOME: home };
  const open = (id: string, isRedacted: boolean) =>
    openInspection(id, { cwd: home, env, redact: isRedacted });
  const inspector = await serveInspector({
    page: await builtPage(),
    session: await open(sessionId, redact),
    list: () => listSessions({ env }),
    open,
    redact,
    idleMs,
  });
  onTestFinished(() => inspector.close());
  const { origin, hash } = new URL(inspector.url);
  const token = new URLSearchParams(hash.slice(1)).get('token') ?? '';
  return { ...inspector, origin, token, cut: inspector.cut };
}
