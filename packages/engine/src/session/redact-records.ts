/**
 * Records of a session without contents: texts, inputs, results, paths, prompts, thinking and values of the
 * environment are redacted; structure, sizes, ids, names of tools and models, times and decisions stay, so
 * that the records can still be explained, replayed and counted. What no list here names is redacted.
 */

import { isRecord } from '@turnwright/base/json-values.ts';
import type { JournalEntry } from '../protocol/session/journal.ts';
import { redactText } from './redact-text.ts';

/** `entries` are not changed. An entry says that it was redacted: replays then compare redacted forms. */
export function redactRecords(entries: Iterable<JournalEntry>): JournalEntry[] {
  return [...entries].map((entry) => {
    const { sum: _, ...redacted } = inRecord(entry) as JournalEntry & { readonly sum?: unknown };
    return { ...redacted, redacted: true };
  });
}

export const isRedacted = ({ redacted }: JournalEntry): boolean => redacted === true;

/** A field of a record, such as the rules of a decision. */
export const redactField = (value: unknown, name: string): unknown => inRecord(value, name);

/** Fields of records whose strings, alone or in lists, are ids. */
const IDS = words(
  `id uuid parentUuid uuids sessionId session_id submission messageId requestId request_id toolUseId tool_use_id
  sourceAssistantUuid askId askIds leafUuid agentPath agentId agent_id hook_id consumed keep to added replaced
  anchor_uuid removed_uuids retracted_message_uuids tool_use_ids systemHash toolsHash`,
);

/** Fields whose strings are names: of tools, models, rules, events, kinds and outcomes. */
const NAMES = words(
  `type subtype kind role model models original_model fallback_model from name toolName tool_name toolNames step
  verdict source ruleSource outcome stop_reason stopReason terminal terminal_reason transition in trigger
  permissionMode querySource effectClass effort during event hook_event ranIn nonExecution nonExecutionKind
  decision_reason_type service_tier operation level tag priority errorType mode blocks media_type status`,
);

/** Fields whose strings are words of ours, or a text of others: only these words are kept. */
const WORDS_OF_OURS: Readonly<Record<string, ReadonlySet<string>>> = {
  reason: words(
    `fallback superseded interrupt interrupted returned user prompted refused stopped deadline closed parked
    discarded lease_lost fenced over settled completed aborted_streaming aborted_tools max_turns`,
  ),
  answer: words('text empty thinking_only'),
  error: words(
    `server_error rate_limit overloaded authentication_failed billing_error invalid_request model_not_found
    max_output_tokens cloud_credential_error unknown`,
  ),
};

/** Fields that hold what was said or done: below them only the kinds of blocks are kept. */
const CONTENTS = words(
  `input updatedInput derivedInput toolUseResult question system userContext data todos attachment rendered
  updates permission_denials denial structured_output parts origin preventContinuation`,
);
const CONTENTS_OF_KINDS: Readonly<Record<string, ReadonlySet<string>>> = {
  answer: words('answer'),
  lent: words('rules'),
};

/** Kinds of blocks, of their sources, and of attachments. */
const KINDS = words(
  `text image document tool_use tool_result tool_reference thinking redacted_thinking base64 url file
  search_result compaction hook_context max_turns_reached hook_stopped_continuation queued_command edited_file
  late_diagnostics
  relevant_memories todo_reminder structured_output PostToolUse PreToolUse Stop SubagentStop UserPromptSubmit
  SessionStart PostToolBatch`,
);
/** Names of fields in contents that are kept: those of blocks, and of the inputs of built-in tools. */
const FIELDS = words(
  `type event text content source data media_type tool_use_id id name input is_error title context citations
  cache_control signature thinking raw __unparsedToolInput command file_path notebook_path pattern url query path
  old_string new_string replace_all offset limit description prompt subagent_type timeout run_in_background todos
  status activeForm questions question options header label skill args plan task_id glob output_mode`,
);

/** Begins like a path or holds an address: no name. */
const NAME = /^(?![/~.\\])[\w.:/+*=()$-]{0,200}(?:@\d[\w.:-]*)?$/;
const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)$/;

function words(list: string): ReadonlySet<string> {
  return new Set(list.split(/\s+/));
}

function inRecord(value: unknown, key = '', kind = ''): unknown {
  if (typeof value === 'string') return namedText(value, key);
  if (Array.isArray(value)) return value.map((item) => inRecord(item, key, kind));
  if (!isRecord(value)) return value;
  const own = typeof value['type'] === 'string' ? value['type'] : kind;
  const fields = Object.entries(value).map(([field, item]): [string, unknown] => {
    // What a run was given names models, events and limits alone.
    if (field === 'run' && key === 'told') return [field, item];
    if (isImageData(field, value)) return [field, imageData(item)];
    const isContent = CONTENTS.has(field) || CONTENTS_OF_KINDS[own]?.has(field) === true;
    return [field, isContent ? inContents(item, field) : inRecord(item, field, own)];
  });
  return Object.fromEntries(fields);
}

function namedText(text: string, key: string): string {
  if (key === 'why' || key === 'sentence') return withOwnWords(text);
  if (key === 'timestamp' || key === 'startedAt') return TIME.test(text) ? text : redactText(text);
  const ours = Object.hasOwn(WORDS_OF_OURS, key) ? WORDS_OF_OURS[key] : undefined;
  const isKept = ours?.has(text) ?? ((IDS.has(key) || NAMES.has(key)) && NAME.test(text));
  return isKept ? text : redactText(text);
}

/** What the loop says about itself, up to where a text of others can begin. */
const OWN_WORDS =
  /^(?:(?:Went on|Stopped): [a-z_]+ \((?:rule "[a-z_]+"|no rule objected)(?:, attempt \d+)?\)(?:, turn \d+)?\.?|\d+ tokens, (?:not )?below \d+)?/;
const VOIDED = /; thinking behind the change is void \(\d+\)$/;

function withOwnWords(text: string): string {
  const begin = OWN_WORDS.exec(text)?.[0] ?? '';
  const end = VOIDED.exec(text.slice(begin.length))?.[0] ?? '';
  return `${begin}${redactText(text.slice(begin.length, text.length - end.length))}${end}`;
}

function inContents(value: unknown, key: string): unknown {
  if (typeof value === 'string')
    return (key === 'type' || key === 'event') && KINDS.has(value) ? value : redactText(value);
  if (typeof value === 'number') return Number(String(value).replace(/\d/g, '1'));
  if (Array.isArray(value)) return value.map((item) => inContents(item, key));
  if (!isRecord(value)) return value;
  const fields: Record<string, unknown> = {};
  for (const [field, item] of Object.entries(value)) {
    const name = FIELDS.has(field) ? field : redactText(field);
    let free = name;
    for (let n = 2; Object.hasOwn(fields, free); n++) free = `${name}${n}`;
    fields[free] = isImageData(field, value) ? imageData(item) : inContents(item, field);
  }
  return fields;
}

const isImageData = (field: string, { type }: Readonly<Record<string, unknown>>): boolean =>
  field === 'data' && type === 'base64';

/** Characters of base64 that hold the size of an image, and nothing of what it shows. */
const HEADER_CHARS = 40;

function imageData(data: unknown): unknown {
  if (typeof data !== 'string') return inContents(data, 'data');
  const header = /^(?:iVBORw0KGgo|R0lGOD|UklGR)/.test(data) ? data.slice(0, HEADER_CHARS) : '';
  return `${header}${redactText(data.slice(header.length))}`;
}
