import { dirname } from 'node:path';
import type { PermissionRuleValue, PermissionUpdate } from '../protocol/permission.ts';
import { plainWords } from '../shell/plain-command.ts';
import type { ResolvedPath } from './real-path.ts';
import type { Subject } from './subject.ts';
import { urlSpecifier } from './url-rule.ts';

/** What a host may offer as "always allow": never broader than what was asked about calls for. */
export function suggestionsFor(
  subject: Subject,
  outside: readonly ResolvedPath[],
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
      // A compound command gets no rule: one that names it would never match, a prefix would be too broad.
      return plainWords(target.command) === undefined
        ? []
        : [addRule({ toolName: subject.tool, ruleContent: target.command.trim() })];
    case 'url': {
      const domain = urlSpecifier(target.url);
      return domain === undefined ? [] : [addRule({ toolName: subject.tool, ruleContent: domain })];
    }
    case 'none':
      return subject.needsPerson ? [] : [addRule({ toolName: subject.tool })];
  }
}

function addRule(rule: PermissionRuleValue): PermissionUpdate {
  return { type: 'addRules', rules: [rule], behavior: 'allow', destination: 'session' };
}

function foldersOf(subject: Subject, outside: readonly ResolvedPath[]): string[] {
  // A search names a folder, everything else a file.
  const folders = outside.map((path) =>
    /^(Glob|Grep|LS)$/.test(subject.tool) ? path.spelled : dirname(path.spelled),
  );
  return [...new Set(folders)];
}
