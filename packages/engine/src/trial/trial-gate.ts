/** The gate itself, with hooks and answers from the record: nothing is asked, and no tool runs. */

import { dirname } from 'node:path';
import { systemClock } from '@turnwright/base/clock.ts';
import type { DiskReader, KeptLooks } from '../permissions/decide/resolved-path.ts';
import { hostsIn } from '../permissions/judge/known-hosts.ts';
import { createPermissions, type Permissions } from '../permissions/permission-engine.ts';
import type { JudgedTool, PolicyInForce } from '../protocol/session/policy-in-force.ts';
import type { TriedVerdict } from '../protocol/session/policy-trial.ts';
import { toolFacts } from '../protocol/tools/builtin-tools.ts';
import type { AskedQuestion, AskPort, GatePorts } from '../protocol/tools/gate-ports.ts';
import type { HookVerdict } from '../protocol/tools/hook.ts';
import type { CommandPlace, SandboxedCall } from '../protocol/tools/isolation.ts';
import type { GateVerdict, PermissionRuleSource, PermissionUpdate } from '../protocol/tools/permission.ts';
import type { AnyTool, PermissionTarget, ToolContext } from '../protocol/tools/tool.ts';
import { builtinTools } from '../tools/builtin/index.ts';
import { permit } from '../tools/gate/authorize-call.ts';
import { parseInput } from '../tools/gate/prepared-call.ts';
import type { CallNotes } from '../tools/outcome.ts';
import { type RecordedCall, type RecordedPermission, wasAsked } from './recorded-call.ts';

export interface Judged extends TriedVerdict {
  /** Every rule that allows it, as written: of a line of commands there may be several. */
  readonly allowedBy: readonly string[];
  /** What the dialog would offer. */
  readonly suggestions: readonly PermissionUpdate[];
  /** The verdict looked at files, as they are now. */
  readonly lookedAtFiles: boolean;
  /** The last word of the gate, behind hooks and the recorded answer. */
  readonly last: 'allow' | 'ask' | 'deny';
}

export interface TrialPorts {
  readonly files: DiskReader;
  /** Where a command would run under this policy. */
  placeOf(
    call: SandboxedCall,
    sandbox: NonNullable<PolicyInForce['sandbox']>,
  ): CommandPlace | Promise<CommandPlace>;
}

export class TrialGate {
  readonly #ports: TrialPorts;
  readonly #tools = new Map<string, ReadonlyMap<string, AnyTool>>();
  readonly #permissions = new WeakMap<PolicyInForce, Permissions>();
  #asksAlways = new Set<string>();
  #looks = 0;

