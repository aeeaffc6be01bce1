/**
 * What the judge of mode `auto` may decide about: calls of which the gate knows all places that they reach,
 * none of them outside the project. All else is for a person, whatever the judge would say: what may be
 * allowed does not depend on its goodwill. Loaded by the first call that is asked about in that mode.
 */
import { looksSecret } from '@turnwright/base/text/secret-text.ts';
import { toolFacts } from '../../protocol/tools/builtin-tools.ts';
import type { AskedQuestion } from '../../protocol/tools/gate-ports.ts';
import type { DecisionReasonType } from '../../protocol/tools/permission.ts';
import { createCase } from '../decide/case-of.ts';
import { decideCall } from '../decide/decide-call.ts';
import { type Case, filterOutside, type PermissionState, pathsOutside } from '../decide/evaluation.ts';
import { isProtected } from '../decide/protected-path.ts';
import { TooManySteps } from '../decide/steps.ts';
import type { JudgeBound } from './judge-bound.ts';
import { boundOfUrl } from './known-hosts.ts';
import { boundOfLine } from './line-bounds.ts';

const OPEN: JudgeBound = { kind: 'open', why: '' };
/** Of a call as JSON; what a file is to hold is not counted. */
const LONGEST_CALL = 20_000;

/** Why it is asked about, where no judge answers that. */
const ASKED: { readonly [R in DecisionReasonType]?: JudgeBound } = {
  rule: { kind: 'asked', why: 'a rule wants a person to decide' },
  hook: { kind: 'asked', why: 'a hook wants a person to decide' },
  mode: { kind: 'asked', why: 'the mode wants a person to decide' },
  safetyCheck: { kind: 'protected', why: 'it may change what runs or is allowed later' },
  sandboxOverride: { kind: 'outside', why: 'it asks to leave the sandbox' },
  workingDir: { kind: 'outside', why: 'it reaches outside the working directories' },
};

/** `hosts`: whose pages may be read, besides those that are known. */
export async function findBound(
  asked: AskedQuestion,
  state: PermissionState,
  hosts: readonly string[],
): Promise<JudgeBound> {
  const stated = asked.reasonType && ASKED[asked.reasonType];
  if (stated !== undefined) return stated;
  try {
    // An answer to another question may have changed the rules.
    const now = await decideCall(asked, state);
    if (now.kind === 'deny') return { kind: 'asked', why: 'a rule denies it by now' };
    const changed = now.kind === 'ask' && ASKED[now.reasonType as DecisionReasonType];
    if (changed) return changed;
    return await boundOfCall(asked, createCase(asked, state), hosts);
  } catch (error) {
    if (!(error instanceof TooManySteps)) throw error;
    return { kind: 'size', why: 'to look at it takes too many steps' };
  }
}

async function boundOfCall(asked: AskedQuestion, each: Case, hosts: readonly string[]): Promise<JudgeBound> {
  const { subject } = each;
  const { target, tool } = subject;
  if (subject.needsPerson) return { kind: 'asked', why: 'the question is for a person' };
  if (asked.tool.mcp !== undefined || tool.startsWith('mcp__')) return boundOfServer(asked, each, hosts);
  switch (target.kind) {
    case 'read':
    case 'write':
      return boundOfFiles(each);
    case 'command':
      if (toolFacts(tool).family !== 'command') break;
      if (target.command.length > LONGEST_CALL) return { kind: 'size', why: 'it is too long to be judged' };
      return (await boundOfLine(each, hosts)) ?? OPEN;
    case 'url': {
      const why = looksSecret(target.url) ? 'its address holds a secret' : boundOfUrl(target.url, hosts);
      return why === undefined ? OPEN : { kind: 'network', why };
    }
  }
  return { kind: 'tool', why: `nothing is known of what ${tool} reaches` };
}

/** Files that hold instructions for models count as protected here: they outlive the session. */
async function boundOfFiles(each: Case): Promise<JudgeBound> {
  const { subject, context } = each;
  if ((await pathsOutside(each)).length > 0) return ASKED.workingDir as JudgeBound;
  if (subject.target.kind === 'read') return OPEN;
  const protection = { ...context.protection, memoryImportsAnywhere: true };
  for (const path of await subject.paths())
    if (await isProtected(path, { ...context, protection })) return ASKED.safetyCheck as JudgeBound;
  return OPEN;
}

/** Of a tool that only reads, by the word of its server, what it is given must name no place elsewhere. */
async function boundOfServer(
  { input }: AskedQuestion,
  each: Case,
  hosts: readonly string[],
): Promise<JudgeBound> {
  if (!each.subject.readOnly) return { kind: 'tool', why: 'its server does not say that it only reads' };
  const texts = textsIn(input);
  if (texts.join('').length > LONGEST_CALL) return { kind: 'size', why: 'it is too long to be judged' };
  for (const text of texts) {
    if (looksSecret(text)) return { kind: 'secret', why: 'its input holds a secret' };
    for (const [url] of text.matchAll(/\b[a-z][a-z0-9+.-]*:\/\/[^\s<>"'`)\]}]+/gi)) {
      const why = boundOfUrl(url, hosts);
      if (why !== undefined) return { kind: 'network', why };
    }
    if (!/^\s*(?:[/~]|\.\.?[/\\]|[A-Za-z]:\\)|(?:^|[/\\])\.\.(?:[/\\]|$)/.test(text)) continue;
    const path = text.trim();
    const found = path.startsWith('~') ? undefined : await each.context.resolve(path);
    if (found === undefined || (await filterOutside('read', [found], each)).length > 0)
      return ASKED.workingDir as JudgeBound;
  }
  return OPEN;
}

/** Every text of the input, names of fields included. */
function textsIn(value: unknown, depth = 0): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null || depth > 20) return [];
  return Object.entries(value).flatMap(([name, held]) => [name, ...textsIn(held, depth + 1)]);
}
