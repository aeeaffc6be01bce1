/** All that is known of one iteration: the rules, what was sent and how it differs, the answer, the calls. */

import { isRecord } from '@turnwright/base/json-values.ts';
import type { ViewMessage } from '../../protocol/model/messages.ts';
import type { View } from '../../protocol/model/view.ts';
import type { DecisionRecord } from '../../protocol/session/decision-record.ts';
import type { InspectedEntry, InspectedRule, IterationDetail } from '../../protocol/session/inspection.ts';
import type { JournalEntry } from '../../protocol/session/journal.ts';
import type { Told } from '../../protocol/session/told.ts';
import { changesView } from '../../view/changes.ts';
import { isMainRequest, ViewFold } from '../../view/fold.ts';
import { messageOfRecord } from '../journal/message-record.ts';
import { type PriceLookup, ResumedBreaks } from '../resumed-breaks.ts';
import {
  CUT_OFF,
  failureIn,
  limitIn,
  QUESTIONS,
  sayCacheBreak,
  sayDecision,
  sayPermission,
} from './sentences.ts';
import { showImages } from './shown-images.ts';

/** Of a text, in a detail; the rest is read by itself. */
const PREVIEW_CHARS = 4_000;
const MOST_REMOVED = 50;
const RAW_CHARS = 200_000;

type Snapshot = Extract<JournalEntry, { readonly type: 'context-snapshot' }>;
type Messages = readonly ViewMessage[];

/** What is held of one request while the journal is read. */
interface Sent {
  readonly key: string;
  readonly view: View;
  readonly snapshot: Snapshot | undefined;
}

interface Current {
  readonly sent: Sent;
  readonly before: Sent | undefined;
  record: DecisionRecord | undefined;
  told: Told | undefined;
  limitUsd: number | undefined;
  readonly said: ViewMessage[];
}

/**
 * Yields the details of the iterations that `wants` names, in order. Keys are those of `JournalRows` for the
 * same journal.
 */
export async function* readDetails(
  entries: AsyncIterable<JournalEntry>,
  wants: (key: string) => boolean,
  previewChars = PREVIEW_CHARS,
  priceOf: PriceLookup = () => undefined,
): AsyncGenerator<IterationDetail> {
  const fold = new ViewFold();
  const keys = new IterationKeys();
  const breaks = new ResumedBreaks(priceOf);
  let snapshot: Snapshot | undefined;
  let before: Sent | undefined;
  let current: Current | undefined;
  for await (const entry of entries) {
    try {
      const completed = breaks.complete(entry);
      if (entry.type === 'context-snapshot') snapshot = entry;
      const begun = keys.begin(entry);
      if (begun !== undefined) {
        if (current !== undefined && wants(current.sent.key)) yield toDetail(current, previewChars);
        fold.apply([entry]);
        before = current?.sent ?? before;
        current = {
          sent: { key: begun, view: fold.messages, snapshot },
          before,
          record: undefined,
          told: undefined,
          limitUsd: undefined,
          said: [],
        };
        continue;
      }
      if (entry.type === 'decision' && current !== undefined) {
        current.record = completed;
        current.told = entry.told;
      }
      if (entry.type === 'result' && current !== undefined) current.limitUsd = limitIn(entry.result);
      applyTo(fold, entry, current);
    } catch {
      // A record with the type but not the shape of one.
    }
  }
  if (current !== undefined && wants(current.sent.key)) yield toDetail(current, previewChars);
}

function applyTo(fold: ViewFold, entry: JournalEntry, current: Current | undefined): void {
  if (entry.type === 'user' || entry.type === 'assistant' || entry.type === 'attachment') {
    const message = messageOfRecord(entry);
    if (message === undefined || ('settled' in entry && entry.settled === true)) return;
    fold.add(message);
    current?.said.push(message);
  } else if (['submission', 'request', 'result'].includes(entry.type) || changesView(entry))
    fold.apply([entry]);
}

/** Names iterations as `JournalRows` does. */
export class IterationKeys {
  readonly #numbers = new Map<string, number>();
  readonly #times = new Map<string, number>();
  #open: { readonly submission: string; readonly iteration: number } | undefined;

