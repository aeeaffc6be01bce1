import { join } from 'node:path';
import { PROTECTED_AT_HOME } from '@turnwright/base/files/protected-names.ts';
import type { PolicyInForce, PolicySandbox } from '../protocol/session/policy-in-force.ts';
import { toolsOfFamily } from '../protocol/tools/builtin-tools.ts';
import type {
  AskedQuestion,
  JudgedUnder,
  PermissionPort,
  PermissionQuestion,
} from '../protocol/tools/gate-ports.ts';
import type {
  GateVerdict,
  PermissionBehavior,
  PermissionLocks,
  PermissionMode,
  PermissionRuleSource,
  PermissionUpdate,
} from '../protocol/tools/permission.ts';
import { formatRule } from '../protocol/tools/permission.ts';
import type { PermissionExplanation, RuleCheck } from '../protocol/tools/permission-explanation.ts';
import { checkMode, checkUpdate, type OpenModes } from './ask/check-update.ts';
import { createCase } from './decide/case-of.ts';
import { decideCall } from './decide/decide-call.ts';
import { deniedReads } from './decide/denied-reads.ts';
import { describeJudgedTool, describePolicy } from './decide/describe-policy.ts';
import type { PermissionState } from './decide/evaluation.ts';
import type { Protection } from './decide/protected-path.ts';
import type { DiskReader } from './decide/resolved-path.ts';
import { stricterMode } from './decide/stricter-mode.ts';
import type { RuleFiles } from './explain/rule-files.ts';
import type { JudgeBound } from './judge/judge-bound.ts';
import type { PathPatternSource } from './rules/path-rule.ts';
import { allowsFamily, namesTool, speaksOfReading, speaksOfWriting } from './rules/permission-rule.ts';
import { type Pattern, readForbidden, readPattern } from './rules/read-pattern.ts';
import { createRuleSet, type RuleSet, type RuleTexts } from './rules/rule-set.ts';
import { StandingFiles } from './rules/standing-files.ts';

export interface PermissionOptions {
  /** Default `default`. `bypassPermissions` needs `allowDangerouslySkipPermissions`. */
  readonly mode?: PermissionMode | undefined;
  readonly allowDangerouslySkipPermissions?: boolean | undefined;
  /** There is a judge: the mode may be `auto`. Default false. */
  readonly hasJudge?: boolean | undefined;
  /** Rules of this run (`allowedTools`, `disallowedTools`): `Tool` or `Tool(specifier)`. */
  readonly allow?: readonly string[] | undefined;
  readonly deny?: readonly string[] | undefined;
  readonly ask?: readonly string[] | undefined;
  /** Rules of the settings files, by source; as a list, a source may come more than once. */
  readonly rules?:
    | { readonly [S in PermissionRuleSource]?: RuleTexts | undefined }
    | readonly (readonly [PermissionRuleSource, RuleTexts])[]
    | undefined;
  /** Absolute paths that tools may use besides the question's own directories. */
  readonly additionalDirectories?: readonly string[] | undefined;
  /** Where each of them is from; default `cliArg`. */
  readonly directorySources?: Readonly<Record<string, PermissionRuleSource>> | undefined;
  /** What holds whatever rules and mode say; see `PermissionLocks`. */
  readonly locks?: PermissionLocks | undefined;
  /**
   * Absolute paths that may currently be read and not written: saved results, and skills whose path the model
   * has.
   */
  readonly readableDirectories?: (() => readonly string[]) | undefined;
  /** Folders whose files are asked about like settings, as of now, wherever they lie; default none. */
  readonly protectedFolders?: Protection['folders'] | undefined;
  /** Memory files are asked about too: they may import any file. Default false. */
  readonly memoryImportsAnywhere?: boolean | undefined;
  /** Where commands of the shell run, if they are isolated. */
  readonly sandbox?: (NonNullable<PermissionState['sandbox']> & Partial<PolicySandbox>) | undefined;
  /** Tools that no mode allows without a rule or a person. */
  readonly asksAlways?: ((tool: string) => boolean) | undefined;
  /** What `~/` means in a rule; absent: such a rule allows nothing and denies everything it could mean. */
  readonly home?: string | undefined;
  /** Where the shell looks for programs (`PATH`): one that lies in a working directory is asked about. */
  readonly searchPath?: string | undefined;
  /** Whether deny and protected paths fold case. Default: on macOS and Windows. */
  readonly ignoreCase?: boolean | undefined;
  readonly files: DiskReader;
}

