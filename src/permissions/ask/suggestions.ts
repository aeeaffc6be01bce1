/** What a host may offer as "always allow": never broader than what was asked about calls for. */
import { dirname } from 'node:path';
import type {
  PermissionMode,
  PermissionRuleValue,
  PermissionUpdate,
} from '../../protocol/tools/permission.ts';
import { pathsRead } from '../../shell/reading/plain-reader.ts';
import { literalWords, type Segment } from '../../shell/reading/segment.ts';
import type { ResolvedPath } from '../decide/real-path.ts';
import type { Subject } from '../decide/subject.ts';
import { ruleTextFor } from '../rules/command-rule-text.ts';
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
      return readRules(outside.map((path) => (isSearch ? placeOf(path) : dirname(placeOf(path)))));
    }
    case 'write':
      return [...acceptingEdits(mode), ...addingFoldersOf(outside)];
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

interface UncoveredCommand {
  /** What no rule covers of a command that is seen whole. */
  readonly segments: readonly Segment[];
  /** Files that it reads outside the working directories. */
  readonly readsOutside: readonly ResolvedPath[];
  /** What mode acceptEdits would let it write, once the folder is a working directory. */
  readonly writes: readonly ResolvedPath[];
}

/** One rule for each command, or nothing at all: with some of them the line would still be asked about. */
export function suggestionsForCommand(
  toolName: string,
  mode: PermissionMode,
  { segments, readsOutside, writes }: UncoveredCommand,
): readonly PermissionUpdate[] {
  const needRule = segments.filter((segment) => !onlyRedirects(segment));
  const texts = needRule.map(ruleTextFor);
  if (segments.length === 0 || texts.includes(undefined)) return [];
  const rules = [...new Set(texts.flatMap((text) => text ?? []))].map((ruleContent) => ({
    toolName,
    ruleContent,
  }));
  return [
    ...(rules.length === 0 ? [] : kept(rules)),
    ...readRules(readsOutside.map((path) => dirname(placeOf(path)))),
    ...(writes.length === 0 ? [] : [...addingFoldersOf(writes), ...acceptingEdits(mode)]),
  ];
}

/** It would only read, were it not for the file that it is redirected to. */
function onlyRedirects(segment: Segment): boolean {
  const words = literalWords(segment);
  return segment.redirects.length > 0 && words !== undefined && pathsRead(words) !== undefined;
}

function addingFoldersOf(paths: readonly ResolvedPath[]): readonly PermissionUpdate[] {
  const directories = [...new Set(paths.map(({ spelled }) => dirname(spelled)))];
  return directories.length === 0 ? [] : [{ type: 'addDirectories', directories, destination: 'session' }];
}

function acceptingEdits(mode: PermissionMode): readonly PermissionUpdate[] {
  return mode === 'acceptEdits' ? [] : [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }];
}

/** A folder whose name would be read as a pattern, or that is the whole disk, gets no rule. */
function readRules(folders: readonly string[]): readonly PermissionUpdate[] {
  const rules = [...new Set(folders)].map((folder) => ({ toolName: 'Read', ruleContent: `/${folder}/**` }));
  if (rules.length === 0 || folders.some((folder) => !/^\/[^*?\\()]+$/.test(folder))) return [];
  return [{ type: 'addRules', rules, behavior: 'allow', destination: 'session' }];
}

function placeOf({ real, spelled }: ResolvedPath): string {
  return real ?? spelled;
}

/** Rules that outlast the session, in the folder's local settings. */
function kept(rules: readonly PermissionRuleValue[]): readonly PermissionUpdate[] {
  return [{ type: 'addRules', rules, behavior: 'allow', destination: 'localSettings' }];
}
