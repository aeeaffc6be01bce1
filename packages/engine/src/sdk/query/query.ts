/** `query()`: one session driven by a prompt, or by a stream of prompts. */

import { uuid } from '@turnwright/base/ids/hash-and-uuid.ts';
import { isSlip } from '@turnwright/base/text/is-slip.ts';
import type { QueryEngine } from '../../engine/query-engine.ts';
import { openSpans } from '../../engine/session/open-spans.ts';
import { checkOptions } from '../../options/check-options.ts';
import type { Known } from '../../options/output-format.ts';
import { TurnwrightError } from '../../protocol/errors.ts';
import type { SDKMessage, SDKUserMessage } from '../../protocol/stream/sdk-messages.ts';
import { withExtraArgs } from '../extra-args.ts';
import { type EngineOpening, startEngine } from '../open-engine.ts';
import type { Options } from '../query-options.ts';
import { Announcements } from './announcements.ts';
import { createPromptFeed, handQueueOn, toUserMessage } from './prompt-feed.ts';
import { QueryHandle } from './query-handle.ts';
import type { InterruptReceipt, Query } from './query-interface.ts';
import { run, type Stream } from './run.ts';
import { buildInitialization, type InitializationResult } from './session-info.ts';
import { createStateOfSession } from './session-state.ts';
import { refuseAborted, startFailed } from './stop-errors.ts';

export type { InterruptReceipt, Query };

/**
 * Runs a session. A string is one prompt; each message of a stream is a submission with a result of its own,
 * unless it joins a running turn. Throws `invalid_option` synchronously. The iterator throws AbortError when
 * `options.abortController` fired, and `error_result` when the input has ended and the last result was an
 * error.
 *
 * @example
 * ```ts
 * for await (const message of query({ prompt: 'Fix the failing test.', options: { cwd: '/work/app' } })) {
 *   if (message.type === 'result' && message.subtype === 'success') console.log(message.result);
 * }
 * ```
 *
 * @example
 * ```ts
 * // A value instead of a text: the schema checks `structured_output` and gives it its type.
 * const Review = z.object({ verdict: z.enum(['merge', 'change']), reasons: z.array(z.string()) });
 * for await (const message of query({ prompt: 'Review the diff.', options: { outputFormat: Review } })) {
 *   if (message.type === 'result' && message.subtype === 'success')
 *     console.log(message.structured_output?.verdict);
 * }
 * ```
 *
 * @example
 * ```ts
 * // In a test: `engine.callModel` takes the place of the model, without network or key.
 * const seen: SDKMessage[] = [];
 * const model = scriptedModel([callTool('Read', { file_path: '/work/app/a.txt' }), say('It is empty.')]);
 * const options = { cwd: '/work/app', engine: { callModel: model.callModel } };
 * for await (const message of query({ prompt: 'What is in a.txt?', options })) seen.push(message);
 * model.assertComplete();
 * ```
 */
