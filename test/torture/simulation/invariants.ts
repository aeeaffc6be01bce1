/** What must hold after a simulated session, whatever happened in it (L10.1 to L10.9). */
import type { SDKMessage } from '@turnwright/engine';
import type { ViewMessage } from '@turnwright/engine/protocol/model/messages.ts';
import type { JournalEntry } from '@turnwright/engine/protocol/session/journal.ts';
import { resumeSession } from '../../../packages/engine/src/session/resume/resume.ts';
import { pairsOf } from '../../scenarios/journal.ts';
import { prefixFaults } from '../../session/prefix-faults.ts';
import type { Submitted } from './live.ts';
import type { World } from './world.ts';

/** Refusals that say nothing about the structure of a request. */
const OF_SIZE = new Set(['prompt-too-long', 'output-over-window', 'request-size']);
const PREFIXES = 8;

export function violationsOf(
  world: World,
  entries: readonly JournalEntry[],
  submitted: readonly Submitted[],
): string[] {
  return [
    ...pairing(world, entries),
    ...viewsOf(world, entries),
    ...compactions(entries),
    ...stopHooks(world),
    ...retractions(world, entries, submitted),
    ...money(submitted),
    ...results(submitted),
    ...structure(world),
    ...records(world, entries, submitted),
    ...leftovers(world, { mayRun: false }),
  ];
}

type Block = { readonly type: string; readonly id?: string; readonly tool_use_id?: string };
type Body = {
  readonly messages: readonly { readonly role: string; readonly content: string | readonly Block[] }[];
};

function pairing(world: World, entries: readonly JournalEntry[]): string[] {
  const found: string[] = [];
  for (const [at, body] of world.endpoint.bodies.entries()) {
    const { messages } = body as Body;
    for (const [n, { content }] of messages.entries()) {
      const calls = blocksOf(content).filter(({ type }) => type === 'tool_use');
      const answers = blocksOf(messages[n + 1]?.content ?? []).filter(({ type }) => type === 'tool_result');
      for (const { id } of calls)
        if (answers.filter(({ tool_use_id }) => tool_use_id === id).length !== 1)
          found.push(`L10.1 request ${at + 1}: ${id} has not exactly one result`);
    }
  }
  // An id may come again once its call has left the view by a compaction.
  const { calls, answers } = pairsOf(entries);
  if (calls.join() !== answers.join())
    found.push(
      `L10.1 on record: calls ${only(calls, answers)} and results ${only(answers, calls)} have no counterpart`,
    );
  return found;
}

const only = (these: readonly string[], those: readonly string[]) =>
  [...new Set(these)].filter(
    (id) => these.filter((one) => one === id).length !== those.filter((one) => one === id).length,
  );

const blocksOf = (content: string | readonly Block[]): readonly Block[] =>
  typeof content === 'string' ? [] : content;

/** L10.2: without a recorded edit, a view only grows; what was retracted is in no later request. */
function viewsOf({ asked, endpoint }: World, entries: readonly JournalEntry[]): string[] {
  const found: string[] = [];
  const main = asked.filter(({ source }) => source === 'main');
  for (const [at, { uuids, changes, process }] of main.entries()) {
    const before = main[at - 1];
    if (before === undefined || before.changes !== changes || before.process !== process) continue;
    const now = new Set(uuids);
    const lost = before.uuids.filter((uuid) => !now.has(uuid));
    if (lost.length > 0) found.push(`L10.2 main request ${at + 1}: ${lost} left the view without an edit`);
  }
  const retracted = new Set(entries.flatMap((entry) => (entry.type === 'retract' ? entry.uuids : [])));
  const last = JSON.stringify((endpoint.bodies.at(-1) as Body | undefined)?.messages ?? []);
  for (const entry of entries) {
    if (entry.type !== 'assistant' || !retracted.has(entry.uuid)) continue;
    const [mark] = /mark-\d+-/.exec(JSON.stringify(entry.message.content)) ?? [];
    const stays = entries.some(
      (other) =>
        other.type === 'assistant' &&
        !retracted.has(other.uuid) &&
        JSON.stringify(other.message.content).includes(mark ?? '-'),
    );
    if (mark !== undefined && !stays && last.includes(mark))
      found.push(`L10.2 ${entry.uuid} was retracted, and is in the last request`);
  }
  return found;
}

