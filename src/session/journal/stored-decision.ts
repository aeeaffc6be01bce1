/**
 * The compact form of a decision record in its line. A step that did not run is `"step: why"`; a rule that
 * passed is its name with the facts it read, `"rule: fact fact"`, whose values are written once, under
 * `facts`. Everything else, and records of earlier versions, are in the full form.
 */
import type { DecisionRecord, PrepareRecord, RuleRecord } from '../../protocol/session/decision-record.ts';

type Fields = Readonly<Record<string, unknown>>;
type Written<T> = T | string;

const BEHIND_NAME = ': ';
const isPlain = (name: string): boolean => !name.includes(' ') && !name.includes(':');
const isRecord = (value: unknown): value is Fields => typeof value === 'object' && value !== null;

/** `line`: the other fields of the line. */
export function writtenDecision(record: DecisionRecord, line: { readonly submission: string }): object {
  const { submission, prepare, rules, ...rest } = record;
  const facts: Record<string, unknown> = {};
  return {
    ...(submission === line.submission ? rest : { submission, ...rest }),
    prepare: prepare.map(writtenStep),
    rules: rules.map((rule) => writtenRule(rule, facts)),
    facts,
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
export function toldDecision(written: unknown, line: Fields): unknown {
  if (!isRecord(written) || !isRecord(written['facts'])) return written;
  const { facts, prepare, rules, ...rest } = written;
  return {
    submission: line['submission'],
    ...rest,
    prepare: toldList(prepare, toldStep),
    rules: toldList(rules, (text) => toldRule(text, facts as Fields)),
  };
}

const toldList = (list: unknown, told: (text: string) => object): unknown =>
  Array.isArray(list) ? list.map((item: unknown) => (typeof item === 'string' ? told(item) : item)) : list;

function toldStep(text: string): PrepareRecord {
  const at = text.indexOf(BEHIND_NAME);
  return { step: text.slice(0, at), ran: false, why: text.slice(at + BEHIND_NAME.length) };
}

function toldRule(text: string, facts: Fields): RuleRecord {
  const [name = '', ...read] = text.split(' ');
  if (!name.endsWith(':')) return { name, verdict: 'pass' };
  const known = read.map((fact) => [fact, facts[fact]] as const);
  return { name: name.slice(0, -1), verdict: 'pass', read: Object.fromEntries(known) };
}
