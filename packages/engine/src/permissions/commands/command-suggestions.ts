/** What a host may offer as "always allow" for a command. */
import { dirname } from 'node:path';
import type { PermissionMode, PermissionUpdate } from '../../protocol/tools/permission.ts';
import { pathsRead } from '../../shell/reading/plain-reader.ts';
import { literalWords, type Segment } from '../../shell/reading/segment.ts';
import { acceptingEdits, kept, preferRealPath, readRules, suggestFolders } from '../ask/suggestions.ts';
import type { ResolvedPath } from '../decide/resolved-path.ts';
import { ruleTextFor } from './command-rule-text.ts';

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
    ...readRules(readsOutside.map((path) => dirname(preferRealPath(path)))),
    ...(writes.length === 0 ? [] : [...suggestFolders(writes), ...acceptingEdits(mode)]),
  ];
}

/** It would only read, were it not for the file that it is redirected to. */
function onlyRedirects(segment: Segment): boolean {
  const words = literalWords(segment);
  return segment.redirects.length > 0 && words !== undefined && pathsRead(words) !== undefined;
}
