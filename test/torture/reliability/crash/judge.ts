/** What a crash has left, compared with what the session had acknowledged before it. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '@turnwright/base/clock.ts';
import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import type { JournalEntry } from '@turnwright/engine/protocol/session/journal.ts';
import type { QueryEngine } from '../../../../packages/engine/src/engine/query-engine.ts';
import { createFileJournalStore } from '../../../../packages/engine/src/session/journal/file-store.ts';
import { readEntries } from '../../../../packages/engine/src/session/journal/read-journal.ts';
import { checkPrefix } from '../../../session/check-prefix.ts';
import { inequality } from './equal-requests.ts';
import {
  effectsIn,
  isWholeContent,
  LAST_WORDS,
  openScripted,
  PROMPT,
  placesOf,
  type Script,
  SESSION,
  type SentBody,
} from './scripted-session.ts';

export interface Verdict {
  /** Acknowledged records that are not in the journal. */
  readonly lost: readonly string[];
  readonly unreadable: readonly string[];
  /** Requests after the resume that are not as without a crash. */
  readonly unequal: readonly string[];
  /** Effects that occurred twice, or without a record of their call before them. */
  readonly effects: readonly string[];
  /** Files of the user that are neither the old nor the new version. */
  readonly torn: readonly string[];
}

/** `acknowledged`: lines of the process, `ack TYPE UUID`. The session's folder is used up. */
export async function judge(
  script: Script,
  acknowledged: readonly string[],
  uninterrupted: SentBody,
): Promise<Verdict> {
  const { torn, effects } = { torn: tornFiles(script), effects: [] as string[] };
  const lost: string[] = [];
  const unequal: string[] = [];
  const uuids = acknowledged.map((line) => line.split(' ').slice(1) as [string, string]);
  try {
    const entries = await entriesOf(script);
    if (entries.length > 0) checkPrefix(entries);
    const recorded = new Set(entries.flatMap((entry) => ('uuid' in entry ? [entry.uuid] : [])));
    for (const [type, uuid] of uuids) {
      if ((type === 'assistant' || type === 'user') && !recorded.has(uuid)) lost.push(`${type} ${uuid}`);
      if (type === 'result' && !entries.some((entry) => entry.type === 'result')) lost.push('the result');
    }
    effects.push(...wrongEffects(effectsIn(script), entries));
    if (!entries.some((entry) => entry.type === 'user'))
      return { lost, unreadable: [], unequal, effects, torn };

    const results = new Set(
      entries.flatMap((entry) =>
        entry.type === 'user' && uuids.some(([, uuid]) => uuid === entry.uuid) ? resultIdsOf(entry) : [],
      ),
    );
    const request = await requestAfterResume(script);
    const why = inequality(uninterrupted, placeless(request, script), results, AFTERWARDS);
    if (why !== undefined) unequal.push(why);
    return { lost, unreadable: [], unequal, effects, torn };
  } catch (error) {
    return { lost, unreadable: [String((error as Error)?.stack ?? error)], unequal, effects, torn };
  }
}

/** The last request of a run without a crash, and the answer to it: the whole conversation. */
export async function uninterruptedBody(script: Script): Promise<SentBody> {
  const { engine, sent } = openScripted(script, { keepsBodies: true });
  for await (const _ of engine.submitMessage(PROMPT));
  await engine.close();
  const body = sent.at(-1) as SentBody;
  const answer = { role: 'assistant', content: [{ type: 'text', text: LAST_WORDS }] };
  return placeless({ ...body, messages: [...body.messages, answer] }, script);
}

export const AFTERWARDS = 'What happened?';

export async function entriesOf(script: Script): Promise<JournalEntry[]> {
  const { sessions, cwd } = placesOf(script);
  if (!existsSync(join(sessions, `${SESSION}.jsonl`))) return [];
  const store = createFileJournalStore({ files: nodeFiles, directory: sessions, cwd, clock: systemClock });
  return readEntries(store, SESSION);
}

/** The first request of the session with a new prompt. */
export async function requestAfterResume(script: Script): Promise<SentBody> {
  const request = await requestOf(script, (engine) => engine.submitMessage(AFTERWARDS));
  if (request === undefined) throw new Error('The resumed session made no request.');
  return request;
}

/** The one request that the resumed session makes; undefined: it makes none. Its answer ends the session. */
export async function requestOf(
  script: Script,
  run: (engine: QueryEngine) => AsyncIterable<unknown>,
): Promise<SentBody | undefined> {
  const { engine, sent } = openScripted(script, { resume: true, keepsBodies: true, answers: 0 });
  for await (const _ of run(engine));
  await engine.close();
  if (sent.length > 1) throw new Error(`The resumed session made ${sent.length} requests instead of one.`);
  return sent[0];
}

/** Without the path of the session's folder, which differs between runs. */
export const placeless = (body: SentBody, { folder }: Script): SentBody =>
  JSON.parse(JSON.stringify(body).replaceAll(folder, 'FOLDER')) as SentBody;

export function resultIdsOf(entry: JournalEntry & { readonly type: 'user' }): string[] {
  const { content } = entry.message;
  return typeof content === 'string'
    ? []
    : content.flatMap((block) => (block.type === 'tool_result' ? [block.tool_use_id as string] : []));
}

/** R4: nothing runs twice, and nothing runs without an intent on the disk. */
export function wrongEffects(lines: readonly string[], entries: readonly JournalEntry[]): string[] {
  const begun = lines.filter((line) => line.startsWith('begun ')).map((line) => line.slice(6));
  const intents = new Set(entries.flatMap((entry) => (entry.type === 'intent' ? [entry.toolUseId] : [])));
  return [
    ...begun.filter((id, at) => begun.indexOf(id) !== at).map((id) => `${id} ran twice`),
    ...begun.filter((id) => !intents.has(id)).map((id) => `${id} ran without an intent`),
  ];
}

function tornFiles(script: Script): string[] {
  const { cwd } = placesOf(script);
  if (!existsSync(cwd)) return [];
  return readdirSync(cwd)
    .filter((name) => name.startsWith('file-'))
    .filter((name) => !isWholeContent(readFileSync(join(cwd, name), 'utf8')));
}
