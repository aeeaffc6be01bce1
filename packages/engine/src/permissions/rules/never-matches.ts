/** Rules that can be read and never match: a mistake in one of these is seen nowhere else. */
import { toolFacts, toolsOfFamily } from '../../protocol/tools/builtin-tools.ts';
import type {
  PermissionBehavior,
  PermissionRuleSource,
  PermissionRuleValue,
} from '../../protocol/tools/permission.ts';
import { readCommandPattern } from './command-pattern.ts';
import { namesTool, parseRule, speaksOfReading, speaksOfWriting } from './permission-rule.ts';
import type { RuleTexts } from './rule-set.ts';

interface RulePlace {
  /** The session's folder. */
  readonly root: string;
  readonly home: string | undefined;
  /** Of these names, those that no built-in tool has. */
  readonly unknownTools: (names: readonly string[]) => readonly string[];
}

/** Why a rule can never match, as a clause; undefined: it may. */
export function whyNeverMatches(
  text: string,
  behavior: PermissionBehavior,
  place: RulePlace,
): string | undefined {
  const value = readRule(text);
  if (value === undefined) return undefined;
  const { toolName, ruleContent: specifier } = value;
  const isPath = speaksOfReading(toolName) || speaksOfWriting(toolName);
  const isKnown = isPath || toolName.includes('*') || /^mcp__/.test(toolName);
  if (!isKnown && place.unknownTools([toolName]).length > 0) return whyUnknown(toolName, place);
  if (specifier === undefined) return undefined;
  if (isPath) return whyNoPath(specifier, place);
  if (namesTool(toolName, toolsOfFamily('command')) && behavior === 'allow') return whyNoCommand(specifier);
  if (toolFacts(toolName).family === 'url' && behavior === 'allow' && !/^domain:/i.test(specifier))
    return 'an address is written as domain:example.com';
  return undefined;
}

/** undefined: that it cannot be read is an error elsewhere. */
function readRule(text: string): PermissionRuleValue | undefined {
  try {
    return parseRule(text);
  } catch {
    return undefined;
  }
}

function whyUnknown(toolName: string, { unknownTools }: RulePlace): string {
  const capital = toolName.charAt(0).toUpperCase() + toolName.slice(1);
  const isMeant =
    capital !== toolName &&
    (speaksOfReading(capital) || speaksOfWriting(capital) || unknownTools([capital]).length === 0);
  return isMeant ? `the tool is called ${capital}` : `there is no tool ${toolName}`;
}

function whyNoPath(specifier: string, { root, home }: RulePlace): string | undefined {
  if (specifier.startsWith('!'))
    return 'a rule takes nothing back from another one; a name that begins with ! is written \\!';
  if (/\$\{?\w|%\w+%/.test(specifier))
    return 'variables have no meaning in it; the home folder is written ~/';
  if (/\{[^{}]*,[^{}]*\}/.test(specifier)) return 'braces have no meaning in it; write one rule for each';
  if (/^~[^/]/.test(specifier) && specifier.includes('/'))
    return "another user's home folder has no meaning in it; write the path with two slashes in front";
  if (
    [root, home].some(
      (folder) => folder !== undefined && folder !== '/' && `${specifier}/`.startsWith(`${folder}/`),
    )
  )
    return 'one slash begins at the folder of the project; a path from the root of the disk begins with two';
  return undefined;
}

function whyNoCommand(specifier: string): string | undefined {
  if (specifier.endsWith(':*') && specifier.slice(0, -2).includes('*'))
    return 'with a star before :* it names no command; write a blank in place of the colon';
  return readCommandPattern(specifier) === undefined && /^[^'"]*['"][^'"]*$/.test(specifier)
    ? 'a quote in it is not closed'
    : undefined;
}

/** One line for all rules that can never match; undefined: there are none. */
export function neverMatching(
  rules: { readonly [S in PermissionRuleSource]?: RuleTexts | undefined },
  place: RulePlace,
): string | undefined {
  const found = Object.values(rules).flatMap((texts) =>
    (['deny', 'ask', 'allow'] as const).flatMap((behavior) =>
      (texts?.[behavior] ?? []).flatMap((text) => {
        const why = whyNeverMatches(text, behavior, place);
        return why === undefined ? [] : [`${behavior} ${text.slice(0, 120)} (${why})`];
      }),
    ),
  );
  return found.length === 0
    ? undefined
    : `Permission rules that can never match: ${[...new Set(found)].join('; ')}.`;
}
