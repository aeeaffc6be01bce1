import type { Iteration } from './iteration.ts';

/** Before the view is made to fit: the work itself may want another model or effort for what is left of it (L3). */
export function switchModel(iteration: Iteration): void {
  const wanted = iteration.deps.takeSwitch?.();
  if (wanted === undefined) return;
  const { current, effort } = iteration.state.model;
  const model = {
    ...iteration.state.model,
    current: wanted.model ?? current,
    effort: wanted.effort ?? effort,
  };
  iteration.state = { ...iteration.state, model };
  iteration.response.model = model.current;
}
