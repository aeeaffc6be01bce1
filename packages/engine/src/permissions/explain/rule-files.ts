import { formatRule } from '../../protocol/tools/permission.ts';
import type { PermissionScope, RuleInFile } from '../../protocol/tools/permission-explanation.ts';
import type { PermissionRule } from '../rules/permission-rule.ts';

/** Where rules stand, and where they can be kept. */
export interface RuleFiles {
  /** The settings file that holds a rule; undefined: none does. */
  fileOf(rule: PermissionRule): Promise<string | undefined>;
  scopes(): Promise<readonly PermissionScope[]>;
}

export async function inFile(rule: PermissionRule, files: RuleFiles): Promise<RuleInFile> {
  const file = await files.fileOf(rule);
  return {
    rule: formatRule(rule.value),
    behavior: rule.behavior,
    source: rule.source,
    ...(file !== undefined && { file }),
  };
}

export function inFiles(rules: readonly PermissionRule[], files: RuleFiles): Promise<readonly RuleInFile[]> {
  return Promise.all(rules.map((rule) => inFile(rule, files)));
}
