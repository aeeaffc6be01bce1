import type { ParkedRun, Wait } from '../../protocol/session/parking.ts';
import type { Rule } from '../rule.ts';
import type { ToolResults } from '../stage-output.ts';

/** A wait is longer than a run may wait: the run ends, and another one continues with this iteration. */
export const parked: Rule = {
  name: 'parked',
  needs: 'parking',
  applies: (facts) => facts.waits.length > 0,
  async run({ waits }, { results }) {
    return { kind: 'park', parked: { ...toParkedRun(waits), ...leftBy(results) } };
  },
};

function toParkedRun(waits: readonly Wait[]): ParkedRun {
  const askIds = waits.flatMap((wait) => (wait.on === 'ask' ? [wait.askId] : []));
  const times = waits.flatMap((wait) => (wait.on === 'time' ? [wait] : []));
  const sleeps = times.flatMap(({ toolUseId, wakeAt }) =>
    toolUseId === undefined ? [] : [[toolUseId, wakeAt]],
  );
  const why = times.find((wait) => wait.why !== undefined)?.why;
  return {
    on: askIds.length > 0 ? 'ask' : 'time',
    askIds,
    ...(times.length > 0 && { wakeAt: Math.min(...times.map(({ wakeAt }) => wakeAt)) }),
    ...(why !== undefined && { why }),
    ...(sleeps.length > 0 && { sleeps: Object.fromEntries(sleeps) }),
  };
}

function leftBy({ hookContext, endsTurn, preventContinuation }: ToolResults): Pick<ParkedRun, 'collected'> {
  const isNothing = hookContext.length === 0 && !endsTurn && preventContinuation === undefined;
  return isNothing ? {} : { collected: { hookContext, endsTurn, preventContinuation } };
}
