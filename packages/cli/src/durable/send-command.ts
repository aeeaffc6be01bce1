/** `turnwright send`: a prompt for a session in a database, its answer as it is written, or an interrupt. */
import { type DurableClient, durableClient } from '@turnwright/durable';
import type { SDKResultMessage } from '@turnwright/engine';
import { visible } from '@turnwright/terminal/text/visible.ts';
import { EXIT, type ExitCode, toExitCode } from '../exit-codes.ts';
import type { SendInvocation } from '../flags/durable-flags.ts';
import { jsonLine } from '../output.ts';
import { PrintedRun } from '../run/printed-run.ts';
import { readPrompt } from '../run/read-prompt.ts';
import { UsageError } from '../usage-error.ts';
import type { World } from '../world.ts';
import { archiveStore } from './archive-folder.ts';
import { limitHelp } from './caring-actions.ts';
import { databaseUrl } from './database-url.ts';
import { sessionToSendTo, wholeSession } from './whole-ids.ts';
import { whoRunsIt } from './workers-alive.ts';

export async function runSendCommand(
  world: World,
  { session: given, words, flags }: SendInvocation,
): Promise<ExitCode> {
  const url = databaseUrl(flags, world);
  const { follow: follows = false, from, interrupt = false, key, tenant, json = false } = flags;
  const isPrompted = words.length > 0 || !(follows || interrupt);
  const text = isPrompted ? await readPrompt({ words, stdin: world.stdin }) : '';
  if (isPrompted && text === '')
    throw new UsageError('Give a prompt, --follow or --interrupt: turnwright send <session> "what to do"');
  if (!follows && (from !== undefined || json))
    throw new UsageError(
      '--from and --json go with --follow: turnwright send <session> --follow --from <cursor>',
    );
  const client = durableClient(url, { archive: archiveStore(flags, world) });
  try {
    const session = await (text === '' ? wholeSession : sessionToSendTo)(given, client);
    if (interrupt) {
      const { interrupted } = await client.interrupt(session);
      await world.err.write(interrupted ? `${session} is interrupted.\n` : `Nothing runs in ${session}.\n`);
    }
    const sent = text === '' ? undefined : await client.send(session, text, { key, tenant });
    if (!follows) {
      if (sent !== undefined)
        await world.err.write(
          `${sent.fresh ? 'Stored' : 'Stored before'} for ${session} as ${sent.uuid}; ${await whoRunsIt(url)}. Follow it: turnwright send ${session} --follow. Which workers there are: turnwright durable status\n`,
        );
      return EXIT.success;
    }
    return await follow({ client, session, from: from ?? sent?.cursor, until: sent?.uuid, json }, world);
  } finally {
    await client.close();
  }
}

/** A stream without any message for so long: it is looked why. */
const SILENT_MS = 1_500;

interface Following {
  readonly client: DurableClient;
  readonly session: string;
  /** Default: the session's beginning. */
  readonly from: string | undefined;
  /** uuid of the prompt whose result ends it. Default: it ends when the session has nothing left to do. */
  readonly until: string | undefined;
  readonly json: boolean;
}

/** Prints what the session says, until the result. The session goes on when the person leaves. */
async function follow({ client, session, from, until, json }: Following, world: World): Promise<ExitCode> {
  const leaving = new AbortController();
  let cursor = from;
  let result: SDKResultMessage | undefined;
  /** A run has begun and has no result yet. */
  let isOpen = false;
  let waiting: NodeJS.Timeout | undefined;
  const leave = () => leaving.abort();
  const forget = world.signals.attach({ interrupt: leave, close: leave });
  const view = json
    ? undefined
    : await PrintedRun.open(world, { verbose: true, neverAsk: true, summary: false });
  const sayWaits = waitSayer(client, session, world);
  try {
    const { signal } = leaving;
    // What was asked before this place is not on the stream: without it the prompt seems to hang.
    if (from !== undefined) await sayWaits();
    // A limit may hold it before it begins: nothing is on the stream then.
    waiting = setInterval(() => void sayWaits().catch(() => undefined), SILENT_MS);
    for await (const each of client.follow(session, { from, until, untilIdle: true, signal })) {
      cursor = each.cursor;
      clearInterval(waiting);
      const { message } = each;
      if (view === undefined) await world.out.write(jsonLine({ cursor, message }));
      else await view.show(message);
      if (message.type === 'result') {
        result = message;
        isOpen = false;
      }
      const begins = message.type === 'system' && message.subtype === 'init';
      if (begins && isOpen && view !== undefined)
        await world.err.write(`${session}: the worker is gone, another one goes on.\n`);
      if (begins) isOpen = true;
      const parked =
        message.type === 'system' &&
        message.subtype === 'session_parked' &&
        (message.on === 'ask' || message.why !== undefined);
      if (parked && view !== undefined) await sayWaits();
    }
  } finally {
    forget();
    clearInterval(waiting);
    await view?.end(result);
  }
  if (!leaving.signal.aborted) return result === undefined ? EXIT.success : toExitCode(result);
  const place = cursor === undefined ? '' : ` --from ${cursor}`;
  await world.err.write(
    `${session} goes on without you. Follow it again: turnwright send ${session} --follow${place}\n`,
  );
  return EXIT.interrupted;
}

/** Says what the session waits for, each question once, and a limit of its tenant. */
function waitSayer(client: DurableClient, session: string, world: World): () => Promise<void> {
  const said = new Set<string>();
  return async () => {
    const status = await client.status(session);
    if (status?.limit !== undefined && !said.has(status.limit)) {
      said.add(status.limit);
      await world.err.write(`${session} waits: ${visible(status.why ?? '')} ${limitHelp(status)}\n`);
    }
    for (const { askId, toolName, question } of status?.questions ?? []) {
      if (said.has(askId)) continue;
      said.add(askId);
      const asked = JSON.stringify(question['input'] ?? question['elicitation'] ?? {});
      await world.err.write(
        `${session} waits for an answer: ${visible(`${toolName} ${asked}`)}\n  turnwright answer ${session} ${askId} allow    (or deny)\n`,
      );
    }
  };
}