  /** The key of the iteration that begins with this record. */
  begin(entry: JournalEntry): string | undefined {
    if (entry.type === 'submission' && !this.#numbers.has(entry.submission))
      this.#numbers.set(entry.submission, this.#numbers.size + 1);
    if (entry.type === 'decision') this.#open = undefined;
    if (entry.type !== 'request' || !isMainRequest(entry)) return undefined;
    const { submission, iteration } = entry;
    const number = this.#numbers.get(submission);
    if (number === undefined) return undefined;
    if (this.#open?.submission === submission && this.#open.iteration === iteration) return undefined;
    this.#open = { submission, iteration };
    const name = `${number}.${iteration}`;
    const times = (this.#times.get(name) ?? 0) + 1;
    this.#times.set(name, times);
    return times === 1 ? name : `${name}~${times}`;
  }
}

function toDetail(current: Current, previewChars: number): IterationDetail {
  const { sent, before, record, told, limitUsd, said } = current;
  const messages = sent.view.slice();
  const messagesBefore = before?.view.slice() ?? [];
  const all = toEntries(messages, record?.view.tokens, previewChars);
  const earlier = new Map(messagesBefore.map((message) => [message.uuid, message]));
  const differs = messages.findIndex((message, at) => !isSameMessage(message, messagesBefore[at]));
  const unchanged = differs < 0 ? messages.length : differs;
  const state = (message: ViewMessage): InspectedEntry['state'] => {
    const was = earlier.get(message.uuid);
    return was === undefined ? 'new' : isSameMessage(was, message) ? 'same' : 'changed';
  };
  const kept = new Set(messages.map(({ uuid }) => uuid));
  const removed = messagesBefore.filter(({ uuid }) => !kept.has(uuid));
  const prefix = messages.slice(0, unchanged);
  const prefixSet = new Set(prefix.map(({ uuid }) => uuid));
  const states = new Map(messages.map((message) => [message.uuid, state(message)]));
  const breakage = record?.cache?.break;
  return {
    key: sent.key,
    sentence: record === undefined ? CUT_OFF : sayDecision(record, { failure: failureIn(told), limitUsd }),
    rules: record === undefined ? [] : listRules(record),
    sent: {
      unchanged,
      unchangedTokens: all.reduce((sum, { uuid, tokens }) => (prefixSet.has(uuid) ? sum + tokens : sum), 0),
      entries: all
        .filter(({ uuid }) => !prefixSet.has(uuid))
        .map((entry) => ({ ...entry, state: states.get(entry.uuid) ?? 'new' })),
      removed: toEntries(removed.slice(0, MOST_REMOVED), undefined, 300),
      removedCount: removed.length,
      system: describeSystem(sent.snapshot, before?.snapshot, before === undefined, previewChars),
    },
    answer: toEntries(
      said.filter(({ type }) => type === 'assistant'),
      undefined,
      previewChars,
    ),
    calls: listCallsOf(said, record, previewChars),
    hooks: listHooks(told),
    ...(breakage !== undefined && { breakAt: sayCacheBreak(breakage) }),
    raw: JSON.stringify({ record, told }, undefined, 2).slice(0, RAW_CHARS),
  };
}

/** An edit makes a new message, with the uuid of the old one or another. */
function isSameMessage(a: ViewMessage | undefined, b: ViewMessage | undefined): boolean {
  if (a === b) return true;
  return a?.uuid === b?.uuid && a !== undefined && b !== undefined && bodyOf(a) === bodyOf(b);
}

const bodyOf = (message: ViewMessage): string =>
  JSON.stringify(message.type === 'attachment' ? message.rendered : message.message.content);

function listRules({ rules }: DecisionRecord): readonly InspectedRule[] {
  let read: Readonly<Record<string, unknown>> = {};
  const asked = rules.map(({ name, verdict, read: own }): InspectedRule => {
    read = own ?? read;
    return {
      name,
      question: question(name),
      verdict: verdict === 'pass' ? 'no' : 'decided',
      facts: Object.entries(read).map(([fact, value]) => [fact, shownFact(value)] as const),
    };
  });
  const last = rules.at(-1);
  const order = Object.keys(QUESTIONS);
  if (last === undefined || last.verdict === 'pass') return asked;
  const left = order.slice(order.indexOf(last.name) + 1);
  return [
    ...asked,
    ...left.map((name) => ({ name, question: question(name), verdict: 'not reached' as const, facts: [] })),
  ];
}

const question = (name: string): string =>
  Object.hasOwn(QUESTIONS, name) ? (QUESTIONS[name] as string) : name.replaceAll('_', ' ');

function shownFact(value: unknown): string {
  const text = JSON.stringify(value) ?? 'undefined';
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

function describeSystem(
  now: Snapshot | undefined,
  was: Snapshot | undefined,
  isFirst: boolean,
  previewChars: number,
): IterationDetail['sent']['system'] {
  const texts = now === undefined ? [] : [...now.system, ...now.userContext];
  const text = texts.join('\n\n');
  const changed: string[] = [];
  if (!isFirst && now !== undefined && was !== undefined && now !== was) {
    if (now.system.join() !== was.system.join()) changed.push('system prompt');
    if (now.userContext.join() !== was.userContext.join()) changed.push('user context');
    if (now.toolNames.join() !== was.toolNames.join()) changed.push('tools');
  }
  return { text: text.slice(0, previewChars), chars: text.length, tools: now?.toolNames ?? [], changed };
}

function toEntries(
  messages: Messages,
  counted: number | undefined,
  previewChars: number,
): readonly InspectedEntry[] {
  const names = new Map<string, string>();
  const entries = messages.flatMap((message) =>
    blocksOf(message).map((block) => {
      const text = textOfBlock(block);
      const kind = kindOf(message, block);
      const images = showImages(block);
      if (kind === 'tool_use') names.set(String(block['id']), String(block['name']));
      const name =
        kind === 'tool_use'
          ? String(block['name'])
          : kind === 'tool_result'
            ? names.get(String(block['tool_use_id']))
            : undefined;
      return {
        uuid: message.uuid,
        role: message.type === 'assistant' ? ('assistant' as const) : ('user' as const),
        kind,
        ...(name !== undefined && { name }),
        chars: text.length,
        tokens: 0,
        text: text.slice(0, previewChars),
        ...(images.length > 0 && { images }),
        state: 'new' as const,
      };
    }),
  );
  const chars = entries.reduce((sum, entry) => sum + entry.chars, 0);
  const perChar = counted === undefined || chars === 0 ? 1 / 4 : counted / chars;
  return entries.map((entry) => ({ ...entry, tokens: Math.round(entry.chars * perChar) }));
}

type Block = Readonly<Record<string, unknown>>;

function blocksOf(message: ViewMessage): readonly Block[] {
  const content = message.type === 'attachment' ? message.rendered : message.message.content;
  return typeof content === 'string'
    ? [{ type: 'text', text: content }]
    : (content as readonly unknown[] as Block[]);
}

function kindOf(message: ViewMessage, block: Block): string {
  const type = String(block['type']);
  if (message.type === 'attachment') return `attachment: ${message.attachment.type}`;
  if (message.type === 'user' && type === 'text') return message.kind ?? 'prompt';
  return type;
}

/** A block as people read it; images by their size. */
function textOfBlock(block: Block): string {
  const { type, text, thinking, content, input, source } = block;
  if (type === 'text' && typeof text === 'string') return text;
  if (type === 'thinking' && typeof thinking === 'string') return thinking;
  if (type === 'tool_use') return JSON.stringify(input, undefined, 2) ?? '';
  if (type === 'tool_result')
    return typeof content === 'string'
      ? content
      : Array.isArray(content)
        ? (content as Block[]).map(textOfBlock).join('\n')
        : '';
  if (isRecord(source)) {
    const { media_type: media, data } = source;
    return `[${String(type)} ${String(media)}, ${typeof data === 'string' ? data.length : 0} characters of base64]`;
  }
  return JSON.stringify(block);
}

function listCallsOf(
  said: Messages,
  record: DecisionRecord | undefined,
  previewChars: number,
): IterationDetail['calls'] {
  const outputs = new Map<string, InspectedEntry>();
  for (const message of said)
    for (const [at, block] of blocksOf(message).entries())
      if (block['type'] === 'tool_result') {
        const [entry] = toEntries([message], undefined, previewChars).slice(at, at + 1);
        if (entry !== undefined) outputs.set(String(block['tool_use_id']), entry);
      }
  return said.flatMap((message) =>
    blocksOf(message).flatMap((block) => {
      if (block['type'] !== 'tool_use') return [];
      const id = String(block['id']);
      const output = outputs.get(id);
      const permission = record?.tools.find((tool) => tool.id === id)?.permission;
      return [
        {
          id,
          name: String(block['name']),
          input: textOfBlock(block).slice(0, previewChars),
          ...(output !== undefined && { output }),
          ...(permission !== undefined && { permission: sayPermission(permission, output?.text) }),
        },
      ];
    }),
  );
}

function listHooks(told: Told | undefined): readonly string[] {
  return (told?.hooks ?? []).map(({ event, verdict }) => {
    const fields = Object.entries(verdict).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
    return `${event}: ${fields.length === 0 ? 'no objection' : fields.join(', ')}`.slice(0, 1000);
  });
}

/** The whole text of a message, for a page of it. */
export function wholeText(message: ViewMessage): string {
  return blocksOf(message).map(textOfBlock).join('\n\n');
}
