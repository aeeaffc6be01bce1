/** The kind of completion conditions. Words of a flag are a command, or the conditions as JSON. */

import { readJsonObject } from '@turnwright/base/bounded-json.ts';
import { isRecord } from '@turnwright/base/json-values.ts';
import type { VerifyConditions } from '../protocol/session/verification.ts';
import type { Kind } from './kinds.ts';

const isText = (value: unknown): boolean => typeof value === 'string' && value.trim() !== '';
const isListOf = (accepts: (value: unknown) => boolean) => (value: unknown) =>
  Array.isArray(value) && value.every(accepts);
const isMs = (value: unknown): boolean =>
  value === undefined || (Number.isFinite(value) && Number(value) > 0);

const FIELDS: Readonly<Record<keyof VerifyConditions, (value: unknown) => boolean>> = {
  commands: isListOf(
    (each) => isText(each) || (isRecord(each) && isText(each['run']) && isMs(each['timeoutMs'])),
  ),
  exist: isListOf(isText),
  unchanged: isListOf(isText),
  schemas: isListOf((each) => isRecord(each) && isText(each['file']) && isRecord(each['schema'])),
  judge: (value) =>
    isText(value) ||
    (isRecord(value) &&
      isText(value['condition']) &&
      (value['model'] === undefined || isText(value['model']))),
  attempts: (value) => Number.isSafeInteger(value) && Number(value) >= 0,
};

export const verifyConditions: Kind<VerifyConditions> = {
  expected:
    'conditions: { commands: [text or { run, timeoutMs }], exist: [path], unchanged: [path], schemas: [{ file, schema }], judge: text or { condition, model }, attempts: whole number }',
  accepts: (value) =>
    isRecord(value) &&
    Object.entries(value).every(
      ([name, held]) =>
        held === undefined || (Object.hasOwn(FIELDS, name) && FIELDS[name as keyof VerifyConditions](held)),
    ),
  // A command may begin with a brace too: what is no JSON object is one.
  read: (words, previous) => {
    const held = readJsonObject(words);
    return held === undefined
      ? { ...previous, commands: [...(previous?.commands ?? []), words] }
      : { ...previous, ...held };
  },
};
