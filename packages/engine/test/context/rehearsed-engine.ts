/** The real engine over real HTTP against a strict rehearsal server: what is asserted is what was sent. */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type FakeTool, fakeTool, type RecordingStore, recordingStore } from '@turnwright/testing';
import {
  type RehearsalOptions,
  type RehearsalRequest,
  type RehearsalServer,
  type Reply,
  startRehearsal,
  text,
  toolUse,
} from '@turnwright/testing/rehearsal';
import { onTestFinished } from 'vitest';
import type { QueryEngineConfig } from '../../src/engine/config.ts';
import { QueryEngine } from '../../src/engine/query-engine.ts';
import type { DecisionRecord } from '../../src/protocol/session/decision-record.ts';
import type { SDKResultMessage } from '../../src/protocol/stream/result-message.ts';
import type { SDKMessage } from '../../src/protocol/stream/sdk-messages.ts';

/** 200k tokens on both sides, unless a window says otherwise. */
export const MODEL = 'claude-sonnet-4-5';

export interface Rehearsed {
  readonly engine: QueryEngine;
  readonly server: RehearsalServer;
  readonly store: RecordingStore;
  readonly look: FakeTool;
  readonly cwd: string;
  run(prompt: string): Promise<SDKMessage[]>;
  /** Bodies of requests of this kind, as they were sent. */
  sent(kind: 'main' | 'compaction'): readonly Body[];
  decisions(): readonly DecisionRecord[];
}

export interface Body {
  readonly model: string;
  readonly max_tokens: number;
  readonly tools?: readonly { readonly name: string }[];
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
}

export interface RehearsedOptions {
  readonly reply: (request: RehearsalRequest) => Reply | Promise<Reply>;
  readonly config?: Partial<QueryEngineConfig>;
  readonly server?: Omit<RehearsalOptions, 'scenario'>;
  /** Tokens of both sides' window. Default 20 000; undefined: the model's own. */
  readonly window?: number | undefined;
  /** Adds the Look tool to those of `config`. */
  readonly withLook?: boolean;
  /** Adds a tool that answers with this. */
  readonly tell?: string;
}

export async function rehearsedEngine(options: RehearsedOptions): Promise<Rehearsed> {
  const window = 'window' in options ? options.window : 20_000;
  const server = await startRehearsal({
    ...(window !== undefined && { windows: { [MODEL]: window } }),
    ...options.server,
    scenario: options.reply,
  });
  const store = recordingStore();
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), 'turnwright-context-')));
  const look = fakeTool({
    name: 'Look',
    concurrencySafe: true,
    maxResultChars: Number.POSITIVE_INFINITY,
    answer: ({ tokens }) => tokensOf(Number(tokens ?? 10)),
  });
  const { compaction, tools, ...config } = options.config ?? {};
  const { tell } = options;
  const own = tools === undefined || options.withLook === true ? [look] : [];
  const engine = new QueryEngine({
    cwd,
    tools: [
      ...(tools ?? []),
      ...own,
      ...(tell === undefined ? [] : [fakeTool({ name: 'Tell', answer: tell })]),
    ],
    systemPrompt: [],
    baseUrl: server.url,
    apiKey: 'key',
    model: MODEL,
    ...(window !== undefined && { maxOutputTokens: 1_500 }),
    maxRetries: 0,
    // The room for thinking is not what these tests are about.
    thinking: { type: 'disabled' },
    random: () => 0,
    permissionMode: 'bypassPermissions',
    allowDangerouslySkipPermissions: true,
    store,
    ...config,
    compaction: { collapse: false, ...(window !== undefined && { window }), ...compaction },
  });
  onTestFinished(async () => {
    await engine.close();
    await server.close();
    rmSync(cwd, { recursive: true, force: true, maxRetries: 5 });
  });
  return {
    engine,
    server,
    store,
    look,
    cwd,
    run: (prompt) => collect(engine.submitMessage(prompt)),
    sent: (kind) =>
      server.requests.filter((request) => request.kind === kind).map((request) => request.body as Body),
    decisions: () =>
      store.entries(engine.sessionId).flatMap((entry) => (entry.type === 'decision' ? [entry.record] : [])),
  };
}

/** Prose that costs so many tokens. */
export function tokensOf(tokens: number): string {
  return 'wide '.repeat(Math.ceil((tokens * 4) / 5)).slice(0, tokens * 4);
}

export const SUMMARY: Reply = { blocks: [text('<analysis>Hm.</analysis><summary>The gist.</summary>')] };
export const done = (words = 'Done.'): Reply => ({ blocks: [text(words)] });
export const lookAt = (tokens: number): Reply => ({ blocks: [toolUse('Look', { tokens })] });
/** An answer with this status. */
export const refusal = (status: number): Reply => ({ blocks: [], faults: [{ name: 'http-status', status }] });

/** Main requests get these replies in order, compactions what `compaction` says. */
export function script(
  main: readonly Reply[],
  compaction: (call: number) => Reply = () => SUMMARY,
): (request: RehearsalRequest) => Reply {
  return (request) => {
    if (request.kind !== 'main') return compaction(request.call);
    const reply = main[request.call - 1];
    if (reply === undefined) throw new Error(`No reply for main request ${request.call}.`);
    return reply;
  };
}

export async function collect(messages: AsyncIterable<SDKMessage>): Promise<SDKMessage[]> {
  const all: SDKMessage[] = [];
  for await (const message of messages) all.push(message);
  return all;
}

export function resultOf(messages: readonly SDKMessage[]): SDKResultMessage {
  const last = messages.at(-1);
  if (last?.type !== 'result') throw new Error('The last message is no result.');
  return last;
}

export function systemWords(messages: readonly SDKMessage[]): string[] {
  return messages.flatMap((message) => {
    if (message.type !== 'system' || message.subtype === 'init') return [];
    return [message.subtype === 'status' ? `status:${message.status}` : message.subtype];
  });
}
