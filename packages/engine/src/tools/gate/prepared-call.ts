/**
 * The first steps of the gate, which need no permission: find the tool, parse the input, determine
 * concurrency.
 */

import { andThen } from '@turnwright/base/async/promises.ts';
import { isRecord } from '@turnwright/base/json-values.ts';
import { bounded } from '@turnwright/base/text/cut-text.ts';
import { isSlip } from '@turnwright/base/text/is-slip.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { AnyTool, ParseResult } from '../../protocol/tools/tool.ts';
import type { ToolCall } from '../../protocol/tools/tool-call.ts';
import { boundedErrorText, type CallOutcome } from '../outcome.ts';
import type { ToolSet } from '../tool-set.ts';
import { inputValidationError, mistyped, typeName, unexpected } from './input-issues.ts';

export type PreparedCall =
  | {
      readonly kind: 'ready';
      readonly tool: AnyTool;
      readonly input: unknown;
      readonly concurrencySafe: boolean;
    }
  /** Never runs, and counts as unsafe. */
  | { readonly kind: 'refused'; readonly outcome: CallOutcome };

type ParsedInput =
  | { readonly ok: true; readonly input: unknown }
  | { readonly ok: false; readonly text: string };

const ECHO_CHARS = 200;

/** Never throws or rejects. */
export function prepareCall(call: ToolCall, tools: ToolSet): PreparedCall | Promise<PreparedCall> {
  const tool = tools.find(call.block.name);
  if (tool === undefined) return unknownTool(call.block.name, tools);
  if (call.unparsed !== undefined)
    return call.unparsed.cut ? cutOff(tool.name) : malformed(tool.name, call.unparsed.raw);
  const { input } = call.block;
  const invented = tool.hostFields?.filter((field) => isRecord(input) && Object.hasOwn(input, field)) ?? [];
  if (invented.length > 0) {
    const issues = invented.map((field) => unexpected([field]));
    return refused('invalid', inputValidationError(tool.name, issues));
  }
  return andThen(parseInput(tool, input), (parsed): PreparedCall => {
    if (!parsed.ok) return refused('invalid', parsed.text);
    return {
      kind: 'ready',
      tool,
      input: parsed.input,
      concurrencySafe: isConcurrencySafe(tool, parsed.input),
    };
  });
}

/** A model that learnt other names writes `bash` or `web_fetch`: the answer says which one is meant. */
function unknownTool(name: string, { all }: ToolSet): PreparedCall {
  const plain = name.length > ECHO_CHARS ? undefined : plainLetters(name);
  const meant = plain && all.find((tool) => isSlip(plain, plainLetters(tool.name)))?.name;
  const hint = meant ? `. Did you mean ${meant}?` : '';
  return refused('unknown_tool', `Error: No such tool available: ${bounded(name, ECHO_CHARS)}${hint}`);
}

const plainLetters = (name: string): string => name.toLowerCase().replace(/[_-]/g, '');

/** Never throws or rejects: a parser that violates its contract refuses the call. */
export function parseInput(tool: AnyTool, input: JsonObject): ParsedInput | Promise<ParsedInput> {
  if (!isRecord(input))
    return { ok: false, text: inputValidationError(tool.name, [mistyped([], 'object', typeName(input))]) };
  const failed = (error: unknown): ParsedInput => ({
    ok: false,
    text: inputValidationError(tool.name, [boundedErrorText(error)]),
  });
  const read = (parsed: ParseResult<unknown>): ParsedInput =>
    parsed.ok ? parsed : { ok: false, text: inputValidationError(tool.name, parsed.issues) };
  try {
    const parsing = tool.parse(input);
    return parsing instanceof Promise ? parsing.then(read).catch(failed) : read(parsing);
  } catch (error) {
    return failed(error);
  }
}

export function isConcurrencySafe(tool: AnyTool, input: unknown): boolean {
  try {
    return tool.isConcurrencySafe?.(input) === true;
  } catch {
    return false;
  }
}

function refused(why: 'unknown_tool' | 'invalid' | 'cut', text: string): PreparedCall {
  return { kind: 'refused', outcome: { kind: 'refused', why, text } };
}

function cutOff(toolName: string): PreparedCall {
  return refused(
    'cut',
    `This call of ${toolName} was cut off by the output limit before its input was complete, so it did not run. Make the call again with a smaller input, for example in several steps.`,
  );
}

function malformed(toolName: string, raw: string): PreparedCall {
  return refused(
    'invalid',
    inputValidationError(toolName, [
      `The input is not valid JSON, so the call did not run. It reads: ${bounded(raw, ECHO_CHARS)}`,
    ]),
  );
}
