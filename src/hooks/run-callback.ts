import type { HookCallback } from '../protocol/hook.ts';
import type { HookInput, HookKindRunner } from './registered-hook.ts';

/** An in-process function. It gets a `tool_input` of its own: what it does to it, no other hook and no tool sees. */
export function runCallback(callback: HookCallback): HookKindRunner {
  return async (input, { signal, toolUseId }) => {
    const answer: unknown = await callback(isolate(input), toolUseId, { signal });
    // A function that returns nothing has no opinion; `{}` says the same.
    return { kind: 'answer', answer: answer === undefined ? {} : answer };
  };
}

function isolate(input: HookInput): HookInput {
  const own = input['tool_input'];
  if (typeof own !== 'object' || own === null) return { ...input };
  try {
    return { ...input, tool_input: structuredClone(own) };
  } catch {
    return { ...input }; // holds a function or the like, so it was not read from JSON
  }
}
