import type { JsonObject } from '../../protocol/json.ts';
import type { AnyTool } from '../../protocol/tools/tool.ts';

/**
 * The input for observers, with the fields that a tool derives. The same object unless the tool adds a field:
 * one that it only overwrites is shown as the model wrote it (L3).
 */
export function observableInput(tool: AnyTool | undefined, input: JsonObject): JsonObject {
  if (tool?.backfillObservableInput === undefined) return input;
  const copy: Record<string, unknown> = { ...input };
  try {
    tool.backfillObservableInput(copy);
  } catch {
    // An error in derived fields must not stop a call.
    return input;
  }
  return Object.keys(copy).every((key) => Object.hasOwn(input, key)) ? input : copy;
}

/** An input that an observer returned, without the derived fields: the tool does not accept them. */
export function withoutDerived(tool: AnyTool, input: JsonObject, sentBack: JsonObject): JsonObject {
  const shown = observableInput(tool, input);
  if (shown === input) return sentBack;
  const derived = (key: string, value: unknown) =>
    !Object.hasOwn(input, key) &&
    Object.hasOwn(shown, key) &&
    JSON.stringify(shown[key]) === JSON.stringify(value);
  return Object.fromEntries(Object.entries(sentBack).filter(([key, value]) => !derived(key, value)));
}
