/** A running session between two of its records: time goes on, and so does what is open. */
import type { SessionInspection } from '@turnwright/engine';

/** `now`: ms since 1970. Nothing becomes shorter. */
export function extendRunning(data: SessionInspection, now: number): SessionInspection {
  const at = now - Date.parse(data.startedAt);
  if (!(at > data.end)) return data;
  const { totals } = data;
  let [activeMs, modelMs] = [totals.activeMs, totals.modelMs];
  const iterations = data.iterations.map((iteration) => {
    if (iteration.out !== 'running' || iteration.end >= at) return iteration;
    if (iteration.agent === '') {
      activeMs += at - iteration.end;
      if ((iteration.open ?? []).length === 0) modelMs += at - iteration.end;
    }
    return { ...iteration, end: at };
  });
  return { ...data, end: at, iterations, totals: { ...totals, activeMs, modelMs } };
}
