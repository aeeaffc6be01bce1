/** What a host may offer as "always allow": never broader than what was asked about calls for. */
import { dirname } from 'node:path';
import { leaderOfFamily } from '../../protocol/tools/builtin-tools.ts';
import type {
  PermissionMode,
  PermissionRuleValue,
  PermissionUpdate,
} from '../../protocol/tools/permission.ts';
import type { ResolvedPath } from '../decide/resolved-path.ts';
import type { Subject } from '../decide/subject.ts';
import { urlSpecifier } from '../rules/url-rule.ts';

export function suggestionsFor(
  subject: Subject,
  mode: PermissionMode,
  outside: readonly ResolvedPath[],
): readonly PermissionUpdate[] {
  const { target, tool } = subject;
  switch (target.kind) {
    case 'read': {
      // A search names a folder, everything else a file.
      const isSearch = /^(?:Glob|Grep|LS)$/.test(tool);
      return readRules(
        outside.map((path) => (isSearch ? preferRealPath(path) : dirname(preferRealPath(path)))),
      );
    }
    case 'write':
      return [...acceptingEdits(mode), ...suggestFolders(outside)];
    case 'command':
      return [];
    case 'url': {
      const domain = urlSpecifier(target.url);
      return domain === undefined ? [] : kept([{ toolName: tool, ruleContent: domain }]);
    }
    case 'name':
      return kept([{ toolName: tool, ruleContent: target.name }]);
    case 'none':
      return kept([{ toolName: tool }]);
  }
}

export function suggestFolders(paths: readonly ResolvedPath[]): readonly PermissionUpdate[] {
  const directories = [...new Set(paths.map(({ spelled }) => dirname(spelled)))];
  return directories.length === 0 ? [] : [{ type: 'addDirectories', directories, destination: 'session' }];
}

export function acceptingEdits(mode: PermissionMode): readonly PermissionUpdate[] {
  return mode === 'acceptEdits' ? [] : [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }];
}

/** A folder whose name would be read as a pattern, or that is the whole disk, gets no rule. */
export function readRules(folders: readonly string[]): readonly PermissionUpdate[] {
  const rules = [...new Set(folders)].map((folder) => ({
    toolName: leaderOfFamily('read'),
    ruleContent: `/${folder}/**`,
  }));
  if (rules.length === 0 || folders.some((folder) => !/^\/[^*?\\()]+$/.test(folder))) return [];
  return [{ type: 'addRules', rules, behavior: 'allow', destination: 'session' }];
}

export function preferRealPath({ real, spelled }: ResolvedPath): string {
  return real ?? spelled;
}

/** Rules that outlast the session, in the folder's local settings. */
export function kept(rules: readonly PermissionRuleValue[]): readonly PermissionUpdate[] {
  return [{ type: 'addRules', rules, behavior: 'allow', destination: 'localSettings' }];
}
