/** The policy of this moment as data, and what it needs to know of a tool: recorded with what it decides. */
import type { JudgedTool, PolicyInForce, RecordedRules } from '../../protocol/session/policy-in-force.ts';
import { toolFacts } from '../../protocol/tools/builtin-tools.ts';
import type { PermissionQuestion } from '../../protocol/tools/gate-ports.ts';
import type { PermissionBehavior, PermissionRuleSource } from '../../protocol/tools/permission.ts';
import { formatRule } from '../../protocol/tools/permission.ts';
import type { RuleSet } from '../rules/rule-set.ts';
import type { PermissionState } from './evaluation.ts';
import { createSubject } from './subject.ts';

interface Described extends Omit<PermissionState, 'sandbox' | 'rules'> {
  readonly rules: Pick<RuleSet, 'all'>;
  readonly sandbox: PolicyInForce['sandbox'];
  /** Without those that the home folder implies. */
  readonly protectedFolders: PolicyInForce['place']['protected'];
}

/** `session`: what holds for all of its agents. */
export function describePolicy(
  {
    rules,
    home,
    searchPath,
    ignoreCase,
    protection,
    protectedFolders,
    sandbox,
    readableDirectories,
  }: Described,
  { cwd, root = cwd, additionalDirectories, ownDirectories, mode: agentMode }: PermissionQuestion,
  session: Pick<PolicyInForce, 'directories' | 'locks' | 'mode'>,
): PolicyInForce {
  return {
    mode: session.mode,
    directories: session.directories,
    locks: Object.fromEntries(Object.entries(session.locks).filter(([, isOn]) => isOn === true)),
    agentMode: agentMode ?? null,
    allow: rulesFor('allow', rules),
    ask: rulesFor('ask', rules),
    deny: rulesFor('deny', rules),
    sandbox,
    place: {
      root,
      ...(home !== undefined && { home }),
      ...(searchPath !== undefined && { searchPath }),
      additionalDirectories,
      ...(ownDirectories !== undefined && { own: ownDirectories }),
      readable: readableDirectories(),
      protected: protectedFolders,
      ...(protection.memoryImportsAnywhere && { memoryImportsAnywhere: true }),
      ...(ignoreCase && { ignoreCase: true }),
    },
  };
}

function rulesFor(behavior: PermissionBehavior, rules: Pick<RuleSet, 'all'>): RecordedRules {
  const runs: [PermissionRuleSource, ...string[]][] = [];
  for (const { behavior: own, source, value } of rules.all()) {
    if (own !== behavior) continue;
    const run = runs.at(-1);
    if (run?.[0] === source) run.push(formatRule(value));
    else runs.push([source, formatRule(value)]);
  }
  return runs;
}

/** Characters of what a call is about, where its tool is no built-in one. */
const TARGET_CHARS = 1_000;

/** undefined: the engine's own tool of this name tells it. */
export function describeJudgedTool(
  question: PermissionQuestion,
  asksAlways: boolean,
): JudgedTool | undefined {
  const { tool } = question;
  const { madeOf } = toolFacts(tool.name);
  if ((madeOf === 'options' || madeOf === 'tasks') && tool.mcp === undefined) return undefined;
  const { names, readOnly, needsPerson, policy, target } = createSubject(question, () => NEVER);
  const isKept = target.kind !== 'none' && JSON.stringify(target).length <= TARGET_CHARS;
  return {
    ...(names.length > 1 && { aliases: names.slice(1) }),
    ...(readOnly && { readOnly }),
    ...(needsPerson && { needsPerson }),
    ...(policy !== undefined && { policy: policy.behavior }),
    ...(asksAlways && { asksAlways }),
    ...(isKept && { target }),
  };
}

const NEVER = new Promise<never>(() => {});