export interface Permissions extends PermissionPort {
  /** The rules, as people write them. */
  rules(): readonly {
    readonly source: PermissionRuleSource;
    readonly behavior: PermissionBehavior;
    readonly rule: string;
    /** false: managed settings let no other rule allow. */
    readonly inForce: boolean;
  }[];
  /** Directories added by options and updates; the question's own come on top. */
  directories(): readonly { readonly path: string; readonly source: PermissionRuleSource }[];
  /** Throws `invalid_option` for updates that could not be applied whole. */
  check(updates: readonly PermissionUpdate[]): void;
  readonly locks: PermissionLocks;
  setLocks(locks: PermissionLocks): void;
  /** What would decide about this question, as data. `version` differs whenever it may be another one. */
  policyFor(question: PermissionQuestion): Pick<JudgedUnder, 'tool'> & {
    readonly version: number;
    inForce(): PolicyInForce;
  };
  /** Puts rules and directories of a source in the place of those it had. */
  replaceSource(source: PermissionRuleSource, texts: RuleTexts, directories: readonly string[]): void;
  /**
   * Adds allow rules until the returned function is called (a command's `allowedTools`); other allow rules
   * are kept. Throws `invalid_option` for a rule that cannot be read.
   */
  lend(rules: readonly string[]): () => void;
  /**
   * Whether a Read rule denies this file; undefined if no rule denies reading by path, so that callers can
   * skip the check.
   */
  readFilter(place: { readonly cwd: string }): ((path: string) => Promise<boolean>) | undefined;
  /** Why a call is asked about, by the rules of this moment. The code for it is loaded by the first call. */
  explain(asked: AskedQuestion, files: RuleFiles): Promise<PermissionExplanation>;
  /**
   * What keeps the judge of mode `auto` from deciding about a call that is to be asked about, by the rules of
   * this moment; undefined: the mode that applies to it is another one. Its code is loaded by the first call.
   */
  judgeBound(asked: AskedQuestion, hosts: readonly string[]): Promise<JudgeBound | undefined>;
  /** What a text would do as an allow rule, seen from this question. Never rejects. */
  checkRule(rule: string, question: PermissionQuestion): Promise<RuleCheck>;
  /** The domains that rules of WebFetch name. */
  webDomains(behavior: 'allow' | 'deny'): readonly string[];
  /** The paths that rules in force speak of, as they are written. */
  pathPatterns(source: PathPatternSource, place: { readonly cwd: string }): readonly Pattern[];
}

/**
 * Rules and modes (L5), by precedence: deny rules (also in bypass mode), bypass mode, ask rules, the other
 * modes and allow rules, then what is allowed without any rule. Updates apply for this object's lifetime.
 * Throws `invalid_option` for a rule that cannot be read and for bypass mode without its switch; a failed
 * update changes nothing.
 */
export function createPermissions(options: PermissionOptions): Permissions {
  return new PermissionEngine(options);
}

class PermissionEngine implements Permissions {
  readonly #options: PermissionOptions;
  readonly #openModes: OpenModes;
  readonly #ignoreCase: boolean;
  readonly #rules: RuleSet;
  readonly #directories: Map<string, PermissionRuleSource>;
  readonly #standing = new StandingFiles();
  #version = 0;
  #readable = '';
  mode: PermissionMode;
  modeBeforePlan: PermissionMode = 'default';
  locks: PermissionLocks;

