/**
 * One record per line: `{"v":1,"seq":7,"epoch":2,"type":"user", … ,"sum":"0a1b2c3d"}`. The head comes first
 * so that a reader can place a record without parsing it, then its own fields, then those that are equal on
 * every line; `sum` comes last and is the CRC-32 of the line without it. The fields are those of the common
 * transcript format, so existing viewers can read the file.
 */

import { crc32 } from 'node:zlib';
import { readJsonObject } from '@turnwright/base/bounded-json.ts';
import { withoutLineSeparators } from '@turnwright/base/json-values.ts';
import { isoTime } from '@turnwright/base/text/figures-and-times.ts';
import { TurnwrightError } from '../../protocol/errors.ts';
import { JOURNAL_VERSION, type JournalBody, type JournalEntry } from '../../protocol/session/journal.ts';
import { asAppended, asWritten } from './stored-form.ts';

/** Longer lines are refused on writing and skipped on reading, which bounds memory. */
export const MAX_LINE_BYTES = 64 * 1024 * 1024;

export interface LineHead {
  readonly seq: number;
  readonly epoch: number;
}

/** Fields of the envelope that are equal for every record of a session. */
interface SessionStamp {
  readonly sessionId: string;
  readonly cwd: string;
  /** Version of the writing program, as in the transcript format. */
  readonly version: string;
}

/** A foreign record, unchanged; only its `type` is known. */
export type ForeignRecord = { readonly type: string; readonly [key: string]: unknown };

export type DecodedLine =
  | { readonly kind: 'ok'; readonly entry: JournalEntry }
  /** The fence of L4.1: from here on, records of an older epoch do not count. */
  | { readonly kind: 'takeover'; readonly head: LineHead; readonly owner: string }
  /** Without `v` and `sum`: the transcript of another program. */
  | { readonly kind: 'foreign'; readonly record: ForeignRecord }
  /** Written by a later version: kept in the file, ignored by this one. */
  | { readonly kind: 'newer'; readonly entry: JournalEntry }
  | { readonly kind: 'torn' }
  | { readonly kind: 'bad_checksum' };

/** The part of the envelope that is equal on every line of a session. */
export type SessionPrefix = string & { readonly __brand: 'SessionPrefix' };

export function sessionPrefix(stamp: SessionStamp): SessionPrefix {
  return stringifySafely(stamp).slice(1, -1) as SessionPrefix;
}

const OWNED = ['v', 'seq', 'epoch', 'sum', 'sessionId', 'cwd', 'version', 'userType'];

/**
 * One line, without newline. A body read from another journal keeps every field but the envelope's. Throws
 * `storage_error` when the record cannot be serialised.
 */
export function encodeRecord(
  body: JournalBody,
  head: LineHead,
  prefix: SessionPrefix,
  nowMs: number,
): string {
  const record = asWritten('seq' in body ? withoutEnvelope(body) : body);
  const stamp = 'timestamp' in record ? '' : `,"timestamp":"${isoTime(nowMs)}"`;
  const parent = 'parentUuid' in record ? '' : ',"parentUuid":null';
  const sidechain = 'isSidechain' in record ? '' : ',"isSidechain":false';
  const transcript = 'uuid' in record ? `${parent}${sidechain},"userType":"external"` : '';
  return sealed(`${headText(head)},`, typeFirst(record).slice(1, -1), `${transcript},${prefix}${stamp}`);
}

function typeFirst(record: object & { readonly type?: unknown }): string {
  const text = stringifySafely(record);
  return text.startsWith('{"type":') ? text : stringifySafely({ type: record.type, ...record });
}

export function encodeTakeover(head: LineHead, owner: string, prefix: SessionPrefix, nowMs: number): string {
  const timestamp = isoTime(nowMs);
  const fields = `"type":"takeover","owner":"${owner}"`;
  return sealed(`${headText(head)},`, fields, `,${prefix},"timestamp":"${timestamp}"`);
}

const headText = ({ seq, epoch }: LineHead): string =>
  `{"v":${JOURNAL_VERSION},"seq":${seq},"epoch":${epoch}`;

const SUM_BYTES = ',"sum":"00000000"}'.length;

