/**
 * Two doors to one engine: the published client that drives our command line, and our own `query()`. Every case is
 * one function that is run through both.
 */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as client from '@anthropic-ai/claude-agent-sdk';
import * as own from '@turnwright/engine';
import { type RehearsalServer, reply, type Scenario, startRehearsal } from '@turnwright/testing/rehearsal';
import { afterEach, beforeEach, describe, expect } from 'vitest';
import { createPromptLine } from '../../packages/cli/src/control/prompt-line.ts';
import { inForm } from '../long-form.ts';

const BIN =
  process.env['TURNWRIGHT_BIN'] ?? fileURLToPath(new URL('../../dist/bin/turnwright', import.meta.url));

export type Message = own.SDKMessage;
export type Result = own.SDKResultMessage;
export type Prompt = own.SDKUserMessage;
type ClientQuery = Parameters<typeof client.query>[0];

/** What a host may do with a running session, through either door. */
export interface Running extends AsyncGenerator<Message, void> {
  interrupt(): Promise<{ readonly still_queued?: readonly string[] } | undefined>;
  setModel(model?: string): Promise<void>;
  setPermissionMode(mode: string): Promise<void>;
  setMcpPermissionModeOverride(
    server: string,
    mode: 'default' | 'auto' | null,
  ): Promise<{ readonly warning?: string }>;
  setMaxThinkingTokens(tokens: number | null, display?: 'summarized' | 'omitted' | null): Promise<void>;
  usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET(): Promise<unknown>;
  initializationResult(): Promise<unknown>;
  supportedCommands(): Promise<readonly { readonly name: string }[]>;
  supportedModels(): Promise<readonly { readonly value: string; readonly displayName: string }[]>;
  supportedAgents(): Promise<readonly { readonly name: string }[]>;
  accountInfo(): Promise<unknown>;
  mcpServerStatus(): Promise<readonly unknown[]>;
  getContextUsage(): Promise<unknown>;
  readFile(path: string, options?: { maxBytes?: number; encoding?: 'utf-8' | 'base64' }): Promise<unknown>;
  seedReadState(path: string, mtime: number): Promise<void>;
  rewindFiles(userMessageId: string, options?: { dryRun?: boolean }): Promise<unknown>;
  stopTask(taskId: string): Promise<void>;
  backgroundTasks(toolUseId?: string): Promise<boolean>;
  streamInput(input: AsyncIterable<Prompt>): Promise<void>;
  close(): unknown;
}

/** Options that both know. */
export type CaseOptions = Readonly<Record<string, unknown>>;

export interface Door {
  readonly name: string;
  query(prompt: string | AsyncIterable<Prompt>, options: CaseOptions): Running;
  readonly tool: typeof client.tool;
  readonly createSdkMcpServer: (options: { name: string; tools: unknown[] }) => unknown;
  readonly AbortError: new (...args: never[]) => Error;
}

type PublishedClient = Pick<typeof client, 'query' | 'tool' | 'createSdkMcpServer' | 'AbortError'>;

/** A client that drives our command line, of whatever version. */
export function publishedDoor(name: string, published: PublishedClient): Door {
  return {
    name,
    query: (prompt, options) =>
      published.query({
        prompt,
        options: { pathToClaudeCodeExecutable: BIN, ...options },
      } as ClientQuery) as unknown as Running,
    tool: published.tool,
    createSdkMcpServer: (options) => published.createSdkMcpServer(options as never),
    AbortError: published.AbortError as never,
  };
}

const PUBLISHED = publishedDoor('the published client', client);
/** Our own door is that of all other tests: in the short form the client alone goes through these cases. */
const DOORS: readonly Door[] = inForm<readonly Door[]>(
  [PUBLISHED],
  [
    PUBLISHED,
    {
      name: 'our own query()',
      query: (prompt, options) =>
        own.query({ prompt, options: options as own.Options }) as unknown as Running,
      tool: own.tool as never,
      createSdkMcpServer: (options) => own.createSdkMcpServer(options as never),
      AbortError: own.AbortError as never,
    },
  ],
);

