/**
 * What a refusal of a request says is unknown in it. Validators quote what users wrote, so only the beginning
 * of the message counts, and only names of what this request contained.
 */
import { readJson } from '@turnwright/base/bounded-json.ts';
import { isRecord } from '@turnwright/base/json-values.ts';
import { EFFORT_MESSAGES, TOOL_REFERENCES } from '../catalog/conversation-features.ts';
import { THREAD } from '../request/message-threads.ts';

/** Fields of the body, and headers, that a request can do without. */
const FIELDS = [
  'context_management',
  'output_config',
  'metadata',
  'thinking',
  'speed',
  'fallback_credit_token',
  THREAD,
];
const HEADERS = ['x-turnwright-session-id', 'x-turnwright-agent-id'];
const MARKS = 'cache_control';
const OF_REFERENCES = /^[^'"`]{0,200}\b(?:input tag ['"`])?(?:defer_loading|tool_reference)\b/i;
const OF_EFFORT = /^(?:body\.)?(?:messages\.\d+\.(?:role|output_config)\b|['"`]?role['"`]? ['"`]?system)/i;
const ALL_BETAS = 'anthropic-beta';

/** How a change of the effort begins in a body. */
const EFFORT_TURN = '{"role":"system","content":[],"output_config"';

export interface SentRequest {
  readonly body: string;
  readonly headers: Readonly<Record<string, unknown>>;
  /** What the refusal is known to be about, whatever it says. */
  readonly refuses?: string | undefined;
}

const UNKNOWN =
  'unknown|unexpected|unrecogni[sz]ed|unsupported|(?:does )?not (?:yet )?(?:support(?:ed)?|permitted|allowed|recogni[sz]ed)|extra (?:inputs?|fields?|parameters?)|invalid (?:beta|header|value)';
/** How gateways begin a message that they pass on: the class of an error, a status, a body. */
const LEAD =
  /^(?:(?:[\w.]*(?:error|exception)|error code|http|\d{3}|bad request)\b[\s:-]*)*(?:b?['"]?\{(?:"(?:type|error|message)": ?(?:"\w+", ?|\{)?)*")?/i;
/** A list of problems, as frameworks for Python write it. */
const PYDANTIC = /^\[\{(?:"type":"[\w.]+",)?"loc":\[([^\]]*)\],"msg":"([^"]*)/;
/** Words that a message may begin with. A quoted text begins behind another one. */
const WORDS = new RegExp(
  `^(?:(?:\\S+ (?=does not)|(?:${UNKNOWN}|the|an?|json|body|request|additional|inputs?|properties|property|fields?|features?|param(?:eter)?s?|arguments?|keys?|headers?|betas?|flags?|names?|values?|supplied|provided|is|are)(?:\\(s\\))?(?![\\w.[/]| ->))[\\s:='"\`([]*)*`,
  'i',
);
const NAME = '[$\\w.[\\]/-]+(?: -> \\w+)*';
const NAMES = new RegExp(`^['"\`]*(${NAME}(?:['"\`]*(?:,| and) *['"\`]*${NAME})*)`);
const SAID_BEHIND = new RegExp(
  `^['"\`)\\]]*[\\s:,-]*(?:(?:the|is|are|was|in|for|of|this|fields?|parameters?|property|headers?|betas?|flag|values?)\\s+)*(?:${UNKNOWN})`,
  'i',
);
const SAID = new RegExp(UNKNOWN, 'i');

/** Fields, headers and betas of this request that the message begins with, as unknown ones. */
export function refusedFields(message: string, sent: SentRequest): readonly string[] {
  const listed = PYDANTIC.exec(message);
  const text =
    listed === null
      ? message.replace(LEAD, '')
      : `${listed[1]?.replaceAll('"', '').replaceAll(',', '.')}: ${listed[2]}`;
  if (OF_REFERENCES.test(text) && sent.body.includes(`"${TOOL_REFERENCES}":true`)) return [TOOL_REFERENCES];
  if (OF_EFFORT.test(text) && sent.body.includes(EFFORT_TURN)) return [EFFORT_MESSAGES];
  const before = WORDS.exec(text)?.[0] ?? '';
  const rest = text.slice(before.length);
  const names = NAMES.exec(rest);
  const betas = String(sent.headers[ALL_BETAS] ?? '').split(',');
  if (names === null || rest.startsWith('.'))
    return SAID.test(before) && /\bbeta/i.test(before) && betas[0] !== '' ? [ALL_BETAS] : [];
  const after = rest.slice(names[0].length);
  if (!SAID.test(before) && !SAID_BEHIND.test(after)) return [];
  const body = readJson(sent.body);
  const found = (names[1] ?? '').split(/['"`]*(?:,| and) *['"`]*/).flatMap((written) => {
    const name = written.replace(/\.+$/, '');
    const lower = name.toLowerCase();
    if (betas.includes(name)) return [name];
    if ((lower === ALL_BETAS || HEADERS.includes(lower)) && lower in sent.headers) return [lower];
    return fieldAt(name, body, sent.body);
  });
  if (found[0] !== ALL_BETAS) return found;
  const named = betas.filter((beta) => beta !== '' && after.includes(beta));
  return named.length > 0 ? named : found;
}

/** The optional field that this path leads to or through, if the request contains it. */
function fieldAt(path: string, body: unknown, text: string): readonly string[] {
  const parts = path.split(/ -> |[.[\]/]+/).filter((part) => part !== '' && part !== '$');
  if (parts[0] === 'body' || parts[0] === 'request') parts.shift();
  const [top = ''] = parts;
  if (FIELDS.includes(top)) return isRecord(body) && Object.hasOwn(body, top) ? [top] : [];
  const end = parts.indexOf(MARKS);
  if (end === 0) return text.includes(`"${MARKS}":{"type":"ephemeral"`) ? [MARKS] : [];
  if (end < 0 || parts.includes('input')) return [];
  let at: unknown = body;
  for (const part of parts.slice(0, end + 1)) {
    const inner: unknown = (at as Record<string, unknown> | undefined)?.[part];
    // Validators put the kind of a block between: `tools.0.custom.cache_control`.
    if (typeof inner === 'object' && inner !== null) at = inner;
    else if (part === MARKS) return [];
  }
  return isRecord(at) && at['type'] === 'ephemeral' ? [MARKS] : [];
}
