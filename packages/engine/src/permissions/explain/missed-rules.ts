/** Allow rules that come close to a call, and what keeps them from matching. */
import type { MissedRule } from '../../protocol/tools/permission-explanation.ts';
import { beyondName } from '../../shell/programs/beyond-name.ts';
import { loadsElsewhere } from '../../shell/programs/loaded-code.ts';
import { plainWords } from '../../shell/reading/plain-command.ts';
import {
  baseName,
  everySegment,
  literalWords,
  programOf,
  type Segment,
  type ShellWord,
} from '../../shell/reading/segment.ts';
import { coverSegment } from '../commands/allowed-command.ts';
import { commandCase } from '../commands/judge-command.ts';
import type { Case } from '../decide/evaluation.ts';
import { readSpecifier } from '../rules/command-pattern.ts';
import { allowsPath } from '../rules/path-rule.ts';
import { allowsFamily, namesTool, type PermissionRule } from '../rules/permission-rule.ts';
import { readPattern } from '../rules/read-pattern.ts';
import { inFile, type RuleFiles } from './rule-files.ts';

/** A rule, how close it comes, and the difference as a clause. */
interface Miss {
  readonly rule: PermissionRule;
  /** Words, or names of a path, that agree. */
  readonly agrees: number;
  readonly difference: string;
}

const NOT_IN_FORCE = 'it is not in force: managed settings let no other rule allow';

/** At most one for each command of a line, and at most one for any other call. */
export async function missedRules(each: Case, files: RuleFiles): Promise<readonly MissedRule[]> {
  const { subject, state } = each;
  const allow = state.rules.all().filter(({ behavior }) => behavior === 'allow');
  const about = allow.filter(({ value }) => isAboutCall(value.toolName, each));
  if (subject.target.kind !== 'command') {
    const closest = best(await Promise.all(about.map((rule) => findMiss(rule, each))));
    return closest === undefined ? [] : [await told(closest, files)];
  }
  const lines = commandCase(each, state.rules.of('allow'), state.mode === 'acceptEdits');
  const missed: MissedRule[] = [];
  for (const [at, segment] of everySegment((await subject.line()).segments).entries()) {
    if ((await coverSegment(segment, lines)) !== undefined) continue;
    const closest = best(about.map((rule) => missOfCommand(rule, segment, state.rules.isInForce(rule))));
    if (closest !== undefined) missed.push({ ...(await told(closest, files)), segment: at });
  }
  return missed;
}

async function told({ rule, difference }: Miss, files: RuleFiles): Promise<MissedRule> {
  return { ...(await inFile(rule, files)), difference };
}

function best(misses: readonly (Miss | undefined)[]): Miss | undefined {
  return misses
    .flatMap((miss) => miss ?? [])
    .reduce<Miss | undefined>((most, miss) => (most && most.agrees >= miss.agrees ? most : miss), undefined);
}

function isAboutCall(ruleTool: string, { subject }: Case): boolean {
  const { names, target, tool } = subject;
  if (namesTool(ruleTool, names)) return true;
  if (tool.startsWith('mcp__')) return sameServer(ruleTool, tool);
  return (target.kind === 'read' || target.kind === 'write') && allowsFamily(ruleTool, target.kind);
}

const sameServer = (ruleTool: string, tool: string) =>
  ruleTool.startsWith('mcp__') && ruleTool.split('__')[1] === tool.split('__')[1];

function missOfCommand(rule: PermissionRule, segment: Segment, inForce: boolean): Miss | undefined {
  const { ruleContent = '' } = rule.value;
  const { text, prefix } = readSpecifier(ruleContent);
  const wanted = plainWords(text);
  const [program = ''] = wanted ?? [];
  if (wanted === undefined || baseName(program) !== programOf(segment)) return undefined;
  const words = segment.words.map(({ value }) => value);
  const differs = wanted.findIndex((word, at) => words[at] !== word);
  const agrees = differs < 0 ? wanted.length : differs;
  if (!inForce) return { rule, agrees, difference: NOT_IN_FORCE };
  const difference =
    differs < 0 ? explainLimit(wanted, prefix, segment) : differenceAt(differs, wanted, segment);
  return { rule, agrees, difference };
}