/**
 * L4.5: what is on record as retracted is not shown as final, nor in the result; what is taken back is on record; and an
 * answer without an end stays only with the calls that it made, or where nothing was asked any more.
 */
function retractions(
  world: World,
  entries: readonly JournalEntry[],
  submitted: readonly Submitted[],
): string[] {
  const found: string[] = [];
  const retracted = new Set(entries.flatMap((entry) => (entry.type === 'retract' ? entry.uuids : [])));
  // A submission that is carried on may end with what was shown to the consumer of an earlier process.
  const recorded = marksIn(
    entries.map((entry) => entry.type === 'assistant' && !retracted.has(entry.uuid) && entry.message.content),
  );
  for (const [at, { messages, whole }] of submitted.entries()) {
    const shown = new Map<string, Said>();
    for (const message of messages) {
      const { supersedes = [], retracted_message_uuids: taken = [] } = message as Takes;
      for (const uuid of [...supersedes, ...taken]) {
        shown.delete(uuid);
        // Those of an agent are on its own record.
        const isOwn = (message as Takes).parent_tool_use_id == null;
        if (isOwn && !world.diskStruck && !retracted.has(uuid))
          found.push(`L4.5 submission ${at + 1}: ${uuid} was taken back, and is not retracted on record`);
      }
      if (message.type === 'assistant') shown.set(message.uuid, message);
    }
    if (!whole) continue;
    for (const uuid of shown.keys())
      if (retracted.has(uuid)) found.push(`L4.5 submission ${at + 1}: ${uuid} was retracted, and is shown`);
    const standing = marksIn([...shown.values()].map(({ message }) => message.content));
    const last = messages.at(-1);
    if (last?.type === 'result' && last.subtype === 'success')
      for (const mark of marksIn(last.result))
        if (!standing.has(mark) && !recorded.has(mark))
          found.push(
            `L4.5 submission ${at + 1}: its result says ${mark}, which is neither shown nor on record`,
          );
    const newest = Math.max(0, ...standing);
    for (const { message } of shown.values()) {
      const said = [...shown.values()].filter((other) => other.message.id === message.id);
      const calls = said.some((other) => other.message.content.some(({ type }) => type === 'tool_use'));
      for (const mark of marksIn(message.content))
        if (mark < newest && world.endpoint.cut.has(mark) && !calls)
          found.push(`L4.5 submission ${at + 1}: answer ${mark} has no end, and is shown`);
    }
  }
  return found;
}

type Said = Extract<SDKMessage, { type: 'assistant' }>;
type Takes = {
  readonly parent_tool_use_id?: string | null;
  readonly supersedes?: readonly string[];
  readonly retracted_message_uuids?: readonly string[];
};

/** Numbers of the answers that said it. */
const marksIn = (content: unknown): Set<number> =>
  new Set([...JSON.stringify(content).matchAll(/mark-(\d+)-/g)].map(([, number]) => Number(number)));

/** L10.3: at most one boundary between two requests of the main agent that were answered. */
function compactions(entries: readonly JournalEntry[]): string[] {
  const found: string[] = [];
  let boundaries = 0;
  for (const entry of entries) {
    if (entry.type === 'boundary') boundaries++;
    else if (entry.type === 'response' || entry.type === 'submission') boundaries = 0;
    if (boundaries > 2) found.push(`L10.3 ${boundaries} compactions between two answers`);
  }
  return found;
}

/** L10.4: between two runs of the Stop hook stands a request. */
function stopHooks({ stops }: World): string[] {
  return stops.flatMap((what, at) =>
    what === 'Stop' && stops[at - 1] === 'Stop' ? [`L10.4 Stop hooks ran twice (${at})`] : [],
  );
}

/** L10.5: a cost never falls, and one that ends the run is in its result. */
function money(submitted: readonly Submitted[]): string[] {
  let spent = 0;
  return submitted.flatMap(({ messages, struck }) =>
    messages.flatMap((message) => {
      // A session that cannot be opened does not know what it has cost.
      if (message.type !== 'result' || struck) return [];
      const fell = message.total_cost_usd < spent - 1e-9;
      const before = spent;
      spent = message.total_cost_usd;
      return fell ? [`L10.5 the cost fell from ${before} to ${spent}`] : [];
    }),
  );
}

