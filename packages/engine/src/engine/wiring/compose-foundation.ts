/**
 * What everything else in a session is made with: its ports, its place on the disk, its conversation, model
 * and budget.
 */

import { openScope, type Scope } from '@turnwright/base/async/scope.ts';
import { systemClock, systemRandom } from '@turnwright/base/clock.ts';
import { extended } from '@turnwright/base/collections/extended.ts';
import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import { systemIds } from '@turnwright/base/ids/hash-and-uuid.ts';
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import { type CallLayer, layered, withoutRefusedTools } from '../../model/call-layers.ts';
import { computeCost } from '../../model/catalog/prices.ts';
import { childEnvironment } from '../../settings/resolve/child-env.ts';
import { budgetGuard } from '../budget/budget-guard.ts';
import { RunCosts } from '../budget/run-costs.ts';
import { SessionBudget } from '../budget/session-budget.ts';
import { createUsageLedger } from '../budget/usage-ledger.ts';
import type { QueryEngineConfig } from '../config.ts';
import { SessionModel } from '../models/session-model.ts';
import { Conversation } from '../session/conversation.ts';
import type { Inherited } from '../session/hand-over.ts';
import { HostChannel } from '../session/host-channel.ts';
import type { SystemPorts } from '../session/session.ts';
import { SessionRef } from '../session/session-ref.ts';
import { Submissions } from '../session/submissions.ts';
import { createSessionJournal } from '../storage/session-journal.ts';
import { type ComposedSession, composeSession, pickSessionId } from '../storage/session-place.ts';
import { composeModel } from './compose-model.ts';

export interface Foundation {
  readonly scope: Scope;
  readonly world: SystemPorts;
  /** Of child processes. */
  readonly env: Readonly<Record<string, string>>;
  readonly host: HostChannel;
  readonly place: ComposedSession;
  readonly conversation: Conversation;
  readonly submissions: Submissions;
  readonly budget: SessionBudget;
  readonly model: SessionModel;
  /** Bound when the session is complete. */
  readonly ref: SessionRef;
}

export function composeFoundation(config: QueryEngineConfig, inherited: Inherited | undefined): Foundation {
  const { durability, files = nodeFiles } = config;
  const world = {
    clock: config.clock ?? systemClock,
    ids: config.ids ?? systemIds,
    random: config.random ?? systemRandom,
    files: durability === 'power' ? syncedFiles(files) : files,
  };
  const { clock, ids } = world;
  const sessionId = pickSessionId(config, ids);
  const host = new HostChannel({
    sessionId,
    clock,
    ids,
    tap: config.debug?.told,
    onStatus: config.setSDKStatus,
  });
  const place = composeSession(config, extended(world, { host }));
  const journal = createSessionJournal(place.open, config.debug?.entry);
  const title = inherited === undefined ? config.title : undefined;
  const conversation = new Conversation(sessionId, journal, title);
  config.spans?.follow(journal, undefined);
  const ref = new SessionRef();
  const runs =
    inherited?.budget.runs ?? new RunCosts({ directory: place.directory, files: world.files, clock });
  const guard = inherited === undefined ? budgetGuard(config, { runs, ids }) : inherited.budget.guard;
  const client = composeModel(config, extended(world, { spendGuard: guard }));
  const budget =
    inherited?.budget.share(config) ??
    new SessionBudget(
      config,
      createUsageLedger({
        infoOf: client.infoOf,
        costOf: computeCost,
        ...(config.spans !== undefined && { onSpent: config.spans.spent }),
      }),
      {
        guard,
        runs,
      },
    );
  const leaveOut = (name: string, why: string) => {
    const { notices, tools } = ref.session;
    const isNew = tools.quarantine(name);
    if (isNew) notices.say(`The provider refuses the tool "${name}", so it was left out: ${why}`);
    return isNew;
  };
  const layers: readonly CallLayer[] = [
    withoutRefusedTools(leaveOut),
    ...(guard === undefined ? [] : [refusedByBudget(budget)]),
    ...(config.debug === undefined ? [] : [config.debug.calls]),
    ...(config.spans === undefined ? [] : [config.spans.modelCalls(client.infoOf)]),
  ];
  return {
    scope: openScope(),
    world,
    env: config.childEnv ?? childEnvironment(config.env ?? {}),
    host,
    place,
    conversation,
    submissions: new Submissions(inherited?.results),
    budget,
    model: new SessionModel(
      { ...client, call: layered(client.call, layers) },
      config,
      () => ref.session.permissions.mode === 'plan',
      inherited?.thinking,
    ),
    ref,
  };
}

/** A helper or an agent that cannot be paid ends by itself; without its own model the run is over. */
const refusedByBudget = (budget: SessionBudget): CallLayer => ({
  after({ querySource }, outcome) {
    if (querySource === 'main' && outcome?.kind === 'failed' && outcome.failure.kind === 'budget')
      budget.refuse(outcome.failure.message);
    return undefined;
  },
});

/** The same files; a file that is replaced survives a loss of power from the moment its write resolves. */
const syncedFiles = (files: PersistentFiles): PersistentFiles => ({
  ...files,
  writeAtomic: (path, data, options) => files.writeAtomic(path, data, { ...options, sync: true }),
});
