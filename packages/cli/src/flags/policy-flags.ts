/** The words of `turnwright policy try`. */
import { type Command, Option } from 'commander';
import { UsageError } from '../usage-error.ts';
import { appended, positiveInteger } from './flag-values.ts';

/** What a run of CI can fail on. */
const FAILURES = ['newly-allowed', 'newly-asked', 'newly-denied'] as const;
export type TrialFailure = (typeof FAILURES)[number];

const MODES = ['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions', 'auto'] as const;
const PLACES = ['on', 'off', 'auto-allow'] as const;

interface PolicyFlags {
  readonly allow?: readonly string[];
  readonly ask?: readonly string[];
  readonly deny?: readonly string[];
  readonly without?: readonly string[];
  readonly permissionMode?: (typeof MODES)[number];
  readonly sandbox?: (typeof PLACES)[number];
  readonly instead?: true;
  readonly allProjects?: true;
  readonly limit?: number;
  readonly json?: true;
  readonly failOn?: readonly TrialFailure[];
}

export interface PolicyInvocation {
  readonly command: 'policy';
  /** A settings file, or its text. */
  readonly settings: string | undefined;
  readonly sessions: readonly string[];
  readonly flags: PolicyFlags;
}

export function addPolicyCommand(command: Command, onCall: (invocation: PolicyInvocation) => void): void {
  const isMode = new Option('--mode <mode>', 'the permission mode').choices(MODES);
  isMode.attributeName = () => 'permissionMode';
  command
    .argument('<action>', 'try')
    .argument(
      '[words...]',
      'a settings file or rules to allow, then ids of sessions; default those of this folder',
    )
    .option('--allow <rule>', 'a rule that allows; may be repeated', appended)
    .option('--ask <rule>', 'a rule that asks; may be repeated', appended)
    .option('--deny <rule>', 'a rule that denies; may be repeated', appended)
    .option('--without <rule>', 'leave out a rule of the record; may be repeated', appended)
    .addOption(isMode)
    .addOption(new Option('--sandbox <how>', 'where commands run').choices(PLACES))
    .option('--instead', 'in the place of the recorded rules, mode and folders, not added to them')
    .option('--all-projects', 'sessions of every folder')
    .addOption(new Option('--limit <n>', 'the newest n sessions; default 100').argParser(positiveInteger))
    .addOption(
      new Option('--fail-on <what>', 'exit code 1 if there is such a call; may be repeated')
        .choices(FAILURES)
        .argParser((word, previous: readonly string[] | undefined) => {
          if (FAILURES.some((known) => known === word)) return appended(word, previous);
          throw new UsageError(`--fail-on takes ${FAILURES.join(', ')}, not "${word}".`);
        }),
    )
    .option('--json', 'as JSON')
    .action((action: string, words: readonly string[], flags: PolicyFlags) =>
      onCall(readWords(action, words, flags)),
    );
}

/** A rule as people write it, with something in parentheses. */
const RULE = /^[A-Za-z*][\w*.-]*\(.*\)$/s;
const SETTINGS = /^\s*\{|\.jsonc?$|[/\\]/;

function readWords(action: string, words: readonly string[], flags: PolicyFlags): PolicyInvocation {
  if (action !== 'try')
    throw new UsageError(`The one thing to do with a policy is to try it: turnwright policy try.`);
  const rules = words.filter((word) => RULE.test(word));
  const [settings, ...more] = words.filter((word) => !RULE.test(word) && SETTINGS.test(word));
  if (more.length > 0)
    throw new UsageError(`Give one settings file: ${[settings, ...more].join(' and ')} are several.`);
  const { allow = [], ask = [], deny = [], without = [], permissionMode, sandbox, instead } = flags;
  const isChange =
    settings !== undefined ||
    instead === true ||
    permissionMode !== undefined ||
    sandbox !== undefined ||
    [rules, allow, ask, deny, without].some((given) => given.length > 0);
  if (!isChange)
    throw new UsageError(
      "Say what to try: a settings file, rules as 'Bash(npm test:*)', or --allow, --ask, --deny, --without, --mode, --sandbox.",
    );
  return {
    command: 'policy',
    settings,
    sessions: words.filter((word) => !RULE.test(word) && !SETTINGS.test(word)),
    flags: { ...flags, allow: [...rules, ...allow] },
  };
}
