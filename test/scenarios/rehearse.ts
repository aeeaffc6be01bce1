/**
 * One scenario through the public door: `query()` over real HTTP against a strict rehearsal server, real tools in a
 * real folder, a real journal file. Hands back everything that a test wants to look at.
 */

import { existsSync } from 'node:fs';
import {
  type DecisionRecord,
  type JournalEntry,
  type Options,
  type Query,
  query,
  type SDKMessage,
  type SDKResultError,
  type SDKResultMessage,
  type SDKResultSuccess,
  type SDKUserMessage,
  type UserBlock,
} from '@turnwright/engine';
import {
  type RehearsalOptions,
  type RehearsalReport,
  type RehearsalServer,
  type Scenario,
  type ScenarioFunction,
  type ScriptedReply,
  startRehearsal,
} from '@turnwright/testing/rehearsal';
import { afterEach, expect, onTestFinished } from 'vitest';
import { collapsingClock } from './collapsing-clock.ts';
import { decisionsOf, journalFile, readJournalOf, unanswered } from './journal.ts';
import { bodies, type SentBody } from './sent.ts';
import { tempFolder } from './temp-folder.ts';

export const KEY = 'sk-rehearsal';
/** The engine's default, which the rehearsal knows. */
export const MODEL = 'claude-opus-5-5';

export interface Setup {
  /** Replies in order, or a whole scenario. */
  readonly replies: readonly ScriptedReply[] | Scenario | ScenarioFunction;
  /** Default `Hello.` */
  readonly prompt?: string | readonly UserBlock[] | AsyncIterable<SDKUserMessage>;
  /** Laid over the harness's own; `env` and `engine` are merged. */
  readonly options?: Options;
  readonly server?: Omit<RehearsalOptions, 'scenario'>;
  /** Laid out in the working directory. */
  readonly files?: Readonly<Record<string, string | Buffer>>;
  /** Folders of an earlier run, to go on there. */
  readonly place?: { readonly cwd: string; readonly home: string };
  /** Sees each message before the next is asked for. */
  readonly onMessage?: (message: SDKMessage, run: Running) => unknown;
  /** Names of judge rules that this run is meant to break. Default none. */
  readonly rejectedBy?: readonly string[];
  /** The run is cut short: replies may be left. */
  readonly partial?: boolean;
  /** Calls may be open on record: somebody else is at them, or the disk took no more. */
  readonly openOnRecord?: boolean;
}

export interface Running {
  readonly query: Query;
  readonly server: RehearsalServer;
  readonly cwd: string;
  readonly home: string;
}

export interface Rehearsed {
  readonly messages: readonly SDKMessage[];
  /** Every result, in order. */
  readonly results: readonly SDKResultMessage[];
  /** What the iterator threw. */
  readonly error: unknown;
  readonly server: RehearsalServer;
  readonly report: RehearsalReport;
  /** Bodies of the message requests, in order. */
  readonly sent: readonly SentBody[];
  readonly entries: readonly JournalEntry[];
  readonly decisions: readonly DecisionRecord[];
  /** Waits of the engine that were collapsed, ms. */
  readonly waits: readonly number[];
  readonly sessionId: string;
  readonly cwd: string;
  readonly home: string;
  /** Lines for stderr. */
  readonly warnings: readonly string[];
}

export async function rehearse(setup: Setup): Promise<Rehearsed> {
  const server = await serve(setup.replies, setup.server);
  const cwd = setup.place?.cwd ?? tempFolder(setup.files);
  const home = setup.place?.home ?? tempFolder();
  const clock = collapsingClock();
  const warnings: string[] = [];
  const options = laidOver(server, { cwd, home, clock, warnings }, setup.options);
  const running = query({ prompt: promptOf(setup.prompt), options });
  const run: Running = { query: running, server, cwd, home };

  const messages: SDKMessage[] = [];
  let error: unknown;
  try {
    for await (const message of running) {
      messages.push(message);
      await setup.onMessage?.(message, run);
    }
  } catch (thrown) {
    error = thrown;
  }
  // The same failure again, when the iterator has thrown it already.
  await running.close().catch((thrown: unknown) => {
    error ??= thrown;
  });

  const results = messages.filter((message) => message.type === 'result');
  const sessionId = messages.find((message) => message.session_id !== undefined)?.session_id ?? '';
  const place = { home, cwd, sessionId };
  const entries = existsSync(journalFile(place)) ? await readJournalOf(place) : [];
  const report = server.report();
  expect(clock.pending, 'timers that outlived the session').toBe(0);
  if (setup.openOnRecord !== true)
    expect(unanswered(entries), 'calls without exactly one result on record').toEqual([]);
  checkReport(report, setup);
  return {
    messages,
    results,
    error,
    server,
    report,
    sent: bodies(server),
    entries,
    decisions: decisionsOf(entries),
    waits: clock.waits,
    sessionId,
    cwd,
    home,
    warnings,
  };
}

