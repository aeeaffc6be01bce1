/** A command line that the allow rules are asked about, with what bears on the answer. */
import type { Protection } from '../decide/protected-path.ts';
import type { DiskReader, ResolvedPath } from '../decide/resolved-path.ts';
import type { Subject } from '../decide/subject.ts';
import type { PathRuleContext } from '../rules/path-rule.ts';
import type { PermissionRule } from '../rules/permission-rule.ts';

export interface CommandCase {
  readonly subject: Subject;
  readonly context: PathRuleContext & { readonly protection: Protection };
  /** The allow rules in force. */
  readonly allow: readonly PermissionRule[];
  readonly files: DiskReader;
  /** Where the shell looks for programs. */
  readonly searchPath: string | undefined;
  /** Writes inside the working directories need no rule. */
  readonly acceptsEdits: boolean;
  /** Absolute: what counts as inside. */
  readonly roots: readonly string[];
  /** A rule that denies or asks names files, or folders. */
  readonly hasPathRules: boolean;
  /** The paths that do not lie where they may be read or written without a rule. */
  outside(kind: 'read' | 'write', paths: readonly ResolvedPath[]): Promise<readonly ResolvedPath[]>;
}