export function query<Output = unknown>({
  prompt,
  options: given = {},
  ...others
}: {
  /**
   * One prompt, or a stream of them. Absent, with `resume` or `continue`: the interrupted submission is
   * continued to its result (L4.1).
   */
  readonly prompt?: string | AsyncIterable<SDKUserMessage> | undefined;
  readonly options?: Options<Output>;
}): Query<Known<Output>> {
  checkOptions(given);
  const options = withExtraArgs(given);
  if (prompt === undefined && options.resume === undefined && options.continue !== true) {
    throw new TurnwrightError(
      'invalid_option',
      `A query needs a prompt, or "resume" or "continue" to carry on what was interrupted.${promptHint(others)}`,
    );
  }
  const caller = options.abortController?.signal;
  const spans = options.tracing && openSpans(options.tracing);
  // Without the file of the package, the engine reports it.
  spans?.catch(() => undefined);
  let opening: EngineOpening | undefined;
  let closing: Promise<void> | undefined;
  const open = () => {
    if (opening === undefined) {
      const { canUseTool, onElicitation } = options;
      const started = startEngine(
        {
          ...options,
          ...(canUseTool !== undefined && { canUseTool: state.whileAsking(canUseTool) }),
          ...(onElicitation !== undefined && { onElicitation: state.whileAsking(onElicitation) }),
        },
        { promptsCome: typeof prompt === 'object', spans },
      );
      opening = { ...started, engine: begin(started) };
      // A caller that awaits one of the two receives the error; the other must not count as unhandled.
      opening.config.catch(() => undefined);
      opening.engine.catch(() => undefined);
      opening.configured.catch(() => undefined);
    }
    return opening;
  };
  const engine = () => open().engine;
  const announcements = new Announcements(() => handle.look());
  let live: QueryEngine | undefined;
  const state = createStateOfSession((next) => live?.controls.enterState(next));
  const feed = createPromptFeed(engine, {
    arrived: () => state.running(),
    changed: (command, next) =>
      announcements.say({
        type: 'command_lifecycle',
        command_uuid: command,
        state: next,
        uuid: uuid(),
        session_id: live?.sessionId ?? '',
      }),
    repeated({ uuid: known, message }) {
      if (options.replayUserMessages !== true || known === undefined) return;
      const session_id = live?.sessionId ?? '';
      announcements.say({ ...toUserMessage(message.content), isReplay: true, uuid: known, session_id });
      feed.wake();
    },
  });
  const attend = (session: QueryEngine): QueryEngine => {
    live = session;
    session.tasks.onChange(() => feed.wake());
    feed.follow(session);
    session.onEvent((message) => {
      announcements.say(message);
      feed.wake();
    });
    return session;
  };
  const begin = async ({ config, engine: made }: EngineOpening): Promise<QueryEngine> => {
    const session = attend(await made);
    const { resume, stderr } = await config;
    if (resume !== undefined) await openToResume(session, stderr);
    return session;
  };
  const close = () => {
    closing ??= (async () => {
      feed.end();
      await (await opening?.engine.catch(() => undefined))?.close();
    })();
    return closing;
  };
  const sayMode = (session: QueryEngine) => {
    announcements.say(session.settings.modeMessage());
    feed.wake();
  };
  const isOver = () => closing !== undefined;
  /** After `/clear` the stream continues with the engine of the next conversation. */
  const succeed = async (session: QueryEngine, next: QueryEngine) => {
    opening = { ...open(), engine: Promise.resolve(attend(next)) };
    await handQueueOn(session, next);
    await session.close();
  };
  let commands: InitializationResult['commands'] | undefined;
  const heard = (message: SDKMessage) => {
    if (message.type === 'system' && message.subtype === 'commands_changed') commands = message.commands;
  };

  const reading =
    prompt === undefined
      ? feed.end()
      : typeof prompt === 'string'
        ? feed.add(toUserMessage(prompt))
        : feed.read(prompt);
  const stream: Stream = {
    caller,
    isOver,
    close,
    succeed,
    heard,
    carriesOn: prompt === undefined || options.carryOn === true,
    announcements,
    state,
    configured: () => open().configured,
  };
  const handle = new QueryHandle(
    (output) => run(engine, feed, reading, stream, output),
    {
      abort: () => void close(),
      wanted() {
        refuseAborted(caller);
        return !isOver();
      },
      passing: (batch) => announcements.pass(batch),
      beside: () => announcements.takeBeside(),
    },
    {
      engine,
      feed,
      close,
      sayMode,
      keepsTasks: options.perTaskStopAffordance === true,
      initialization: async () => {
        const { config, engine: opened } = open();
        if ((await config).resume !== undefined) await opened;
        return buildInitialization(await config);
      },
      availableModels: async ({ signal, provider }) => {
        const { listConfiguredModels } = await import('../../engine/standalone/list-configured-models.ts');
        const config = await open().config;
        const other = { provider, model: undefined, baseUrl: undefined };
        return listConfiguredModels(provider === undefined ? config : { ...config, ...other }, signal);
      },
      commands: () => commands,
    },
  );
  return handle as Query as Query<Known<Output>>;
}

/**
 * Opened immediately, so that the caller learns at the start when the resume is not possible. Rejects with
 * `StartFailed`.
 */
async function openToResume(session: QueryEngine, stderr: Options['stderr']): Promise<void> {
  try {
    await session.controls.open();
  } catch (error) {
    const failed = startFailed(error, { sessionId: session.sessionId, stderr });
    await session.close();
    throw failed;
  }
}

/** Where a prompt was given that is not found: as a text alone, or under another name. */
function promptHint(others: object): string {
  const names = Object.keys(others);
  if (names[0] === '0') return ' Give it by name: query({ prompt: "…" }).';
  const wrong = names.find((name) => isSlip(name, 'prompt')) ?? names[0];
  return wrong === undefined ? '' : ` Is "${wrong}" meant to be "prompt"?`;
}
