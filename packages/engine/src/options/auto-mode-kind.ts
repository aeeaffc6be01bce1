/** The kind of `autoMode`. Words of a flag name the judge. */
import { isRecord } from '@turnwright/base/json-values.ts';
import type { AutoMode } from '../protocol/tools/auto-mode.ts';
import type { Kind } from './kinds.ts';

const isText = (value: unknown): boolean => typeof value === 'string' && value.trim() !== '';
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);
const isAboveZero = (value: unknown): boolean => Number.isFinite(value) && Number(value) > 0;
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) > 0;

const FIELDS: Readonly<Record<keyof AutoMode, (value: unknown) => boolean>> = {
  judge: isText,
  allow: isTexts,
  soft_deny: isTexts,
  hard_deny: isTexts,
  environment: isTexts,
  hosts: isTexts,
  timeoutMs: isAboveZero,
  maxCalls: isCount,
  maxUsd: isAboveZero,
  maxAllowed: isCount,
  maxHandedOn: isCount,
  suggestAfter: isCount,
};

export const autoModeKind: Kind<AutoMode> = {
  expected:
    'an object: { judge: model, allow, soft_deny, environment: [sentence], hosts: [name], timeoutMs, maxCalls, maxUsd, maxAllowed, maxHandedOn, suggestAfter: number above 0 }',
  accepts: (value) =>
    isRecord(value) &&
    Object.entries(value).every(
      ([name, held]) =>
        held === undefined || (Object.hasOwn(FIELDS, name) && FIELDS[name as keyof AutoMode](held)),
    ),
  read: (words, previous) => ({ ...previous, judge: words }),
};
