/**
 * Finds a tool call that a model wrote as text, because its server or template has no form for calls (F118).
 */

import { readJson } from '@turnwright/base/bounded-json.ts';
import type { SystemBody } from '../../protocol/model/messages.ts';
import type { WireTool } from '../../protocol/model/wire.ts';

/** Such a call is reported, never run. */
export function writtenCallNotice(text: string, tools: readonly WireTool[]): readonly SystemBody[] {
  const name = writtenCall(text, new Set(tools.map((tool) => tool.name)));
  if (name === undefined) return [];
  const content = `The model wrote a call of ${name} as text instead of making it, so it was not run. Its server may not support tools for this model.`;
  return [{ subtype: 'informational', level: 'warning', content }];
}

const TAGGED = [
  /<\|?tool_call\|?>[\s\S]{0,200}?"name"\s*:\s*"([^"]+)"/,
  /<function=([\w.-]+)>/,
  /<invoke name="([^"]+)">/,
  /\[TOOL_CALLS\][\s\S]{0,100}?"name"\s*:\s*"([^"]+)"/,
  /\[TOOL_CALLS\]\s*([\w.-]+)\s*[[{]/,
  /<\|python_tag\|>[\s\S]{0,100}?"name"\s*:\s*"([^"]+)"/,
  /<(?:action|tool)>\s*([\w.-]+)\s*</i,
];
/** The last fence of a text, if nothing follows it. */
const FENCED = /```(?:json|tool_call|tool_code)?\s*\n([\s\S]*?)\n?```\s*$/;

/** The name of the offered tool that the text calls; undefined: it is a text. */
function writtenCall(text: string, offered: ReadonlySet<string>): string | undefined {
  for (const pattern of TAGGED) {
    const name = pattern.exec(text)?.[1];
    if (name !== undefined && offered.has(name)) return name;
  }
  const name = nameIn(json(FENCED.exec(text)?.[1] ?? text));
  return name !== undefined && offered.has(name) ? name : undefined;
}

/** `{"name": …, "arguments": …}` in the spellings of the common templates, alone or in a list. */
function nameIn(value: unknown): string | undefined {
  const call = fields(Array.isArray(value) ? value[0] : value);
  if (call === undefined) return undefined;
  const inner = fields(call['function']) ?? call;
  const name = inner['name'] ?? inner['tool'] ?? inner['tool_name'];
  const hasInput = ['arguments', 'parameters', 'input', 'args', 'tool_input'].some((key) => key in inner);
  return typeof name === 'string' && hasInput ? name : undefined;
}

function json(text: string): unknown {
  const trimmed = text.trim();
  if (!trimmed.startsWith('{') && !trimmed.startsWith('[')) return undefined;
  return readJson(trimmed);
}

function fields(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
}