/** A folder, a home and a rehearsed model, fresh for each case. */
export interface Stage {
  readonly door: Door;
  readonly server: RehearsalServer;
  readonly cwd: string;
  /** `CLAUDE_CONFIG_DIR` of the session. */
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  play(...replies: Scenario['replies']): void;
  start(prompt: string | AsyncIterable<Prompt>, options?: CaseOptions): Running;
  /** Plays the replies, runs one prompt to its end and expects every request to have been in order. */
  run(replies: Scenario['replies'], options?: CaseOptions, prompt?: string): Promise<Gathered>;
  /** Requests that asked the model, as the server got them. */
  asked(): readonly Readonly<Record<string, unknown>>[];
}

export function throughBothDoors(title: string, cases: (stage: Stage) => void): void {
  throughDoors(DOORS, title, cases);
}

export function throughDoors(doors: readonly Door[], title: string, cases: (stage: Stage) => void): void {
  describe.each(doors)(`${title}: $name`, (door) => {
    const stage = { door } as { -readonly [K in keyof Stage]: Stage[K] };
    beforeEach(async () => {
      if (!existsSync(BIN)) throw new Error(`There is no ${BIN}: npm run build`);
      const folder = await mkdtemp(join(tmpdir(), 'turnwright-client-'));
      stage.server = await startRehearsal();
      stage.cwd = join(folder, 'work');
      stage.home = join(folder, 'home');
      await mkdir(stage.cwd);
      await mkdir(stage.home);
      stage.env = {
        PATH: process.env['PATH'] ?? '',
        HOME: folder,
        CLAUDE_CONFIG_DIR: stage.home,
        ANTHROPIC_BASE_URL: stage.server.url,
        ANTHROPIC_API_KEY: 'sk-test',
      };
    });
    afterEach(async () => {
      await stage.server.close();
      await rm(join(stage.cwd, '..'), { recursive: true, force: true });
    });
    stage.play = (...replies) => stage.server.setScenario({ name: 'case', replies });
    stage.start = (prompt, options = {}) =>
      door.query(prompt, { cwd: stage.cwd, env: stage.env, settingSources: [], ...options });
    stage.run = async (replies, options = {}, prompt = 'Go.') => {
      stage.play(...replies);
      const gathered = await gather(stage.start(prompt, options));
      expect(stage.server.report()).toMatchObject({ rejected: [], unanswered: [], unusedReplies: [] });
      return gathered;
    };
    stage.asked = () =>
      stage.server.requests
        .filter(({ path }) => path === '/v1/messages')
        .map(({ body }) => body as Readonly<Record<string, unknown>>);
    cases(stage);
  });
}

export interface Gathered {
  readonly messages: readonly Message[];
  readonly results: readonly Result[];
  readonly result: Result | undefined;
  /** What the iterator threw. */
  readonly error: unknown;
}

export async function gather(
  running: AsyncIterable<Message>,
  onMessage?: (message: Message) => void,
): Promise<Gathered> {
  const messages: Message[] = [];
  let error: unknown;
  try {
    for await (const message of running) {
      messages.push(message);
      onMessage?.(message);
    }
  } catch (thrown) {
    error = thrown;
  }
  const results = messages.filter((message): message is Result => message.type === 'result');
  return { messages, results, result: results.at(-1), error };
}

export function prompt(content: string, more: Partial<Prompt> = {}): Prompt {
  return { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null, ...more };
}

/** Prompts that are given by hand. */
export const prompts = createPromptLine;

/** A prompt whose input stays open until the first result, so that controls can be used meanwhile. */
export function openPrompt(text: string) {
  const input = prompts();
  input.push(prompt(text));
  return input;
}

/** The texts of tool results, in the order in which they were shown. */
export function toolResults(messages: readonly Message[]): readonly { text: string; is_error?: boolean }[] {
  return messages.flatMap((message) => {
    if (message.type !== 'user' || typeof message.message.content === 'string') return [];
    return message.message.content.flatMap((block) =>
      block.type === 'tool_result'
        ? [{ text: JSON.stringify(block.content), ...(block.is_error && { is_error: true }) }]
        : [],
    );
  });
}

export const is = (type: string, subtype?: string) => (message: Message) =>
  message.type === type && (subtype === undefined || ('subtype' in message && message.subtype === subtype));

export { reply };
