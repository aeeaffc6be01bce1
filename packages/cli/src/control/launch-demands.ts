/**
 * What a host has announced on the command line to send with its first line, `initialize`. Without it a
 * session would be less restricted than its host assumes, so it does not start.
 */

import { isRecord } from '@turnwright/base/json-values.ts';
import type { Options } from '@turnwright/engine';
import type { WireFields } from './json-lines.ts';

export const INITIALIZE_FIELDS = ['settings', 'disallowedTools'] as const;
export type InitializeField = (typeof INITIALIZE_FIELDS)[number];

export interface LaunchDemands {
  /** `initialize` is the first line. */
  readonly initializeFirst?: boolean | undefined;
  /** It holds `managedSettings`. */
  readonly managedSettings?: boolean | undefined;
  /** It holds these. */
  readonly fields?: readonly InitializeField[] | undefined;
}

type StartupFailure =
  | 'initialize_not_first'
  | 'managed_settings_not_delivered'
  | 'initialize_fields_not_delivered';

export class NotDelivered extends Error {
  readonly reason: StartupFailure;
  constructor(reason: StartupFailure, sentence: string) {
    super(sentence);
    this.name = 'NotDelivered';
    this.reason = reason;
  }
}

/** Something was announced: a host that disconnects without it has not sent it. */
export function demandsAnything({ managedSettings, fields = [] }: LaunchDemands): boolean {
  return managedSettings === true || fields.length > 0;
}

/**
 * The options from the announced fields. Throws `NotDelivered`. `initialize` undefined: the first line is
 * another.
 */
export function delivered(
  demands: LaunchDemands,
  initialize: WireFields | undefined,
  flags: Options,
): Partial<Options> {
  const { managedSettings, fields = [] } = demands;
  if (initialize === undefined) {
    if (demands.initializeFirst === true)
      throw new NotDelivered('initialize_not_first', 'The first line was not the initialize request.');
    if (!demandsAnything(demands)) return {};
  }
  const sent = initialize ?? {};
  return {
    ...(managedSettings === true && { managedSettings: readManagedSettings(sent, flags) }),
    ...Object.assign({}, ...fields.map((field) => readField(field, sent, flags))),
  };
}

function readManagedSettings({ managedSettings }: WireFields, flags: Options): WireFields {
  const missing = (what: string) =>
    new NotDelivered('managed_settings_not_delivered', `managedSettings ${what}.`);
  if (flags.managedSettings !== undefined) throw missing('came on the command line as well as in initialize');
  if (!isRecord(managedSettings)) throw missing('is no object in the initialize request');
  return managedSettings;
}

function readField(field: InitializeField, sent: WireFields, flags: Options): Partial<Options> {
  const missing = (what: string) => new NotDelivered('initialize_fields_not_delivered', `${field} ${what}.`);
  const value = sent[field];
  if (flags[field] !== undefined) throw missing('came on the command line as well as in initialize');
  if (field === 'settings') {
    if (!isRecord(value)) throw missing('is no object in the initialize request');
    return { settings: value };
  }
  if (!Array.isArray(value) || !value.every((each) => typeof each === 'string'))
    throw missing('is no list of rules in the initialize request');
  return { disallowedTools: value };
}
