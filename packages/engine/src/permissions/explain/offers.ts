/** What "always" would change, one change each, with calls that show how far a rule reaches. */

import { dirname, join } from 'node:path';
import { errorText } from '@turnwright/base/text/error-text.ts';
import type { PermissionUpdate } from '../../protocol/tools/permission.ts';
import { formatRule } from '../../protocol/tools/permission.ts';
import type { PermissionOffer, RuleCheck } from '../../protocol/tools/permission-explanation.ts';
import { whyFarReaching } from '../../shell/programs/far-reaching.ts';
import { readCommandLine } from '../../shell/reading/command-line.ts';
import { plainWords } from '../../shell/reading/plain-command.ts';
import { everySegment, type Segment } from '../../shell/reading/segment.ts';
import { coverCommand, coverSegment } from '../commands/allowed-command.ts';
import { commandCase } from '../commands/judge-command.ts';
import type { Case } from '../decide/evaluation.ts';
import { readSpecifier } from '../rules/command-pattern.ts';
import { matchRule } from '../rules/match-rule.ts';
import { allowsPath } from '../rules/path-rule.ts';
import { namesTool, type PermissionRule, parseRule } from '../rules/permission-rule.ts';
import { readPattern, startOfPattern } from '../rules/read-pattern.ts';
import { matchesUrl } from '../rules/url-rule.ts';
import { formatSegment } from './explained-segments.ts';

type Reach = Pick<PermissionOffer, 'matches' | 'misses' | 'caution'>;

/** Any other word, folder or host, in the calls that show the limits of a rule. */
const OTHER = 'other';

export async function listOffers(
  suggestions: readonly PermissionUpdate[],
  each: Case,
): Promise<readonly PermissionOffer[]> {
  const offers = suggestions.flatMap(single).map(async (update): Promise<PermissionOffer> => {
    const value = 'rules' in update ? update.rules[0] : undefined;
    if (value === undefined) return { update };
    const rule: PermissionRule = { behavior: 'allow', source: 'session', value };
    return { update, rule: formatRule(value), ...(await measureReach(rule, each)) };
  });
  return Promise.all(offers);
}

function single(update: PermissionUpdate): readonly PermissionUpdate[] {
  if ('rules' in update) return update.rules.map((rule) => ({ ...update, rules: [rule] }));
  if ('directories' in update)
    return update.directories.map((directory) => ({ ...update, directories: [directory] }));
  return [update];
}

/** What a person has typed as a rule. */
export async function checkRule(text: string, each: Case): Promise<RuleCheck> {
  try {
    const rule: PermissionRule = { behavior: 'allow', source: 'session', value: parseRule(text) };
    const reach = await measureReach(rule, each);
    return { ok: true, rule: formatRule(rule.value), applies: await appliesTo(rule, each), ...reach };
  } catch (error) {
    return { ok: false, problem: errorText(error) };
  }
}

async function appliesTo(rule: PermissionRule, each: Case): Promise<boolean> {
  if (each.subject.target.kind !== 'command')
    return (await matchRule(rule, each.subject, each.context)) === 'yes';
  return (await coveredBy(rule, each)) !== undefined;
}

/** The first command of the line that the rule allows. */
async function coveredBy(rule: PermissionRule, each: Case): Promise<Segment | undefined> {
  const lines = commandCase(each, [rule], false);
  for (const segment of everySegment((await each.subject.line()).segments))
    if ((await coverSegment(segment, lines))?.includes(rule) === true) return segment;
  return undefined;
}

