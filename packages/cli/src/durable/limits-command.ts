/** `turnwright durable limits`: what tenants may have and use, and what they do. */

import { grouped } from '@turnwright/base/text/figures-and-times.ts';
import {
  type Database,
  setTenantLimits,
  type TenantLimits,
  type TenantUse,
  tenantUse,
} from '@turnwright/durable';
import { visible } from '@turnwright/terminal/text/visible.ts';
import type { LimitFlags } from '../flags/durable-flags.ts';
import { alignedRows } from '../words/units.ts';

interface Asked {
  readonly database: Database;
  /** All of them when absent. */
  readonly tenant: string | undefined;
  readonly flags: LimitFlags & { readonly json?: true };
}

/** Sets the figures that are given, and shows what there is. */
export async function limitsLines({ database, tenant, flags }: Asked): Promise<readonly string[]> {
  const { sessions, runs, usdPerDay, requestsPerMinute, tokensPerMinute, json } = flags;
  const given = Object.entries({ sessions, runs, usdPerDay, requestsPerMinute, tokensPerMinute });
  const changes = given.flatMap(([name, figure]) =>
    figure === undefined ? [] : [[name, figure === 'none' ? null : figure] as const],
  );
  if (tenant !== undefined && changes.length > 0)
    await setTenantLimits(database, tenant, Object.fromEntries(changes));
  const all = await tenantUse(database);
  const shown = tenant === undefined ? all : all.filter((one) => one.tenant === tenant);
  if (json === true) return [JSON.stringify(shown, undefined, 2)];
  if (shown.length > 0) return table(shown, all.find((one) => one.tenant === '*')?.limits ?? {});
  return [
    tenant === undefined
      ? 'There are no limits of tenants, and no tenant has used anything today (UTC). Set one: npx turnwright durable limits <tenant or *> --runs 10'
      : `${tenant === '' ? 'The tenant without a name' : visible(tenant)} has no limits of its own, and has used nothing today (UTC).`,
  ];
}

const HEAD = ['tenant', 'sessions', 'runs', 'held', 'dollars today', 'requests/min', 'tokens/min'];

/** A figure with a star is that of `*`. */
function table(tenants: readonly TenantUse[], ofEach: TenantLimits): readonly string[] {
  return alignedRows([HEAD, ...tenants.map((one) => toRow(one, ofEach))], 1);
}

function toRow({ tenant, limits, sessions, runs, heldRuns, usdToday }: TenantUse, ofEach: TenantLimits) {
  const isEach = tenant === '*';
  const limit = (name: keyof TenantLimits) => {
    const [figure, star] = limits[name] === undefined && !isEach ? [ofEach[name], '*'] : [limits[name], ''];
    return figure === undefined
      ? undefined
      : `${name === 'usdPerDay' ? figure.toFixed(2) : grouped(figure)}${star}`;
  };
  const used = (use: string, name: keyof TenantLimits) =>
    isEach ? (limit(name) ?? '-') : [use, limit(name)].filter((text) => text !== undefined).join(' of ');
  return [
    tenant === '' ? '(none)' : visible(tenant),
    used(grouped(sessions), 'sessions'),
    used(grouped(runs), 'runs'),
    isEach ? '-' : grouped(heldRuns),
    used(usdToday.toFixed(2), 'usdPerDay'),
    limit('requestsPerMinute') ?? '-',
    limit('tokensPerMinute') ?? '-',
  ];
}
