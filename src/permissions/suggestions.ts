import { dirname } from 'node:path';
import type { PermissionRuleValue, PermissionUpdate } from '../protocol/permission.ts';
import { plainWords } from '../shell/plain-command.ts';
import { literalWords, type Segment } from '../shell/segment.ts';
import type { ResolvedPath } from './real-path.ts';
import type { Subject } from './subject.ts';
import { urlSpecifier } from './url-rule.ts';

/** What a host may offer as "always allow": never broader than what was asked about calls for. */
export function suggestionsFor(
  subject: Subject,
  outside: readonly ResolvedPath[],
  /** What no rule covers of a command that is seen whole. */
  uncovered: readonly Segment[],
): readonly PermissionUpdate[] {
  const { target } = subject;
  switch (target.kind) {
    case 'read':
    case 'write': {
      const updates: PermissionUpdate[] = [];
      if (outside.length > 0)
        updates.push({
          type: 'addDirectories',
          directories: foldersOf(subject, outside),
          destination: 'session',
        });
      if (target.kind === 'write')
        updates.push({ type: 'setMode', mode: 'acceptEdits', destination: 'session' });
      return updates;
    }
    case 'command':
      return addRules(subject.tool, uncovered.map(exactly));
    case 'url': {
      const domain = urlSpecifier(target.url);
      return domain === undefined ? [] : [addRule({ toolName: subject.tool, ruleContent: domain })];
    }
    case 'name':
      return [addRule({ toolName: subject.tool, ruleContent: target.name })];
    case 'none':
      return subject.needsPerson ? [] : [addRule({ toolName: subject.tool })];
  }
}

function addRule(rule: PermissionRuleValue): PermissionUpdate {
  return { type: 'addRules', rules: [rule], behavior: 'allow', destination: 'session' };
}

/** One rule for each command, or none at all: with some of them the line would still be asked about. */
function addRules(toolName: string, texts: readonly (string | undefined)[]): readonly PermissionUpdate[] {
  const known = [...new Set(texts.flatMap((text) => text ?? []))];
  if (known.length === 0 || texts.includes(undefined)) return [];
  const rules = known.map((ruleContent) => ({ toolName, ruleContent }));
  return [{ type: 'addRules', rules, behavior: 'allow', destination: 'session' }];
}

/** The specifier that matches this command alone. */
function exactly(segment: Segment): string | undefined {
  const words = literalWords(segment);
  if (words === undefined || segment.assigns || segment.redirects.length > 0) return undefined;
  const text = words.map((word) => (/^[\w./:,@%+=-]+$/.test(word) ? word : `'${word}'`)).join(' ');
  const read = plainWords(text);
  return read?.length === words.length && read.every((word, i) => word === words[i]) ? text : undefined;
}

function foldersOf(subject: Subject, outside: readonly ResolvedPath[]): string[] {
  // A search names a folder, everything else a file.
  const folders = outside.map((path) =>
    /^(Glob|Grep|LS)$/.test(subject.tool) ? path.spelled : dirname(path.spelled),
  );
  return [...new Set(folders)];
}
