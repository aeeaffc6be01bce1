/** The calls of a journal, with what the record says of their permission. */

import { isRecord } from '@turnwright/base/json-values.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { JournalEntry } from '../protocol/session/journal.ts';
import type { PolicyInForce } from '../protocol/session/policy-in-force.ts';
import type { RecordedAnswer } from '../protocol/session/policy-trial.ts';
import type { ToolTrace } from '../protocol/tools/tool-call.ts';
import { messageOfRecord } from '../session/journal/message-record.ts';
import { readForeignCalls } from './foreign-calls.ts';
import { type ReadCalls, type RecordedCall, type RecordedPermission, wasAsked } from './recorded-call.ts';

const PARTS: readonly (keyof PolicyInForce)[] = [
  'mode',
  'agentMode',
  'allow',
  'ask',
  'deny',
  'directories',
  'locks',
  'place',
  'sandbox',
];

/** `agentId`: whose journal it is; absent: the main agent's. */
export function readCalls(entries: Iterable<JournalEntry>, agentId?: string): ReadCalls {
  const policies = new Policies();
  const inputs = new Map<string, JsonObject>();
  const ran = new Map<string, JsonObject>();
  const calls: RecordedCall[] = [];
  const foreign: JournalEntry[] = [];
  let unjudged = 0;
  let withoutInput = 0;
  for (const entry of entries) {
    if (entry.v === 0) foreign.push(entry);
    if (entry.v === 0 || 'forkedFrom' in entry) continue;
    switch (entry.type) {
      case 'policy':
        policies.take(entry);
        break;
      case 'assistant':
        noteInputs(entry, inputs);
        break;
      case 'intent':
        if (isRecord(entry.updatedInput)) ran.set(entry.toolUseId, entry.updatedInput as JsonObject);
        break;
      case 'decision':
        for (const { id, name, permission } of listTraces(entry.record)) {
          const written = inputs.get(id);
          if (permission === undefined || written === undefined) {
            unjudged++;
            continue;
          }
          const input = judgedInput(permission, written, ran.get(id));
          if (input === undefined) {
            withoutInput++;
            continue;
          }
          const policy = permission.policy === undefined ? undefined : policies.get(permission.policy);
          const root = policy?.place.root ?? entry.cwd;
          calls.push({
            sessionId: entry.sessionId,
            agentId,
            toolUseId: id,
            tool: name,
            input,
            root,
            cwd: permission.cwd ?? root,
            permission,
            policy,
            answer: answerTo(permission),
            answeredInput: wasAsked(permission) && permission.input !== true ? ran.get(id) : undefined,
          });
        }
    }
  }
  const others = readForeignCalls(foreign, agentId);
  return {
    calls: [...calls, ...others.calls],
    unjudged: unjudged + others.unjudged,
    withoutInput,
  };
}

/** Records of earlier versions, and damaged ones, hold other things in their place. */
const listTraces = (record: { readonly tools?: readonly ToolTrace[] }): readonly ToolTrace[] =>
  Array.isArray(record?.tools) ? record.tools : [];

function noteInputs(entry: JournalEntry, inputs: Map<string, JsonObject>): void {
  const message = messageOfRecord(entry);
  if (message?.type !== 'assistant') return;
  for (const block of message.message.content)
    if (block.type === 'tool_use' && isRecord(block.input)) inputs.set(block.id, block.input);
}

function judgedInput(
  { input }: RecordedPermission,
  written: JsonObject,
  ran: JsonObject | undefined,
): JsonObject | undefined {
  if (input === undefined) return written;
  if (input === true) return ran;
  return isRecord(input) ? (input as JsonObject) : undefined;
}

function answerTo(permission: RecordedPermission): RecordedAnswer {
  const { verdict, source } = permission;
  if (!wasAsked(permission)) return 'not-asked';
  if (source === 'headless' || source === 'asyncAgent' || source === 'unanswered') return 'nobody';
  if (verdict === 'allow') return 'approved';
  // A rule denied what the person wrote instead, or nothing was answered.
  return verdict === 'deny' && source !== 'rule' ? 'refused' : 'unknown';
}

/** The policies of a journal, by name. */
class Policies {
  readonly #known = new Map<string, PolicyInForce>();
  #parts: Partial<PolicyInForce> = {};

  take(entry: Extract<JournalEntry, { type: 'policy' }>): void {
    const given = Object.fromEntries(PARTS.flatMap((part) => (part in entry ? [[part, entry[part]]] : [])));
    const before = this.#known.get(entry.policy);
    const parts =
      Object.keys(given).length === 0 && before !== undefined ? before : { ...this.#parts, ...given };
    this.#parts = parts;
    if (PARTS.every((part) => part in parts)) this.#known.set(entry.policy, parts as PolicyInForce);
  }

  get(name: string): PolicyInForce | undefined {
    return this.#known.get(name);
  }
}