/** A strict rehearsal server that the test's end closes. */
export async function serve(
  replies: Setup['replies'],
  options: Setup['server'] = {},
): Promise<RehearsalServer> {
  const isList = (given: Setup['replies']): given is readonly ScriptedReply[] => Array.isArray(given);
  const scenario = isList(replies) ? { name: 'scenario', replies } : replies;
  const server = await startRehearsal({ ...options, scenario });
  onTestFinished(() => server.close());
  return server;
}

/** Options that lead to a rehearsal server, in folders of their own. */
export function laidOver(
  server: Pick<RehearsalServer, 'url'>,
  world: {
    readonly cwd: string;
    readonly home: string;
    readonly clock?: NonNullable<Options['engine']>['clock'];
    readonly warnings?: string[];
  },
  options: Options = {},
): Options {
  return {
    cwd: world.cwd,
    permissionMode: 'bypassPermissions',
    allowDangerouslySkipPermissions: true,
    stderr: (line) => world.warnings?.push(line),
    ...options,
    env: {
      ANTHROPIC_BASE_URL: server.url,
      ANTHROPIC_API_KEY: KEY,
      PATH: process.env['PATH'],
      TURNWRIGHT_HOME: world.home,
      ...options.env,
    },
    engine: { clock: world.clock, random: () => 0, ...options.engine },
  };
}

/** The one result of a run that has exactly one, last. */
export function resultOf({ messages, results }: Pick<Rehearsed, 'messages' | 'results'>): SDKResultMessage {
  const [result] = results;
  if (result === undefined) throw new Error('There is no result.');
  expect(results).toHaveLength(1);
  expect(messages.at(-1)).toBe(result);
  return result;
}

export function successOf(run: Pick<Rehearsed, 'messages' | 'results'>): SDKResultSuccess {
  const result = resultOf(run);
  if (result.subtype !== 'success') throw new Error(`The result is ${result.subtype}.`);
  return result;
}

export function errorResultOf(run: Pick<Rehearsed, 'messages' | 'results'>): SDKResultError {
  const result = resultOf(run);
  if (result.subtype === 'success') throw new Error('The result is a success.');
  return result;
}

/** A stream of prompts, each given out when the last one's result has been seen. */
export function conversation(): {
  readonly prompts: AsyncIterable<SDKUserMessage>;
  say(text: string | readonly UserBlock[]): void;
  end(): void;
} {
  const waiting: SDKUserMessage[] = [];
  let over = false;
  let wake = () => {};
  return {
    say(text) {
      waiting.push({ type: 'user', message: { role: 'user', content: text }, parent_tool_use_id: null });
      wake();
    },
    end() {
      over = true;
      wake();
    },
    prompts: {
      async *[Symbol.asyncIterator]() {
        while (true) {
          const next = waiting.shift();
          if (next !== undefined) yield next;
          else if (over) return;
          else {
            await new Promise<void>((resolve) => {
              wake = resolve;
            });
          }
        }
      },
    },
  };
}

/** Several prompts, one submission each. */
export function submissions(...texts: readonly string[]): Pick<Setup, 'prompt' | 'onMessage'> {
  const talk = conversation();
  const left = [...texts];
  const sayNext = () => {
    const next = left.shift();
    if (next === undefined) talk.end();
    else talk.say(next);
  };
  sayNext();
  return {
    prompt: talk.prompts,
    onMessage: (message) => {
      if (message.type === 'result') sayNext();
    },
  };
}

function promptOf(prompt: Setup['prompt']): string | AsyncIterable<SDKUserMessage> {
  if (prompt === undefined) return 'Hello.';
  if (typeof prompt === 'string') return prompt;
  if (!Array.isArray(prompt)) return prompt as AsyncIterable<SDKUserMessage>;
  const talk = conversation();
  talk.say(prompt);
  talk.end();
  return talk.prompts;
}

function checkReport(report: RehearsalReport, setup: Setup): void {
  const meant = setup.rejectedBy ?? [];
  expect(
    report.rejected.filter(({ rule }) => !meant.includes(rule)),
    'requests that the API would refuse',
  ).toEqual([]);
  expect(report.unanswered, 'requests without a reply').toEqual([]);
  if (setup.partial !== true) expect(report.unusedReplies, 'replies that were never asked for').toEqual([]);
}

afterEach(() => {
  const children = process.getActiveResourcesInfo().filter((kind) => kind === 'ProcessWrap');
  expect(children, 'children that outlived the test').toEqual([]);
});
