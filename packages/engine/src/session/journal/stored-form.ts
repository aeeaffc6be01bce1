/**
 * Records whose written form differs from the appended one; reading restores the latter. A large tool result
 * is written once where its structured form repeats it, a response is in the shape that programs which count
 * tokens read, and a decision record is compact.
 */

import { extended } from '@turnwright/base/collections/extended.ts';
import { isSameText } from '@turnwright/base/text/text-blocks.ts';
import type { DecisionRecord, PrepareRecord, RuleRecord } from '../../protocol/session/decision-record.ts';
import type { JournalBody } from '../../protocol/session/journal.ts';

type Fields = Readonly<Record<string, unknown>>;

const isRecord = (value: unknown): value is Fields => typeof value === 'object' && value !== null;

export function asWritten(record: JournalBody | Fields): object {
  const body = record as JournalBody;
  switch (body.type) {
    case 'user':
      return withoutDuplicate(record as Fields);
    case 'response': {
      // Programs that count tokens identify a response by `message.id` and `requestId`, and take the largest
      // figures. Its blocks were recorded before its usage was known.
      const { messageId: id, model, usage, ...rest } = body;
      return extended(rest, { message: { id, model, usage } });
    }
    case 'decision':
      return { ...body, record: writtenDecision(body.record, body) };
    default:
      return record;
  }
}

/** What does not have the shape of its type is returned unchanged. */
export function asAppended(record: Fields): Fields {
  switch (record['type']) {
    case 'user':
      return withDuplicate(record);
    case 'response': {
      const { message, ...rest } = record;
      if (typeof message !== 'object' || message === null) return record;
      const { id, model, usage } = message as Fields;
      return { messageId: id, ...(model !== undefined && { model }), usage, ...rest };
    }
    case 'decision':
      return { ...record, record: appendedDecision(record['record'], record) };
    default:
      return record;
  }
}

/**
 * A tool's structured result often equals the text that the model reads, or contains the same image. A large
 * one is written once: the record says where it is equal, and reading restores both (F156).
 */
const FROM_CHARS = 16 * 1024;

/** The record as written. */
function withoutDuplicate(record: Fields): Fields {
  const form = record['toolUseResult'];
  if (form === undefined) return record;
  const content = resultContent(record);
  if (form === content || isSameText(form, content)) {
    if (countChars(content) < FROM_CHARS) return record;
    const { toolUseResult: _, ...rest } = record;
    return { ...rest, resultIsContent: true };
  }
  const file = fileOf(form);
  const data = mediaIn(content);
  if (file === undefined || data === undefined || file['base64'] !== data) return record;
  const { base64: _, ...others } = file;
  return { ...record, toolUseResult: { ...(form as Fields), file: others }, fileIsContent: true };
}

/** The record as it was appended. */
function withDuplicate(record: Fields): Fields {
  const { resultIsContent, fileIsContent, ...rest } = record;
  if (resultIsContent === true) return { ...rest, toolUseResult: resultContent(record) };
  const form = record['toolUseResult'];
  const file = fileOf(form);
  if (fileIsContent !== true || file === undefined) return record;
  const base64 = mediaIn(resultContent(record));
  return { ...rest, toolUseResult: { ...(form as Fields), file: { base64, ...file } } };
}

function resultContent({ message }: Fields): unknown {
  const content = isRecord(message) ? message['content'] : undefined;
  const [block, ...more] = Array.isArray(content) ? content : [];
  return more.length === 0 && isRecord(block) && block['type'] === 'tool_result'
    ? block['content']
    : undefined;
}

/** Characters of a text, or of blocks of text and media. */
function countChars(content: unknown): number {
  if (typeof content === 'string') return content.length;
  const blocks = Array.isArray(content) ? content.filter(isRecord) : [];
  const lengths = blocks.map((block) => String(block['text'] ?? dataOf(block) ?? '').length);
  return lengths.reduce((sum, length) => sum + length, 0);
}

/** The `file` field of Read's result. */
function fileOf(form: unknown): Fields | undefined {
  return isRecord(form) && isRecord(form['file']) ? form['file'] : undefined;
}

/** The base64 data of the first image or document. */
function mediaIn(content: unknown): string | undefined {
  const blocks = Array.isArray(content) ? content.filter(isRecord) : [];
  return blocks.map(dataOf).find((data) => data !== undefined);
}

function dataOf({ source }: Fields): string | undefined {
  return isRecord(source) && typeof source['data'] === 'string' ? source['data'] : undefined;
}

/**
 * The compact form of a decision record in its line. A step that did not run is `"step: why"`; a rule that
 * passed is its name with the facts it read, `"rule: fact fact"`, whose values are written once, under
 * `facts`. Everything else, and records of earlier versions, are in the full form.
 */
type Written<T> = T | string;

const BEHIND_NAME = ': ';
const isPlain = (name: string): boolean => !name.includes(' ') && !name.includes(':');

/** `line`: the other fields of the line. */
function writtenDecision(record: DecisionRecord, line: { readonly submission: string }): object {
  const { submission, prepare, rules } = record;
  const facts: Record<string, unknown> = {};
  return {
    facts,
    ...record,
    submission: submission === line.submission ? undefined : submission,
    prepare: prepare.map(writtenStep),
    rules: rules.map((rule) => writtenRule(rule, facts)),
  };
}

function writtenStep(record: PrepareRecord): Written<PrepareRecord> {
  const { step, ran, why } = record;
  return ran || !isPlain(step) || Object.keys(record).length > 3 ? record : step + BEHIND_NAME + why;
}

/** A fact with another value than in an earlier rule is kept with its rule. */
function writtenRule(record: RuleRecord, facts: Record<string, unknown>): Written<RuleRecord> {
  const { name, verdict, read } = record;
  if (verdict !== 'pass' || !isPlain(name)) return record;
  if (read === undefined) return name;
  let text = `${name}:`;
  for (const fact in read) {
    const value = read[fact];
    const known = facts[fact];
    if (isRecord(value) || value === undefined || !isPlain(fact)) return record;
    if (known === undefined) facts[fact] = value;
    else if (known !== value) return record;
    text += ` ${fact}`;
  }
  return text;
}

/**
 * The record as it was appended; `line` is the one that contains it. What does not have its shape is returned
 * unchanged.
 */
function appendedDecision(written: unknown, line: Fields): unknown {
  if (!isRecord(written) || !isRecord(written['facts'])) return written;
  const { facts, prepare, rules, ...rest } = written;
  return {
    submission: line['submission'],
    ...rest,
    prepare: appendedList(prepare, appendedStep),
    rules: appendedList(rules, (text) => appendedRule(text, facts as Fields)),
  };
}

const appendedList = (list: unknown, restore: (text: string) => object): unknown =>
  Array.isArray(list) ? list.map((item: unknown) => (typeof item === 'string' ? restore(item) : item)) : list;

function appendedStep(text: string): PrepareRecord {
  const at = text.indexOf(BEHIND_NAME);
  return { step: text.slice(0, at), ran: false, why: text.slice(at + BEHIND_NAME.length) };
}

function appendedRule(text: string, facts: Fields): RuleRecord {
  const [name = '', ...read] = text.split(' ');
  if (!name.endsWith(':')) return { name, verdict: 'pass' };
  const known = read.map((fact) => [fact, facts[fact]] as const);
  return { name: name.slice(0, -1), verdict: 'pass', read: Object.fromEntries(known) };
}
