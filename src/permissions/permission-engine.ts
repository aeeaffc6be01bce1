import type { PermissionPort, PermissionQuestion } from '../protocol/gate.ts';
import type {
  GateVerdict,
  PermissionBehavior,
  PermissionDestination,
  PermissionMode,
  PermissionUpdate,
} from '../protocol/permission.ts';
import { checkMode, checkUpdate } from './check-update.ts';
import { decideCall } from './decide-call.ts';
import type { PathReader } from './real-path.ts';
import { formatRule } from './rule.ts';
import { createRuleSet, type RuleTexts } from './rule-set.ts';

export interface PermissionOptions {
  /** Default `default`. `bypassPermissions` needs `allowDangerouslySkipPermissions`. */
  readonly mode?: PermissionMode | undefined;
  readonly allowDangerouslySkipPermissions?: boolean | undefined;
  /** Rules of this run (`allowedTools`, `disallowedTools`): `Tool` or `Tool(specifier)`. */
  readonly allow?: readonly string[] | undefined;
  readonly deny?: readonly string[] | undefined;
  readonly ask?: readonly string[] | undefined;
  /** Rules of the settings files, by source. */
  readonly rules?: { readonly [S in PermissionDestination]?: RuleTexts | undefined } | undefined;
  /** Absolute paths that tools may use besides the question's own directories. */
  readonly additionalDirectories?: readonly string[] | undefined;
  /** Absolute paths that may be read and not written: where the session spills results the model is told to read. */
  readonly readableDirectories?: readonly string[] | undefined;
  /** What `~/` means in a rule; absent: such a rule allows nothing and denies everything it could mean. */
  readonly home?: string | undefined;
  /** Whether deny and protected paths fold case. Default: on macOS and Windows. */
  readonly ignoreCase?: boolean | undefined;
  readonly files: PathReader;
}

export interface Permissions extends PermissionPort {
  /** The rules in force, as people write them. */
  rules(): readonly {
    readonly source: PermissionDestination;
    readonly behavior: PermissionBehavior;
    readonly rule: string;
  }[];
  /** Directories added by options and updates; the question's own come on top. */
  directories(): readonly string[];
}

/**
 * Rules and modes (L5). Deny beats everything, bypass included; then ask rules, the mode, allow rules, and what
 * holds without any rule. Updates hold for this object's lifetime. Throws `invalid_option` for a rule that cannot
 * be read and for bypass mode without its switch; a failed update changes nothing.
 */
export function createPermissions(options: PermissionOptions): Permissions {
  const maySkip = options.allowDangerouslySkipPermissions === true;
  const rules = createRuleSet([...Object.entries(options.rules ?? {}), ['cliArg', options]]);
  const directories = new Set(options.additionalDirectories ?? []);
  let mode: PermissionMode = checkMode(options.mode ?? 'default', maySkip);

  return {
    decide: (question: PermissionQuestion): Promise<GateVerdict> =>
      decideCall(question, {
        mode,
        rules,
        directories: [...directories],
        readableDirectories: options.readableDirectories ?? [],
        home: options.home,
        ignoreCase: options.ignoreCase ?? (process.platform === 'darwin' || process.platform === 'win32'),
        files: options.files,
      }),
    get mode() {
      return mode;
    },
    setMode(next) {
      mode = checkMode(next, maySkip);
    },
    apply(updates: readonly PermissionUpdate[]) {
      for (const update of updates) checkUpdate(update, maySkip);
      for (const update of updates) {
        switch (update.type) {
          case 'addRules':
          case 'replaceRules':
          case 'removeRules':
            rules.update(update);
            break;
          case 'setMode':
            mode = update.mode;
            break;
          case 'addDirectories':
            for (const directory of update.directories) directories.add(directory);
            break;
          case 'removeDirectories':
            for (const directory of update.directories) directories.delete(directory);
            break;
        }
      }
    },
    rules: () =>
      rules.all().map(({ source, behavior, value }) => ({ source, behavior, rule: formatRule(value) })),
    directories: () => [...directories],
  };
}
