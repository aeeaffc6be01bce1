/** Questions of a run to a person, who may answer after days: through the table, by any process. */
import type { CanUseToolContext, ElicitationAnswer, Options, PermissionResult } from '@turnwright/engine';
import { TurnwrightError } from '@turnwright/engine/protocol/errors.ts';
import type { Database } from './postgres/database.ts';
import { groupCalls, perDatabase } from './postgres/group-calls.ts';
import type { Ownership } from './postgres/journal-rows.ts';
import type { Listener } from './postgres/listener.ts';

interface AsksOptions {
  readonly database: Database;
  readonly listener: Pick<Listener, 'wakes'>;
  readonly sessionId: string;
  /** With which the run has the session. */
  readonly own: () => Ownership | undefined;
  /** Called with 1 when a question begins to wait, and with -1 when it does not any more. */
  readonly onWaiting: (change: 1 | -1) => void;
}

interface Question {
  readonly askId: string;
  readonly toolUseId: string;
  readonly toolName: string;
  /** JSON. */
  readonly question: unknown;
}

interface Asks extends Required<Pick<Options, 'canUseTool' | 'onElicitation'>> {
  /** Answers to these questions, by id: an earlier run parked on them, or did not live to hear them. */
  earlierAnswers(askIds: readonly string[]): Promise<ReadonlyMap<string, unknown>>;
}

/**
 * Callbacks that put each question into the table and wait for its answer, until the run parks. An answer
 * that `earlierAnswers` has read is given at once, so that the run does not park again meanwhile.
 */
export function openAsks({ database, listener, sessionId, own, onWaiting }: AsksOptions): Asks {
  let answers: ReadonlyMap<string, unknown> = new Map();

  async function answerTo<Answer>(asked: Question, signal: AbortSignal): Promise<Answer> {
    const { askId, toolUseId, toolName, question } = asked;
    const known = answers.get(askId);
    if (known !== undefined) return known as Answer;
    // A run that was resumed asks again: the first question stands, with the answer it may have.
    const { epoch, owner } = own() ?? {};
    const values = [sessionId, askId, toolUseId, toolName, JSON.stringify(question), epoch, owner];
    if ((await database.run(PUT_QUESTION, values)).length === 0)
      throw new TurnwrightError('fenced', `Another worker has session ${sessionId}: nothing is asked.`);
    onWaiting(1);
    try {
      for await (const _ of listener.wakes('answer', sessionId, signal)) {
        const [row] = await database.run<{ readonly answer: string }>(
          `select answer from turnwright.asks
           where session_id = $1 and ask_id = $2 and answer is not null`,
          [sessionId, askId],
        );
        if (row !== undefined) return JSON.parse(row.answer) as Answer;
      }
    } finally {
      onWaiting(-1);
    }
    throw signal.reason;
  }

  return {
    async earlierAnswers(askIds) {
      answers = await answersTo(database)({ sessionId, askIds });
      return answers;
    },
    canUseTool: (toolName, input, context) =>
      answerTo<PermissionResult>(
        {
          askId: context.askId,
          toolUseId: context.toolUseID,
          toolName,
          question: { input, ...storable(context) },
        },
        context.signal,
      ),
    onElicitation: (request, { signal, askId }) =>
      answerTo<ElicitationAnswer>(
        { askId, toolUseId: '', toolName: `mcp__${request.serverName}`, question: { elicitation: request } },
        signal,
      ),
  };
}

/** No row: another owner has the session. */
const PUT_QUESTION = `
  with fence as (
    select session_id from turnwright.sessions where session_id = $1 and epoch = $6 and owner = $7 for share
  ), asked as (
    insert into turnwright.asks (session_id, ask_id, tool_use_id, tool_name, question)
    select session_id, $2, $3, $4, $5 from fence on conflict do nothing
  )
  select from fence`;

interface Questions {
  readonly sessionId: string;
  readonly askIds: readonly string[];
}

/** By their ids. */
const answersTo = perDatabase(({ run }) =>
  groupCalls(async (asked: readonly Questions[]): Promise<readonly ReadonlyMap<string, unknown>[]> => {
    const rows = await run<{ readonly session_id: string; readonly ask_id: string; readonly answer: string }>(
      `select session_id, ask_id, answer from turnwright.asks
       where session_id = any($1) and ask_id = any($2) and answer is not null`,
      [asked.map(({ sessionId }) => sessionId), asked.flatMap(({ askIds }) => askIds)],
    );
    return asked.map(
      ({ sessionId }) =>
        new Map(
          rows.flatMap((row) => (row.session_id === sessionId ? [[row.ask_id, JSON.parse(row.answer)]] : [])),
        ),
    );
  }),
);

/** What a question says beside its input; functions and signals stay with the process that asks. */
function storable({ signal: _, explain: __, checkRule: ___, ...facts }: CanUseToolContext): object {
  return facts;
}
