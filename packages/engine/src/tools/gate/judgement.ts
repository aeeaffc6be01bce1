/** What the record needs to decide about a call again: the policy, what the rules said, and the input. */
import type { Writable } from '@turnwright/base/collections/writable.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { GatePorts, PermissionQuestion } from '../../protocol/tools/gate-ports.ts';
import { formatRule, type GateVerdict } from '../../protocol/tools/permission.ts';
import type { RuledVerdict } from '../../protocol/tools/tool-call.ts';
import type { CallJudgement, CallNotes } from '../outcome.ts';

interface Judged {
  readonly ports: Pick<GatePorts, 'recordPolicy'>;
  readonly context: { readonly effectKey: string };
  readonly notes: CallNotes;
  readonly raw: JsonObject;
}

/** The first decision about the call counts: later ones are about what a host wrote instead. */
export function beginJudgement(
  { ports, context, notes }: Judged,
  question: PermissionQuestion,
  hook: 'allow' | 'ask' | 'deny' | undefined,
): void {
  if (notes.judgement !== undefined || ports.recordPolicy === undefined) return;
  const { cwd, root = cwd } = question;
  const { policy, tool } = ports.recordPolicy(question, context.effectKey);
  const judgement: Writable<CallJudgement> = { policy };
  if (tool !== undefined) judgement.tool = tool;
  if (cwd !== root) judgement.cwd = cwd;
  if (hook === 'allow' || hook === 'ask') judgement.hook = hook;
  notes.judgement = judgement;
}

export function noteRuled(notes: CallNotes, verdict: GateVerdict): void {
  if (notes.judgement !== undefined && verdict.kind !== 'pending') notes.ruled ??= verdict;
}

type Ruled = NonNullable<CallNotes['ruled']>;

function toRuled({ kind, reasonType, matched }: Ruled): RuledVerdict {
  return {
    verdict: kind,
    source: reasonType,
    ...(matched !== undefined && { rule: formatRule(matched.value), ruleSource: matched.source }),
  };
}

/** Characters of an input that is kept with the record of its permission. */
const INPUT_CHARS = 2_000;

/**
 * `raw`: the first time, the input that was judged. `verdict`: the last one; absent: the question is still
 * open.
 */
export function recordedJudgement(
  { notes, raw: written }: Judged,
  raw: JsonObject,
  verdict?: GateVerdict,
): CallJudgement | undefined {
  if (notes.judgement === undefined) return undefined;
  notes.judgedInput ??= raw;
  const { ruled, judgedInput } = notes;
  const isKept = judgedInput !== written;
  const isRuled = ruled !== undefined && !isSaidAlready(ruled, verdict);
  if (!isKept && !isRuled) return notes.judgement;
  return {
    ...notes.judgement,
    ...(isKept && { input: keptInput(judgedInput, raw, verdict) }),
    ...(isRuled && { ruled: toRuled(ruled) }),
  };
}

const isSaidAlready = (ruled: Ruled, verdict: GateVerdict | undefined): boolean =>
  verdict !== undefined &&
  verdict.kind !== 'pending' &&
  verdict.kind === ruled.kind &&
  verdict.reasonType === ruled.reasonType;

function keptInput(judged: JsonObject, raw: JsonObject, verdict: GateVerdict | undefined): unknown {
  if (judged === raw && verdict?.kind === 'allow' && verdict.updatedInput === undefined) return true;
  return JSON.stringify(judged).length <= INPUT_CHARS ? judged : false;
}