  constructor(ports: TrialPorts) {
    const files = lookingOnce(ports.files, () => this.#looks++);
    this.#ports = { ...ports, files: { ...files, kept: keepLooks(() => this.#looks++) } };
  }

  /** The engine of a policy, which keeps what it has found on the disk. */
  permissionsFor(policy: PolicyInForce): Permissions {
    const known = this.#permissions.get(policy);
    if (known !== undefined) return known;
    const { place, sandbox, directories } = policy;
    const { placeOf, files } = this.#ports;
    const made = createPermissions({
      files,
      mode: policy.mode,
      allowDangerouslySkipPermissions: true,
      hasJudge: true,
      rules: rulesIn(policy),
      additionalDirectories: directories.map(([path]) => path),
      directorySources: Object.fromEntries(directories),
      locks: policy.locks,
      readableDirectories: () => place.readable,
      protectedFolders: () => place.protected,
      memoryImportsAnywhere: place.memoryImportsAnywhere,
      home: place.home,
      searchPath: place.searchPath,
      ignoreCase: place.ignoreCase === true,
      asksAlways: (tool) => this.#asksAlways.has(tool),
      ...(sandbox !== null && { sandbox: { ...sandbox, placeOf: (call) => placeOf(call, sandbox) } }),
    });
    this.#permissions.set(policy, made);
    return made;
  }

  /** undefined: the call has no verdict, as its tool is not known or does not take its input. */
  async judge(call: RecordedCall, policy: PolicyInForce): Promise<Judged | undefined> {
    const tool = this.#toolOf(call, policy);
    const parsed = tool && (await parseInput(tool, call.input));
    if (tool === undefined || parsed?.ok !== true) return undefined;
    const { hook, ruled, tool: facts } = call.permission ?? {};
    this.#asksAlways = new Set(facts?.asksAlways === true ? [tool.name] : []);
    const permissions = this.permissionsFor(policy);
    const looks = this.#looks;
    const notes: CallNotes = { hookContext: [] };
    let first: GateVerdict | undefined;
    const decided = (verdict: GateVerdict) => {
      first ??= verdict;
      return verdict;
    };
    const { additionalDirectories, own, root, home } = policy.place;
    const ports: GatePorts = {
      permissions: {
        decide: (question) => {
          const verdict = permissions.decide({
            ...question,
            ...(policy.agentMode !== null && { mode: policy.agentMode }),
            ...(own !== undefined && { ownDirectories: own }),
            // Where no question is asked, one that was answered had its answer before.
            ...(policy.mode === 'dontAsk' && ruled?.verdict === 'ask' && { isAnswered: true }),
          });
          return verdict instanceof Promise ? verdict.then(decided) : decided(verdict);
        },
      },
      recordPolicy: () => ({ policy: '' }),
      ask: judgedFirst(answering(call), call, permissions),
      hooks: {
        has: (event) => event === 'PreToolUse' && hook !== undefined,
        run: async (): Promise<HookVerdict> => ({
          ...(hook !== undefined && { permission: hook }),
          additionalContext: [],
          blockingErrors: [],
        }),
      },
      recordIntent: () => undefined,
    };
    const context = {
      toolUseId: call.toolUseId,
      effectKey: '',
      cwd: call.cwd,
      root,
      home,
      additionalDirectories,
      ...(call.agentId !== undefined && { agentId: call.agentId }),
      signal: NEVER_ABORTED,
    } as unknown as ToolContext;
    await permit({
      tool,
      raw: call.input,
      input: parsed.input,
      context,
      notes,
      ports,
      clock: systemClock,
      isAnswered: false,
      delivered: async () => {},
    });
    return toJudged(notes, first, this.#looks > looks);
  }

  #toolOf({ tool: name, permission, input }: RecordedCall, { place }: PolicyInForce): AnyTool | undefined {
    const path = place.searchPath ?? '';
    let built = this.#tools.get(path);
    if (built === undefined) {
      const options = place.searchPath === undefined ? {} : { bash: { path: place.searchPath } };
      built = new Map(builtinTools(options).map((tool) => [tool.name, tool]));
      this.#tools.set(path, built);
    }
    const own = built.get(name);
    if (own !== undefined && permission?.tool === undefined) return own;
    const facts = permission?.tool ?? impliedFacts(name, input);
    return facts && standIn(name, facts);
  }
}

/** The verdict that a record tells, in the terms of a trial. */
export function recordedVerdict(permission: RecordedPermission): TriedVerdict {
  const { verdict, source, rule, ruleSource, ruled } = permission;
  if (source === 'classifier') return { verdict: 'allow', source };
  const own = {
    source,
    ...(rule !== undefined && { rule }),
    ...(ruleSource !== undefined && { ruleSource }),
  };
  if (!wasAsked(permission))
    return { verdict: verdict === 'allow' ? 'allow' : verdict === 'deny' ? 'deny' : 'ask', ...own };
  return ruled?.verdict === 'ask'
    ? ruled
    : { verdict: 'ask', source: ruled === undefined ? 'other' : 'hook' };
}

function toJudged(
  notes: CallNotes,
  first: GateVerdict | undefined,
  lookedAtFiles: boolean,
): Judged | undefined {
  const { permission } = notes;
  if (permission === undefined) return undefined;
  const tried = recordedVerdict(permission);
  const isRule = first?.kind === 'allow' && first.reasonType === 'rule';
  return {
    ...tried,
    allowedBy: isRule ? (first.reason ?? '').split(BETWEEN_RULES) : [],
    suggestions: first?.kind === 'ask' ? (first.suggestions ?? []) : [],
    lookedAtFiles,
    last: permission.verdict === 'allow' ? 'allow' : permission.verdict === 'deny' ? 'deny' : 'ask',
  };
}

/** Between two rules of a reason; a rule ends with its name or a parenthesis. */
const BETWEEN_RULES = /(?<=[\w)*]), (?=[A-Za-z*][\w*.-]*(?:\(|,|$))/;

/** The recorded answer, where there is one; else the question stays open. */
function answering({ permission, answer, answeredInput }: RecordedCall): AskPort {
  return async () => {
    if (answer === 'approved')
      return {
        behavior: 'allow',
        ...(answeredInput !== undefined && { updatedInput: answeredInput }),
        ...(permission?.source === 'hook' && { answeredBy: 'hook' }),
      };
    if (answer === 'refused' || answer === 'nobody') return { behavior: 'deny', message: '' };
    return { behavior: 'pending', askId: '' };
  };
}

/**
 * A recorded word of the judge counts as its answer, within the bounds of the policy that is tried; without
 * one a call is asked about.
 */
function judgedFirst(ask: AskPort, { permission }: RecordedCall, permissions: Permissions): AskPort {
  const { judge } = permission ?? {};
  if (judge?.verdict !== 'allow') return ask;
  return async (asked, signal) => {
    const bound = await permissions.judgeBound(asked, hostsOf(asked));
    return bound?.kind === 'open'
      ? { behavior: 'allow', answeredBy: 'classifier', judge }
      : ask(asked, signal);
  };
}

/** The person, or a setting, had named the host of a page when its call was judged. */
const hostsOf = ({ input }: AskedQuestion): readonly string[] => hostsIn(JSON.stringify(input));

/** In the place of a tool of a host, a server or a part of the engine. */
function standIn(name: string, { aliases, readOnly, needsPerson, policy, target }: JudgedTool): AnyTool {
  return {
    name,
    inputJsonSchema: {},
    description: () => '',
    parse: (input) => ({ ok: true, input }),
    isReadOnly: () => readOnly === true,
    ...(aliases !== undefined && { aliases }),
    ...(needsPerson === true && { requiresUserInteraction: true }),
    ...(policy !== undefined && { policy: { behavior: policy, reason: '' } }),
    ...(target !== undefined && { permissionTarget: () => target as PermissionTarget }),
    run: () => Promise.reject(new Error('No tool runs in a trial.')),
  };
}

/** Of earlier records and other programs. undefined: what the tool is cannot be known. */
function impliedFacts(name: string, input: Readonly<Record<string, unknown>>): JudgedTool | undefined {
  if (name.startsWith('mcp__')) return {};
  const { family, asks } = toolFacts(name);
  const url = input['url'];
  if (family === 'url' && typeof url === 'string') return { readOnly: true, target: { kind: 'url', url } };
  if (asks !== undefined) return { needsPerson: true };
  return undefined;
}

type OrderedRules = [
  PermissionRuleSource,
  { readonly [B in 'allow' | 'ask' | 'deny']?: readonly string[] },
][];

/** In their order: which of several is named depends on it. */
function rulesIn(policy: PolicyInForce): OrderedRules {
  return (['deny', 'ask', 'allow'] as const).flatMap((behavior) =>
    policy[behavior].map(([source, ...rules]): OrderedRules[number] => [source, { [behavior]: rules }]),
  );
}

const NEVER_ABORTED = new AbortController().signal;

/** Looks that a trial remembers; beyond them it looks again. */
const MOST_LOOKS = 200_000;

/** Counts what is looked at, and looks at each path once: a trial takes the disk as of one moment. */
function lookingOnce(files: DiskReader, onLook: () => void): DiskReader {
  const once = <T>(look: (...given: never[]) => Promise<T>) => {
    const known = new Map<string, Promise<T>>();
    return (...given: readonly unknown[]): Promise<T> => {
      onLook();
      const key = given.length === 1 ? String(given[0]) : JSON.stringify(given);
      const found = known.get(key) ?? look(...(given as never[]));
      if (known.size < MOST_LOOKS) known.set(key, found);
      return found;
    };
  };
  const names = ['readDir', 'readKinds', 'readLink', 'readRange'] as const;
  const others = names.flatMap((name) => {
    const look = files[name]?.bind(files) as ((...given: never[]) => Promise<unknown>) | undefined;
    return look === undefined ? [] : [[name, once(look)]];
  });
  // Where nothing is, nothing lies below: calls of a session name many files that are gone.
  const lstat: DiskReader['lstat'] = once(async (path: string) =>
    (await isGone(path)) ? undefined : files.lstat(path),
  );
  const isGone = async (path: string): Promise<boolean> => {
    const above = dirname(path);
    return above !== path && (await lstat(above).catch(() => null)) === undefined;
  };
  const realpath = once(async (path: string) => {
    if ((await lstat(path)) === undefined) throw GONE;
    return files.realpath(path);
  });
  return { ...(Object.fromEntries(others) as Partial<DiskReader>), lstat, realpath };
}

function keepLooks(onLook: () => void): KeptLooks {
  const known = new Map<string, Promise<unknown>>();
  return <T>(key: string, look: () => Promise<T>) => {
    onLook();
    const found = (known.get(key) as Promise<T> | undefined) ?? look();
    if (known.size < MOST_LOOKS) known.set(key, found);
    return found;
  };
}

/** One for all: an error of its own would hold the stack of each look. */
const GONE = Object.assign(new Error('ENOENT: no such file or directory'), { code: 'ENOENT' });