function sealed(head: string, fields: string, envelope: string): string {
  const sum = checksumRecord(head, fields, `${envelope}}`);
  const line = `${head}${fields}${envelope},"sum":"${fourDigits(sum >>> 16)}${fourDigits(sum & 0xffff)}"}`;
  if (line.length > MAX_LINE_BYTES / 4 && Buffer.byteLength(line) > MAX_LINE_BYTES) {
    throw new TurnwrightError(
      'storage_error',
      `A record is larger than ${MAX_LINE_BYTES >> 20} MB and cannot be kept.`,
    );
  }
  return line;
}

/** From here on, the parts of a line are summed one by one: together they would be copied. */
const SUMMED_WHOLE_CHARS = 64 * 1024;

function checksumRecord(head: string, fields: string, rest: string): number {
  if (fields.length < SUMMED_WHOLE_CHARS) return crc32(head + fields + rest);
  return crc32(rest, crc32(fields, crc32(head)));
}

/** The line of a record that was changed after it had been written. One without a sum gets none. */
export function resealed({ sum, ...record }: Readonly<Record<string, unknown>>): string {
  const text = stringifySafely(record);
  return sum === undefined ? text : sealed('', text.slice(0, -1), '');
}

/** Two halves: `toString(16)` of an unsigned 32-bit number is slow. */
const fourDigits = (half: number): string => half.toString(16).padStart(4, '0');

/** Whether the line has a sum, and whether it is right. */
function checkSum(line: Buffer): 'right' | 'wrong' | 'none' {
  const at = line.length - SUM_BYTES;
  if (at <= 0 || !holds(line, at, SUM_BEGINS) || !holds(line, line.length - SUM_ENDS.length, SUM_ENDS))
    return 'none';
  let sum = 0;
  for (let digit = at + SUM_BEGINS.length; digit < line.length - SUM_ENDS.length; digit++) {
    const value = hexDigit(line[digit] as number);
    if (value < 0) return 'none';
    sum = sum * 16 + value;
  }
  return crc32('}', crc32(line.subarray(0, at))) === sum ? 'right' : 'wrong';
}

const SUM_BEGINS = Buffer.from(',"sum":"');
const SUM_ENDS = Buffer.from('"}');

function holds(line: Buffer, at: number, text: Buffer): boolean {
  for (let i = 0; i < text.length; i++) if (line[at + i] !== text[i]) return false;
  return true;
}

const hexDigit = (code: number): number =>
  code >= 48 && code <= 57 ? code - 48 : code >= 97 && code <= 102 ? code - 87 : -1;

