/**
 * The session that is crashed: a model that is a function of what it is sent, so that it goes on wherever a process has
 * ended, and tools whose effects can be counted.
 */
import { closeSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import type { CallModel, ModelRequest } from '@turnwright/engine/protocol/model/model.ts';
import {
  callTool,
  fakeTool,
  type Reply,
  reply,
  say,
  scriptedModel,
  seededRandom,
  think,
} from '@turnwright/testing';
import type { QueryEngineConfig } from '../../../../packages/engine/src/engine/config.ts';
import { QueryEngine } from '../../../../packages/engine/src/engine/query-engine.ts';
import { modelInfo } from '../../../../packages/engine/src/model/catalog/model-info.ts';
import { createViewBytes } from '../../../../packages/engine/src/model/request/message-byte-cache.ts';
import { buildRequestBody } from '../../../../packages/engine/src/model/request/request-body.ts';
import { builtinTools } from '../../../../packages/engine/src/tools/builtin/index.ts';

export interface Script {
  readonly folder: string;
  readonly iterations: number;
  readonly seed: number;
  readonly durability: 'process' | 'power';
}

export const SESSION = '0c0ffee0-1234-4000-8000-00000000c0de';
export const PROMPT = 'Work until it is done.';
export const LAST_WORDS = 'All is done.';
const MODEL = 'claude-sonnet-5';

export const placesOf = ({ folder }: Pick<Script, 'folder'>) => ({
  cwd: join(folder, 'work'),
  home: join(folder, 'home'),
  sessions: join(folder, 'sessions'),
  effects: join(folder, 'effects'),
});

/**
 * A part of the session that one process can play. Files are written again within a part only: one that an earlier
 * process wrote would have to be read first.
 */
export const PART_ITERATIONS = 20;

interface Call {
  readonly id: string;
  readonly tool: 'Act' | 'Look' | 'Write';
  readonly input: Readonly<Record<string, unknown>>;
}

/** What the model does in each iteration; the last one only speaks. */
function planOf({ iterations, seed, folder }: Script): readonly (readonly Call[])[] {
  const random = seededRandom(seed);
  return Array.from({ length: iterations - 1 }, (_, iteration) =>
    Array.from({ length: 1 + Math.floor(random() * 2.4) }, (_, at): Call => {
      const id = `toolu_${iteration}_${at}`;
      const which = random();
      if (which < 0.45) return { id, tool: 'Act', input: { id } };
      if (which < 0.8) return { id, tool: 'Look', input: { chars: Math.floor(random() * 400) } };
      const name = `file-${Math.floor(iteration / PART_ITERATIONS)}-${iteration % 3}.txt`;
      const path = join(placesOf({ folder }).cwd, name);
      return { id, tool: 'Write', input: { file_path: path, content: contentOf(id) } };
    }),
  );
}

const contentOf = (id: string): string => `${id} wrote this\n`.repeat(20);

/** Whether this is what one call wrote, all of it. */
export const isWholeContent = (text: string): boolean => contentOf(text.slice(0, text.indexOf(' '))) === text;

/** The next turn for a conversation: the first one whose calls are not in it. */
function nextTurn(plan: ReturnType<typeof planOf>, view: ModelRequest['view']): readonly Reply[] {
  const called = new Set<string>();
  for (const item of view)
    if (item.type === 'assistant')
      for (const block of item.message.content) if (block.type === 'tool_use') called.add(block.id);
  const at = plan.findIndex(([first]) => first !== undefined && !called.has(first.id));
  if (at < 0) return [say(LAST_WORDS)];
  const calls = (plan[at] ?? []).map(({ id, tool, input }) => callTool(tool, { ...input }, { id }));
  return [...(at % 4 === 0 ? [think(`Thinking about ${at}.`)] : []), say(`Step ${at}.`), ...calls];
}

/** Appends a line in one write, behind one that a kill may have cut off. */
function appendLine(path: string, line: string): void {
  const fd = openSync(path, 'a');
  try {
    writeSync(fd, `\n${line};\n`);
  } finally {
    closeSync(fd);
  }
}

const TOOLS = (effects: string): QueryEngineConfig['tools'] => [
  // Unsafe: a second run is a second effect.
  fakeTool({
    name: 'Act',
    answer: ({ id }) => {
      appendLine(effects, `begun ${id}`);
      appendLine(effects, `ended ${id}`);
      return `acted: ${id}`;
    },
  }),
  fakeTool({
    name: 'Look',
    concurrencySafe: true,
    readOnly: true,
    effectClass: 'pure',
    answer: ({ chars }) => 'seen '.repeat(Number(chars) / 5),
  }),
  ...builtinTools({}, (name) => name === 'Write'),
];

export interface OpenedSession {
  readonly engine: QueryEngine;
  /** Bodies of the requests, as they would be sent. */
  readonly sent: readonly SentBody[];
}

export interface SentBody {
  readonly system?: unknown;
  readonly tools?: unknown;
  readonly messages: readonly {
    readonly role: string;
    readonly content: string | readonly Record<string, unknown>[];
  }[];
}

/** `answers`: so many requests are answered as planned, and the next one with a text that ends the session. */
export function openScripted(
  script: Script,
  options: {
    readonly resume?: boolean;
    readonly keepsBodies?: boolean;
    readonly answers?: number;
    readonly files?: PersistentFiles;
    /** Called before each request is answered, with its number in this process, from 1. */
    readonly onRequest?: (asked: number) => void;
  } = {},
): OpenedSession {
  const places = placesOf(script);
  mkdirSync(places.cwd, { recursive: true });
  const plan = planOf(script);
  const sent: SentBody[] = [];
  let asked = 0;
  const callModel: CallModel = (request, call) => {
    if (options.keepsBodies === true) sent.push(bodyOf(request));
    asked++;
    options.onRequest?.(asked);
    const isOver = asked > (options.answers ?? Number.POSITIVE_INFINITY);
    const turn = isOver ? [say('Enough.')] : nextTurn(plan, request.view);
    return scriptedModel([reply(turn)]).callModel(request, call);
  };
  const engine = new QueryEngine({
    cwd: places.cwd,
    home: places.home,
    sessionsDirectory: places.sessions,
    ...(options.resume === true ? { resume: SESSION } : { sessionId: SESSION }),
    tools: TOOLS(places.effects),
    systemPrompt: ['You work.'],
    model: MODEL,
    callModel,
    maxTurns: 10_000,
    random: () => 0.5,
    repeatGuard: false,
    permissionMode: 'bypassPermissions',
    allowDangerouslySkipPermissions: true,
    durability: script.durability,
    enableFileCheckpointing: true,
    files: options.files,
  });
  return { engine, sent };
}

function bodyOf(request: ModelRequest): SentBody {
  const { chunks } = buildRequestBody({
    request,
    info: modelInfo(request.model),
    bytes: createViewBytes(),
    maxTokens: undefined,
    withoutThinking: false,
    fast: false,
    caching: false,
    metadataUserId: undefined,
    thinkingKey: request.model,
    keepsThinking: () => true,
  });
  return JSON.parse(chunks.map(String).join('')) as SentBody;
}

/** Lines of the effects file that were written whole: `begun ID`, `ended ID`. */
export function effectsIn(script: Pick<Script, 'folder'>): readonly string[] {
  try {
    const lines = readFileSync(placesOf(script).effects, 'utf8').split('\n');
    return lines.filter((line) => line.endsWith(';')).map((line) => line.slice(0, -1));
  } catch {
    return [];
  }
}