async function measureReach(rule: PermissionRule, each: Case): Promise<Reach> {
  const { toolName, ruleContent: specifier } = rule.value;
  const { target, names } = each.subject;
  if (specifier === undefined) {
    const every = {
      command: 'allows every command',
      write: 'allows every file',
      url: 'allows every address',
    };
    const what = Object.entries(every).find(([kind]) => kind === target.kind)?.[1];
    return what !== undefined && namesTool(toolName, names) ? { caution: `${toolName} ${what}` } : {};
  }
  if (/^(?:Read|Edit|Write|NotebookEdit|Grep|Glob)$/.test(toolName)) return reachOfPath(specifier, each);
  if (!namesTool(toolName, names)) return {};
  switch (target.kind) {
    case 'command':
      return reachOfCommand(rule, specifier, each);
    case 'url':
      return {
        ...(matchesUrl(specifier, target.url, true) && { matches: target.url }),
        ...found('misses', [otherHost(target.url)], (url) => !matchesUrl(specifier, url, true)),
      };
    case 'name':
      return {
        ...(target.name === specifier && { matches: target.name }),
        ...(target.name === specifier && { misses: `${target.name}-${OTHER}` }),
      };
    default:
      return {};
  }
}

async function reachOfCommand(rule: PermissionRule, specifier: string, each: Case): Promise<Reach> {
  const { text, prefix } = readSpecifier(specifier);
  const words = plainWords(text);
  if (words === undefined) return {};
  const own = await coveredBy(rule, each);
  const ownText = own === undefined ? [] : [formatSegment(own)];
  const matching = prefix ? [...ownText.filter((each) => each !== text), `${text} ${OTHER}`, text] : [text];
  const sibling = [...words.slice(0, -1), OTHER].map(quoted).join(' ');
  const missing = [
    ...(prefix ? (words.length > 1 ? [sibling] : []) : [`${text} ${OTHER}`]),
    `${text} > ${OTHER}`,
  ];
  const caution = await cautionFor(text, each);
  return {
    ...(await foundLine('matches', matching, async (line) => await allows(rule, line, each))),
    ...(await foundLine('misses', missing, async (line) => !(await allows(rule, line, each)))),
    ...(caution !== undefined && { caution }),
  };
}

const quoted = (word: string) => (/^[\w./:,@%+=-]+$/.test(word) ? word : `'${word}'`);

/** Whether the rule alone allows a line, as a call of the same tool from the same place. */
async function allows(rule: PermissionRule, command: string, each: Case): Promise<boolean> {
  const { rules, uncovered } = await coverCommand(
    commandCase(await withCommand(command, each), [rule], false),
  );
  return uncovered.length === 0 && rules.includes(rule);
}

async function cautionFor(command: string, each: Case): Promise<string | undefined> {
  const { segments } = await (await withCommand(command, each)).subject.line();
  return everySegment(segments)
    .map(whyFarReaching)
    .find((why) => why !== undefined);
}

async function withCommand(command: string, each: Case): Promise<Case> {
  const { subject } = each;
  if (subject.target.kind !== 'command') return each;
  const line = readCommandLine(command, subject.target.language);
  return { ...each, subject: { ...subject, target: { ...subject.target, command }, line: () => line } };
}

async function reachOfPath(specifier: string, { subject, context }: Case): Promise<Reach> {
  const allowed = async (path: string) => allowsPath(specifier, await context.resolve(path), context);
  const pattern = readPattern(specifier, context);
  if (pattern === undefined) return {};
  const head = startOfPattern(pattern);
  const touched = (await subject.paths()).map(({ real, spelled }) => real ?? spelled);
  return {
    ...(await foundLine('matches', [...touched, join(head, OTHER), head], allowed)),
    ...(await foundLine('misses', [join(dirname(head), OTHER)], async (path) => !(await allowed(path)))),
  };
}

function otherHost(url: string): string {
  return URL.canParse(url) ? `${new URL(url).protocol}//${OTHER}.${new URL(url).host}/` : url;
}

function found<K extends 'matches' | 'misses'>(
  key: K,
  candidates: readonly string[],
  holds: (candidate: string) => boolean,
): { readonly [key in K]?: string } {
  const candidate = candidates.find(holds);
  return (candidate === undefined ? {} : { [key]: candidate }) as { readonly [key in K]?: string };
}

async function foundLine<K extends 'matches' | 'misses'>(
  key: K,
  candidates: readonly string[],
  holds: (candidate: string) => Promise<boolean>,
): Promise<{ readonly [key in K]?: string }> {
  for (const candidate of candidates) if (await holds(candidate)) return found(key, [candidate], () => true);
  return {};
}