  constructor(options: PermissionOptions) {
    const { platform } = process;
    this.#options = options;
    this.#openModes = {
      bypassPermissions: options.allowDangerouslySkipPermissions === true,
      auto: options.hasJudge === true,
    };
    this.#ignoreCase = options.ignoreCase ?? (platform === 'darwin' || platform === 'win32');
    this.#rules = createRuleSet(
      [...listRules(options.rules), ['cliArg', options]],
      options.locks?.managedRulesOnly,
    );
    this.#directories = new Map(
      (options.additionalDirectories ?? []).map((path) => [
        path,
        options.directorySources?.[path] ?? 'cliArg',
      ]),
    );
    this.mode = checkMode(options.mode ?? 'default', this.#openModes);
    this.locks = options.locks ?? {};
  }

  decide(question: PermissionQuestion): GateVerdict | Promise<GateVerdict> {
    return decideCall(question, this.#stateFor(question));
  }

  async explain(asked: AskedQuestion, files: RuleFiles): Promise<PermissionExplanation> {
    const { explainCall } = await import('./explain/explain-call.ts');
    return explainCall(asked, this.#stateFor(asked), files);
  }

  async judgeBound(asked: AskedQuestion, hosts: readonly string[]): Promise<JudgeBound | undefined> {
    const state = this.#stateFor(asked);
    if (state.mode !== 'auto') return undefined;
    const { findBound } = await import('./judge/judge-bounds.ts');
    return findBound(asked, state, hosts);
  }

  async checkRule(rule: string, question: PermissionQuestion): Promise<RuleCheck> {
    const { checkRule } = await import('./explain/offers.ts');
    return checkRule(rule, createCase(question, this.#stateFor(question)));
  }

  policyFor(question: PermissionQuestion): ReturnType<Permissions['policyFor']> {
    const { asksAlways, protectedFolders, readableDirectories, sandbox } = this.#options;
    const readable = readableDirectories?.().join('\0') ?? '';
    if (readable !== this.#readable) this.#version++;
    this.#readable = readable;
    const tool = describeJudgedTool(question, asksAlways?.(question.tool.name) === true);
    return {
      version: this.#version,
      ...(tool !== undefined && { tool }),
      inForce: () =>
        describePolicy(
          {
            ...this.#stateFor(question),
            rules: this.#rules,
            sandbox: describeSandbox(sandbox),
            protectedFolders: protectedFolders?.() ?? [],
          },
          question,
          { mode: this.mode, locks: this.locks, directories: [...this.#directories] },
        ),
    };
  }

  #stateFor(question: PermissionQuestion): PermissionState {
    const { mode, locks } = this;
    const { asksAlways, files, home, memoryImportsAnywhere, protectedFolders, readableDirectories } =
      this.#options;
    const { searchPath } = this.#options;
    return {
      mode: asksAlways?.(question.tool.name)
        ? stricterMode(stricterMode(mode, question.mode), 'default')
        : stricterMode(mode, question.mode),
      rules: this.#rules,
      directories: [...this.#directories.keys()],
      readableDirectories: () => readableDirectories?.() ?? [],
      home,
      searchPath,
      ignoreCase: this.#ignoreCase,
      files,
      blockReadsOutside: locks.blockReadsOutside === true,
      blockWritesOutside: locks.blockWritesOutside === true,
      allowedToolsOnly: locks.allowedToolsOnly === true,
      protection: {
        home,
        folders: () => [...inHome(home), ...(protectedFolders?.() ?? [])],
        memoryImportsAnywhere: memoryImportsAnywhere === true,
      },
      sandbox: this.#options.sandbox,
      standing: this.#standing,
    };
  }

  setMode(next: PermissionMode): void {
    this.#enter(checkMode(next, this.#openModes));
  }

  check(updates: readonly PermissionUpdate[]): void {
    for (const update of updates) checkUpdate(update, this.#openModes);
  }

  setLocks(next: PermissionLocks): void {
    this.locks = next;
    this.#version++;
  }

  apply(updates: readonly PermissionUpdate[]): void {
    this.check(updates);
    for (const update of updates) this.#take(update);
  }

  rules(): ReturnType<Permissions['rules']> {
    return this.#rules.all().map((rule) => ({
      source: rule.source,
      behavior: rule.behavior,
      rule: formatRule(rule.value),
      inForce: this.#rules.isInForce(rule),
    }));
  }

  directories(): ReturnType<Permissions['directories']> {
    return [...this.#directories].map(([path, source]) => ({ path, source }));
  }

  replaceSource(source: PermissionRuleSource, texts: RuleTexts, added: readonly string[]): void {
    this.#version++;
    this.#rules.replaceSource(source, texts);
    for (const [path, from] of this.#directories) if (from === source) this.#directories.delete(path);
    for (const path of added) this.#directories.set(path, source);
  }

  lend(texts: readonly string[]): () => void {
    const undo = this.#rules.lend(texts);
    this.#version++;
    return () => {
      this.#version++;
      undo();
    };
  }

  readFilter({ cwd }: { readonly cwd: string }): ReturnType<Permissions['readFilter']> {
    const { files, home } = this.#options;
    const place = { cwd, root: cwd, home, ignoreCase: this.#ignoreCase, standing: this.#standing, files };
    return deniedReads(this.#rules.of('deny'), place);
  }

  pathPatterns(source: PathPatternSource, { cwd }: { readonly cwd: string }): readonly Pattern[] {
    const place = { home: this.#options.home, root: cwd };
    const speaks = source === 'denyRead' ? speaksOfReading : speaksOfWriting;
    return this.#wallsBy(source === 'allowWrite' ? 'allow' : 'deny').flatMap(({ value }) => {
      const { toolName, ruleContent: specifier } = value;
      if (specifier === undefined) return [];
      if (source === 'allowWrite')
        return allowsFamily(toolName, 'write') ? (readPattern(specifier, place) ?? []) : [];
      return speaks(toolName) ? (readForbidden(specifier, place) ?? []) : [];
    });
  }

  webDomains(behavior: 'allow' | 'deny'): readonly string[] {
    return this.#wallsBy(behavior).flatMap(({ value: { toolName, ruleContent = '' } }) => {
      const domain = /^domain:(.+)$/.exec(ruleContent)?.[1];
      return domain !== undefined && namesTool(toolName, toolsOfFamily('url')) ? [domain] : [];
    });
  }

  /** What a skill or command allows for its time opens nothing in the sandbox. */
  #wallsBy(behavior: 'allow' | 'deny') {
    return this.#rules.of(behavior).filter(({ source }) => source !== 'command');
  }

  #enter(next: PermissionMode): void {
    if (next === 'plan' && this.mode !== 'plan') this.modeBeforePlan = this.mode;
    this.mode = next;
    this.#version++;
  }

  #take(update: PermissionUpdate): void {
    this.#version++;
    switch (update.type) {
      case 'addRules':
      case 'replaceRules':
      case 'removeRules':
        this.#rules.update(update);
        return;
      case 'setMode':
        this.#enter(update.mode);
        return;
      case 'addDirectories':
        for (const directory of update.directories) this.#directories.set(directory, update.destination);
        return;
      case 'removeDirectories':
        for (const directory of update.directories) this.#directories.delete(directory);
        return;
    }
  }
}

function listRules(
  rules: PermissionOptions['rules'] = [],
): readonly (readonly [string, RuleTexts | undefined])[] {
  return Array.isArray(rules) ? rules : Object.entries(rules);
}

function inHome(home: string | undefined): ReturnType<Protection['folders']> {
  return home === undefined ? [] : PROTECTED_AT_HOME.map((path) => ({ path: join(home, path) }));
}

function describeSandbox(sandbox: PermissionOptions['sandbox']): PolicySandbox | null {
  if (sandbox === undefined) return null;
  const { autoAllow, mayLeave = false, excludedCommands = [] } = sandbox;
  return { autoAllow, mayLeave, excludedCommands };
}
