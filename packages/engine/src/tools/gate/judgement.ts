/** What the record needs to decide about a call again: the policy, what the rules said, and the input. */
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
  notes.judgement = {
    ...ports.recordPolicy(question, context.effectKey),
    ...(cwd !== root && { cwd }),
    ...((hook === 'allow' || hook === 'ask') && { hook }),
  };
}

export function noteRuled(notes: CallNotes, verdict: GateVerdict): void {
  if (notes.judgement === undefined || notes.judgement.ruled !== undefined || verdict.kind === 'pending')
    return;
  notes.judgement = { ...notes.judgement, ruled: toRuled(verdict) };
}

function toRuled({ kind, reasonType, matched }: Exclude<GateVerdict, { kind: 'pending' }>): RuledVerdict {
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
  const { ruled, ...rest } = notes.judgement;
  return {
    ...rest,
    ...(notes.judgedInput !== written && { input: keptInput(notes.judgedInput, raw, verdict) }),
    ...(ruled !== undefined && !isSaidAlready(ruled, verdict) && { ruled }),
  };
}

const isSaidAlready = (ruled: RuledVerdict, verdict: GateVerdict | undefined): boolean =>
  verdict !== undefined &&
  verdict.kind !== 'pending' &&
  verdict.kind === ruled.verdict &&
  verdict.reasonType === ruled.source;

function keptInput(judged: JsonObject, raw: JsonObject, verdict: GateVerdict | undefined): unknown {
  if (judged === raw && verdict?.kind === 'allow' && verdict.updatedInput === undefined) return true;
  return JSON.stringify(judged).length <= INPUT_CHARS ? judged : false;
}
