/** Validates an agent's definition from options, `--agents` or a file, field by field. */

import { isRecord } from '@turnwright/base/json-values.ts';
import { listField, toolsField } from '@turnwright/base/text/frontmatter.ts';
import { EFFORT_LEVELS } from '../protocol/model/wire.ts';
import type { AgentDefinition, AgentServer } from '../protocol/tools/agent.ts';
import { PERMISSION_MODES } from '../protocol/tools/permission.ts';

type DefinitionReading =
  | {
      readonly ok: true;
      readonly definition: AgentDefinition;
      /** One sentence per value that was passed over, or that asks for something that does not happen. */
      readonly warnings: readonly string[];
      /** One sentence per field that nothing reads. */
      readonly notes: readonly string[];
    }
  | { readonly ok: false; readonly problem: string };

/** Documented fields without effect here (docs/compatibility.md), and what happens in their place. */
const WITHOUT_EFFECT: Readonly<Record<string, string>> = {
  observer: 'has no effect here',
  observerMessage: 'has no effect here',
  isolation: 'has no effect here: the agent works in the folder of its session',
};

/** Further fields in files: display settings of other programs. */
const SHOWN_ELSEWHERE = ['name', 'color', 'source'];

/** Returns the normalised value; undefined for an invalid one. */
type Check = (value: unknown) => { readonly value: unknown } | undefined;

const is =
  (test: (value: unknown) => boolean): Check =>
  (value) =>
    test(value) ? { value } : undefined;
const text = is((value) => typeof value === 'string' && value.trim() !== '');
const flag = is((value) => typeof value === 'boolean');
const count = is((value) => Number.isInteger(value) && Number(value) > 0);
const tools: Check = (value) => {
  const checked = names(value);
  return checked && { value: toolsField(checked.value) };
};
const names: Check = (value) => {
  const isList = Array.isArray(value) && value.every((item) => typeof item === 'string');
  return isList || typeof value === 'string' ? { value: listField(value) } : undefined;
};
/** Names, configurations by name, or both; in a file, a list is optional. */
const servers: Check = (value) => {
  const list: readonly unknown[] =
    typeof value === 'string'
      ? listField(value)
      : isRecord(value)
        ? [value]
        : Array.isArray(value)
          ? value
          : [0];
  const isRead = list.every(
    (item) => typeof item === 'string' || (isRecord(item) && Object.values(item).every(isRecord)),
  );
  return isRead ? { value: list as readonly AgentServer[] } : undefined;
};
const oneOf = (words: readonly string[]) => is((value) => words.includes(value as string));

/** One row per field: its description and its check. */
const FIELDS: {
  readonly [F in keyof Omit<AgentDefinition, 'name' | 'from'>]-?: readonly [what: string, check: Check];
} = {
  description: ['a text that says when to use the agent', text],
  prompt: ['a text: the system prompt of the agent', text],
  tools: ['a list of tool names', tools],
  disallowedTools: ['a list of tool names', tools],
  model: ['the name of a model, or "inherit"', text],
  effort: [`one of ${EFFORT_LEVELS.join(', ')}`, oneOf(EFFORT_LEVELS)],
  mcpServers: ['a list of server names, and of configurations by name', servers],
  skills: ['a list of skill names', names],
  hooks: ['hooks by event, as in a settings file', is(isRecord)],
  memory: ['one of user, project, local', oneOf(['user', 'project', 'local'])],
  maxTurns: ['a whole number above 0', count],
  permissionMode: [`one of ${PERMISSION_MODES.join(', ')}`, oneOf(PERMISSION_MODES)],
  background: ['true or false', flag],
  initialPrompt: ['a text', text],
  omitClaudeMd: ['true or false', flag],
  autoCompactWindow: ['a whole number above 0', count],
  criticalSystemReminder_EXPERIMENTAL: ['a text', text],
};

/** The field without which an agent is none, and those that make it less than its session. */
const NEEDED: readonly string[] = ['description', 'prompt', 'tools', 'disallowedTools'];

const NAME = /^[\p{L}\p{N}_][\p{L}\p{N}_.:/ -]{0,99}$/u;

/**
 * `value`: the definition of the agent of this name. Never throws. In a `file` a value that cannot be read
 * costs its field alone, unless it may restrict the agent; an option that cannot be read is refused.
 */
export function readDefinition(
  name: string,
  value: unknown,
  where: 'options' | 'file' = 'options',
): DefinitionReading {
  if (!NAME.test(name)) return { ok: false, problem: `"${name}" cannot be the name of an agent` };
  if (!isRecord(value))
    return { ok: false, problem: 'a definition is an object with at least "description" and "prompt"' };
  const given: Readonly<Record<string, unknown>> = value;
  const read: Record<string, unknown> = { name };
  const warnings: string[] = [];
  for (const [field, [what, check]] of Object.entries(FIELDS)) {
    const found = where === 'file' ? asWritten(field, given[field], check) : given[field];
    if (found === undefined || found === null) continue;
    const checked = field === 'prompt' && where === 'file' ? { value: found } : check(found);
    if (checked !== undefined) read[field] = checked.value;
    // The published type allows a number, which no model supports.
    else if (field === 'effort' && typeof found === 'number')
      warnings.push('"effort" as a number has no effect; name a level instead');
    else if (where === 'file' && !NEEDED.includes(field))
      warnings.push(`"${field}" was passed over, as it must be ${what}`);
    else return { ok: false, problem: `"${field}" must be ${what}` };
  }
  for (const field of ['description', 'prompt'] as const)
    if (read[field] === undefined) return { ok: false, problem: `"${field}" is missing` };
  const notes: string[] = [];
  for (const field of Object.keys(given)) {
    if (given[field] === undefined || Object.hasOwn(FIELDS, field) || SHOWN_ELSEWHERE.includes(field))
      continue;
    const without = Object.hasOwn(WITHOUT_EFFECT, field) ? WITHOUT_EFFECT[field] : undefined;
    if (without === undefined) notes.push(`"${field}" is not a field of an agent`);
    else warnings.push(`"${field}" ${without}`);
  }
  return { ok: true, definition: read as unknown as AgentDefinition, warnings, notes };
}

/** A value as its author meant it: YAML reads `42` as a number and `"5"` as a text. */
function asWritten(field: string, value: unknown, check: Check): unknown {
  // An empty list of tools is no list of all of them.
  if (field === 'tools' && value === null) return [];
  if (field === 'description' && (typeof value === 'number' || typeof value === 'boolean'))
    return String(value);
  // Programs that write descriptions put line breaks as two characters.
  if (field === 'description' && typeof value === 'string') return value.replaceAll('\\n', '\n');
  if (typeof value !== 'string' || (check !== flag && check !== count)) return value;
  if (/^\d+$/.test(value)) return Number(value);
  return value === 'true' || (value === 'false' ? false : value);
}
