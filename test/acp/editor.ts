/** An editor that speaks ACP to the published adapter, which drives our command line. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import * as acp from '@agentclientprotocol/sdk';
import { type RehearsalServer, startRehearsal } from '@turnwright/testing/rehearsal';

const BIN =
  process.env['TURNWRIGHT_BIN'] ?? fileURLToPath(new URL('../../dist/bin/turnwright', import.meta.url));
const ADAPTER = fileURLToPath(
  new URL('node_modules/@agentclientprotocol/claude-agent-acp/dist/index.js', import.meta.url),
);

export type Update = acp.SessionNotification['update'];
type Question = acp.RequestPermissionRequest;

export interface Desk {
  readonly server: RehearsalServer;
  readonly cwd: string;
  /** A new process of the adapter, connected and initialised. */
  open(manners?: EditorManners): Promise<Editor>;
  close(): Promise<void>;
}

export interface EditorManners {
  /** How it answers what it is asked. Default `allow_once`. */
  readonly answer?: acp.PermissionOptionKind;
}

export interface Editor {
  readonly agent: acp.ClientContext;
  /** What the adapter told so far. */
  readonly updates: readonly Update[];
  readonly questions: readonly Question[];
  prompt(sessionId: string, text: string): Promise<acp.PromptResponse>;
  close(): Promise<void>;
}

export async function openDesk(): Promise<Desk> {
  if (!existsSync(BIN)) throw new Error(`There is no ${BIN}: npm run build`);
  const folder = await mkdtemp(join(tmpdir(), 'turnwright-acp-'));
  const cwd = join(folder, 'work');
  await mkdir(cwd);
  const server = await startRehearsal();
  const editors: Editor[] = [];
  return {
    server,
    cwd,
    async open(manners = {}) {
      const editor = await openEditor(folder, server.url, manners);
      editors.push(editor);
      return editor;
    },
    async close() {
      for (const editor of editors) await editor.close();
      await server.close();
      // The command line outlives its adapter by a moment, in which Node may still write its compile cache.
      await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    },
  };
}

async function openEditor(
  home: string,
  baseUrl: string,
  { answer = 'allow_once' }: EditorManners,
): Promise<Editor> {
  const child = spawn(process.execPath, [ADAPTER], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: {
      PATH: process.env['PATH'],
      HOME: home,
      CLAUDE_CONFIG_DIR: join(home, 'home'),
      CLAUDE_CODE_EXECUTABLE: BIN,
      ANTHROPIC_BASE_URL: baseUrl,
      ANTHROPIC_API_KEY: 'sk-test',
    },
  });
  const updates: Update[] = [];
  const questions: Question[] = [];
  const connection = acp
    .client({ name: 'turnwright-tests' })
    .onRequest(acp.methods.client.session.requestPermission, ({ params }) => {
      questions.push(params);
      const optionId = params.options.find(({ kind }) => kind === answer)?.optionId ?? '';
      return { outcome: { outcome: 'selected', optionId } };
    })
    .onNotification(acp.methods.client.session.update, ({ params }) => {
      updates.push(params.update);
    })
    .connect(acp.ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout) as ReadableStream));
  const { agent } = connection;
  await agent.request(acp.methods.agent.initialize, {
    protocolVersion: acp.PROTOCOL_VERSION,
    clientCapabilities: {},
  });
  return {
    agent,
    updates,
    questions,
    prompt: (sessionId, text) =>
      agent.request(acp.methods.agent.session.prompt, { sessionId, prompt: [{ type: 'text', text }] }),
    async close() {
      connection.close();
      await ended(child);
    },
  };
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.stdin?.end();
  child.kill();
  await exit;
}

/** The texts the agent said, in one. */
export function said(updates: readonly Update[]): string {
  return updates
    .flatMap((update) =>
      update.sessionUpdate === 'agent_message_chunk' && update.content.type === 'text'
        ? [update.content.text]
        : [],
    )
    .join('');
}