const HEAD = /^\{"v":(\d+),"seq":(\d+),"epoch":(\d+),(?:"type":"([\w-]+)")?/;
const HEAD_BYTES = 96;
const TYPE = ',"type":"';
const OWNER = /^,"owner":"([^"]*)"/;
const IDS = /^,"id":"([^"\\]+)","submission":"([^"\\]+)",/;
const IDS_BYTES = 400;

/** Position and type of a record, without parsing it. */
export interface PeekedLine extends LineHead {
  readonly type: string;
  /** Offset of the comma in front of its own fields. */
  readonly fieldsAt: number;
  /** For a takeover. */
  readonly owner: string | undefined;
}

/** undefined: foreign, of another version, or damaged. */
export function peekLine(line: Buffer): PeekedLine | undefined {
  const found = HEAD.exec(line.toString('latin1', 0, HEAD_BYTES));
  if (found === null || Number(found[1]) > JOURNAL_VERSION || checkSum(line) !== 'right') return undefined;
  const [head, , seq, epoch, type = ''] = found;
  const at = type === '' ? lateType(line, head.length) : { type, fieldsAt: head.length };
  const owner = type === 'takeover' ? OWNER.exec(readFields(line, at.fieldsAt))?.[1] : undefined;
  return { seq: Number(seq), epoch: Number(epoch), type: at.type, fieldsAt: at.fieldsAt, owner };
}

/** An earlier version wrote the type after the envelope. No string before it can contain these characters. */
function lateType(line: Buffer, from: number): { readonly type: string; readonly fieldsAt: number } {
  const at = line.indexOf(TYPE, from) + TYPE.length;
  const fieldsAt = line.indexOf('"', at) + 1;
  return { type: line.toString('latin1', at, fieldsAt - 1), fieldsAt };
}

const readFields = (line: Buffer, at: number) => line.toString('latin1', at, at + IDS_BYTES);

/** A result without its content, not parsed. undefined: the line is another record. */
export function bareResult(line: Buffer, { seq, epoch, fieldsAt }: PeekedLine): JournalEntry | undefined {
  const found = IDS.exec(readFields(line, fieldsAt));
  if (found === null) return undefined;
  const [, id = '', submission = ''] = found;
  const envelope = { v: JOURNAL_VERSION, seq, epoch, sessionId: '', cwd: '', timestamp: '' };
  return { ...envelope, type: 'result', id, submission, result: undefined };
}

/** The record of a line that `peekLine` has validated. */
export function parseLine(line: Buffer): JournalEntry | undefined {
  const value = readJsonObject(line.toString('utf8'));
  return value && toEntry(value);
}

export function decodeLine(line: Buffer): DecodedLine {
  const sum = checkSum(line);
  if (sum === 'wrong') return { kind: 'bad_checksum' };
  const value = readJsonObject(line.toString('utf8'));
  if (value === undefined) return { kind: 'torn' };
  if (sum === 'none') {
    if (isRewritten(value)) return { kind: 'foreign', record: value as ForeignRecord };
    if ('v' in value && 'seq' in value) return { kind: 'bad_checksum' };
    return typeof value['type'] === 'string'
      ? { kind: 'foreign', record: value as ForeignRecord }
      : { kind: 'torn' };
  }
  const { seq, epoch, v } = value;
  if (typeof v !== 'number' || typeof seq !== 'number' || typeof epoch !== 'number') return { kind: 'torn' };
  if (v > JOURNAL_VERSION) return { kind: 'newer', entry: toEntry(value) };
  if (value['type'] === 'takeover')
    return { kind: 'takeover', head: { seq, epoch }, owner: String(value['owner']) };
  return { kind: 'ok', entry: toEntry(value) };
}

/** Another program copied a record and added to it (a fork): the sum is neither last nor right. */
function isRewritten(value: Record<string, unknown>): boolean {
  const { sum, type } = value;
  return typeof sum === 'string' && typeof type === 'string' && Object.keys(value).at(-1) !== 'sum';
}

/**
 * A record as a store returned it: its keys may be in another order, so the sum cannot be checked. One with
 * `forkedFrom` but without a sum is another program's copy.
 */
export function decodeStored(value: Readonly<Record<string, unknown>>): DecodedLine {
  const { v, seq, epoch, type, sum, owner, forkedFrom } = value;
  const isOurs = [v, seq, epoch].every((each) => typeof each === 'number') && typeof sum === 'string';
  const isCopy = forkedFrom !== undefined && Object.keys(value).at(-1) !== 'sum';
  if (!isOurs || isCopy)
    return typeof type === 'string' ? { kind: 'foreign', record: value as ForeignRecord } : { kind: 'torn' };
  if (Number(v) > JOURNAL_VERSION) return { kind: 'newer', entry: toEntry({ ...value }) };
  const head = { seq: Number(seq), epoch: Number(epoch) };
  if (type === 'takeover') return { kind: 'takeover', head, owner: String(owner) };
  return { kind: 'ok', entry: toEntry({ ...value }) };
}

/** The body and the envelope, without what only viewers of the file need. */
function toEntry(value: Record<string, unknown>): JournalEntry {
  const { sum: _sum, version: _version, userType: _userType, isSidechain, ...entry } = value;
  if (isSidechain === true) entry['isSidechain'] = true;
  return asAppended(entry) as unknown as JournalEntry;
}

function withoutEnvelope(body: JournalBody): Record<string, unknown> {
  const record: Record<string, unknown> = { ...body };
  for (const key of OWNED) delete record[key];
  return record;
}

/**
 * JSON of a record. Data of tools may contain big integers or cycles, which are replaced. Throws
 * `storage_error` when nothing can be written.
 */
function stringifySafely(value: object): string {
  try {
    return withoutLineSeparators(JSON.stringify(value));
  } catch {
    try {
      return withoutLineSeparators(JSON.stringify(value, withoutCycles()));
    } catch (cause) {
      throw new TurnwrightError('storage_error', 'A record cannot be written as JSON.', { cause });
    }
  }
}

function withoutCycles(): (this: unknown, key: string, value: unknown) => unknown {
  const path: unknown[] = [];
  return function replace(_key, value) {
    if (typeof value === 'bigint') return value.toString();
    if (typeof value !== 'object' || value === null) return value;
    // `this` holds the value: what is above it on the path are its ancestors.
    while (path.length > 0 && path.at(-1) !== this) path.pop();
    if (path.includes(value)) return '[circular]';
    path.push(value);
    return value;
  };
}
