/** The kind of the option `languageServers`. Words of its flag are true, false, or the object as JSON. */

import { readJsonObject } from '@turnwright/base/bounded-json.ts';
import { isRecord } from '@turnwright/base/json-values.ts';
import type { LanguageServersOption, LanguageServersSettings } from '../protocol/tools/language.ts';
import { type Kind, trueOrFalse } from './kinds.ts';

const FIELDS: Readonly<Record<keyof LanguageServersSettings, (value: unknown) => boolean>> = {
  // Each server is read where it is used: one that is wrong costs itself alone.
  servers: isRecord,
  known: (value) => typeof value === 'boolean',
  waitMs: (value) => Number.isFinite(value) && Number(value) >= 0,
};

export const languageServers: Kind<LanguageServersOption> = {
  expected: 'true, false, or { servers: { name: { command, extensionToLanguage } }, known, waitMs }',
  accepts: (value) =>
    typeof value === 'boolean' ||
    (isRecord(value) &&
      Object.entries(value).every(
        ([name, held]) =>
          held === undefined ||
          (Object.hasOwn(FIELDS, name) && FIELDS[name as keyof LanguageServersSettings](held)),
      )),
  read: (words) => readJsonObject(words) ?? trueOrFalse.read?.(words, undefined),
};
