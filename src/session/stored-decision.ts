/**
 * A decision record as it stands in its line: what most iterations say alike takes a few words. A step that did not run
 * is `"step: why"`; a rule that passed is its name with the facts it read, `"rule: fact fact"`, and what these were
 * stands once, under `facts`. What does not fit, or was written by an earlier version, stands in full.
 */
import type { DecisionRecord, PrepareRecord, RuleRecord } from '../protocol/decision-record.ts';

type Fields = Readonly<Record<string, unknown>>;
type Written<T> = T | string;

const BEHIND_NAME = ': ';
const NAME = /^[\w-]+$/;
const isRecord = (value: unknown): value is Fields => typeof value === 'object' && value !== null;

/** `line`: what the line says beside the record. */
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
  const { step, ran, why, ...more } = record;
  return ran || !NAME.test(step) || Object.keys(more).length > 0 ? record : step + BEHIND_NAME + why;
}

/** A fact that another rule read otherwise stays with its rule. */
function writtenRule(record: RuleRecord, facts: Record<string, unknown>): Written<RuleRecord> {
  const { name, verdict, read } = record;
  if (verdict !== 'pass' || !NAME.test(name)) return record;
  if (read === undefined) return name;
  let text = name + BEHIND_NAME;
  for (const fact in read) {
    const value = read[fact];
    if (!NAME.test(fact) || isRecord(value) || value === undefined) return record;
    if (!Object.hasOwn(facts, fact)) facts[fact] = value;
    else if (facts[fact] !== value) return record;
    text += text.length === name.length + BEHIND_NAME.length ? fact : ` ${fact}`;
  }
  return text;
}

/** The record as it was told; `line` is the one it stands in. What has not the shape of one comes back as it is. */
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
  const [step, why] = apart(text);
  return { step, ran: false, why: why ?? '' };
}

function toldRule(text: string, facts: Fields): RuleRecord {
  const [name, read] = apart(text);
  if (read === undefined) return { name, verdict: 'pass' };
  const names = read === '' ? [] : read.split(' ');
  return {
    name,
    verdict: 'pass',
    read: Object.fromEntries(names.map((fact) => [fact, facts[fact]])),
  };
}

function apart(text: string): readonly [string, string | undefined] {
  const at = text.indexOf(BEHIND_NAME);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + BEHIND_NAME.length)];
}
