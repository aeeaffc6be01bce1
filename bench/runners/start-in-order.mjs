// For the hand-written loops.

/** Starts calls as they come: safe ones side by side, the others alone and in order. */
export function startInOrder(byName) {
  const running = [];
  let alone = Promise.resolve();
  let safe = [];
  const call = async (before, id, name, input) => {
    if (before !== undefined) await before;
    return { type: 'tool_result', tool_use_id: id, content: await byName[name].run(input) };
  };
  let gate;
  return {
    running,
    add(id, name, input) {
      if (byName[name].safe) {
        const result = call(gate, id, name, input);
        safe.push(result);
        running.push(result);
        return;
      }
      alone = call(Promise.all([alone, ...safe]), id, name, input);
      gate = alone;
      safe = [];
      running.push(alone);
    },
  };
}