/** The first word of the rule that the command does not have. */
function differenceAt(at: number, wanted: readonly string[], { words }: Segment): string {
  const word = words[at];
  if (at === 0)
    return `the program differs: the rule has ${quote(wanted[0])}, the command ${quote(word?.text)}`;
  if (word === undefined) return `the rule has a further argument, ${quote(wanted[at])}`;
  if (word.value === undefined) return knownToShell(at, word);
  return `argument ${at} differs: the rule has ${quote(wanted[at])}, the command ${quote(word.value)}`;
}

const knownToShell = (at: number, word: ShellWord | undefined) =>
  `argument ${at} of the command, ${quote(word?.text)}, is known to the shell alone`;

/** Why a rule does not reach a command that has all its words. */
function explainLimit(wanted: readonly string[], prefix: boolean, segment: Segment): string {
  const words = literalWords(segment);
  if (words === undefined) {
    const open = segment.words.findIndex(({ value }) => value === undefined);
    return knownToShell(open, segment.words[open]);
  }
  if (segment.assigns !== undefined)
    return `${quote(segment.assigns)} sets a variable in front of the program`;
  if (!prefix && words.length > wanted.length)
    return `the command has a further argument, ${quote(words[wanted.length])}, and the rule ends before it`;
  const beyond = beyondName(words).find((at) => at >= wanted.length);
  if (beyond !== undefined)
    return `${quote(words[beyond])} writes a file or runs a program, so the rule would have to name it`;
  const elsewhere = loadsElsewhere(words, wanted.length).find((at) => at >= wanted.length);
  if (elsewhere !== undefined)
    return `${quote(words[elsewhere])} takes code from elsewhere, so the rule would have to name it`;
  const [redirect] = segment.redirects;
  if (redirect !== undefined)
    return `it does not cover the redirect ${redirect.direction === 'write' ? 'to' : 'from'} ${quote(redirect.path)}`;
  if (programOf(segment) === 'git') return 'it covers the repository of the working directory only';
  return 'it covers the program, not what the program starts or writes here';
}

async function findMiss(rule: PermissionRule, each: Case): Promise<Miss | undefined> {
  const { ruleContent: specifier, toolName } = rule.value;
  const { subject, state, context } = each;
  const { target, tool } = subject;
  if (!state.rules.isInForce(rule)) return { rule, agrees: 0, difference: NOT_IN_FORCE };
  if (tool.startsWith('mcp__') && !namesTool(toolName, subject.names))
    return { rule, agrees: 0, difference: `it names another tool of the server, not ${tool}` };
  if (specifier === undefined) return undefined;
  if (target.kind === 'read' || target.kind === 'write') {
    const pattern = readPattern(specifier, context);
    for (const path of await subject.paths()) {
      if (await allowsPath(specifier, path, context)) continue;
      const at = path.real ?? path.spelled;
      if (pattern === undefined) return undefined;
      return { rule, agrees: agreeing(pattern, at), difference: `it does not cover ${at}` };
    }
    return undefined;
  }
  if (target.kind === 'url')
    return { rule, agrees: 0, difference: `its domain is not that of ${target.url}` };
  if (target.kind === 'name') return { rule, agrees: 0, difference: `it does not name ${target.name}` };
  return { rule, agrees: 0, difference: `calls of ${tool} have no specifier` };
}

/** How many names of a path that it does not cover the pattern shares from its root on. */
function agreeing(
  pattern: { readonly root: string; readonly segments: readonly string[] },
  path: string,
): number {
  const names = [...pattern.root.split('/'), ...pattern.segments].filter((name) => name !== '');
  const own = path.split('/').filter((name) => name !== '');
  return names.findIndex((name, at) => own[at] !== name);
}

const quote = (word: string | undefined) => (word === undefined ? 'a file' : JSON.stringify(word));