function results(submitted: readonly Submitted[]): string[] {
  return submitted.flatMap(({ messages, whole, error, struck }, at) => {
    const found: string[] = [];
    const count = messages.filter(({ type }) => type === 'result').length;
    if (count > 1) found.push(`L10.6 submission ${at + 1} has ${count} results`);
    if (count === 1 && messages.at(-1)?.type !== 'result')
      found.push(`L10.6 submission ${at + 1}: the result is not the last message`);
    const isResume = at > 0 && messages.length === 0;
    if (whole && count === 0 && !isResume && !(struck && isStorage(error)))
      found.push(`L10.6 submission ${at + 1} has no result: ${String((error as Error)?.stack ?? error)}`);
    if (
      error !== undefined &&
      !(error as Error).message?.includes('of the consumer') &&
      !(struck && isStorage(error))
    )
      found.push(`L10.6 submission ${at + 1} threw ${String((error as Error).stack ?? error)}`);
    return found;
  });
}

const isStorage = (error: unknown) => (error as { code?: string } | undefined)?.code === 'storage_error';

function structure({ endpoint, mood }: World): string[] {
  return endpoint.refused
    .filter(({ rule }) => !OF_SIZE.has(rule) && !(mood.isAltered && rule === 'thinking-signature'))
    .map(({ rule, message }) => `L10.7 refused by ${rule}: ${message}`);
}

function records(world: World, entries: readonly JournalEntry[], submitted: readonly Submitted[]): string[] {
  const found: string[] = [];
  // Those of a summary are in the record of its boundary.
  const onRecord = new Set(JSON.stringify(entries).match(/"uuid":"[^"]+"/g));
  if (!world.diskStruck)
    for (const { messages } of submitted)
      for (const message of messages)
        if (
          (message.type === 'assistant' || message.type === 'user') &&
          message.parent_tool_use_id === null &&
          !isOfCommand(message) &&
          !onRecord.has(`"uuid":"${message.uuid}"`)
        )
          found.push(`L10.8 not on record: ${JSON.stringify(message).slice(0, 300)}`);
  for (const [id, times] of world.runs) if (times > 1) found.push(`L10.8 ${id} ran ${times} times`);
  let seq = 0;
  for (const entry of entries) {
    if (entry.seq <= seq) found.push(`L10.8 record ${entry.seq} stands behind ${seq}`);
    seq = entry.seq;
  }
  for (let n = 0; n <= PREFIXES; n++) {
    const length = n === PREFIXES ? entries.length : world.choices.int(0, entries.length);
    for (const fault of prefixFaults(entries.slice(0, length)))
      found.push(`L10.8 prefix of ${length}: ${fault}`);
  }
  const last = world.processes.at(-1);
  if (last?.seen !== undefined && !last.diskStruck) {
    const asSeen = entries.slice(
      0,
      entries.findIndex((entry) => JSON.stringify(entry).includes('/seen')),
    );
    const resumed = shown(resumeSession(asSeen.length > 0 ? asSeen : entries).view.messages);
    const live = shown(last.seen);
    if (live.length < resumed.length || resumed.some((each, at) => live[at] !== each))
      found.push('L10.8 the conversation in memory is not the one on record');
  } else if (!world.diskStruck) found.push('L10.8 the last process has not come to its end');
  return found;
}

/** What a slash command says is no part of the conversation. */
const isOfCommand = (message: SDKMessage): boolean =>
  (message.type === 'assistant' && message.message.model === '<synthetic>') ||
  (message.type === 'user' && JSON.stringify(message.message.content).includes('<local-command'));

/** What the model is sent of it. */
const shown = (view: Iterable<ViewMessage>): string[] =>
  [...view].map((message) =>
    JSON.stringify([message.uuid, 'message' in message ? message.message.content : message.rendered]),
  );

/** L10.9. `mayRun`: tools that do not hear of their abort may still be at work, each with a timer of its own. */
export function leftovers({ processes }: World, { mayRun }: { readonly mayRun: boolean }): string[] {
  return processes.flatMap(({ number, clock, network, running }) => {
    if (clock.isDead) return [];
    const found: string[] = [];
    const ofTools = mayRun ? running : 0;
    if (clock.pending > ofTools) found.push(`L10.9 process ${number}: ${clock.pending} timers are left`);
    if (network.open > 0) found.push(`L10.9 process ${number}: ${network.open} requests are left`);
    if (running > ofTools) found.push(`L10.9 process ${number}: ${running} calls of tools are left`);
    return found;
  });
}
