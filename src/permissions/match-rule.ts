import type { PermissionTarget } from '../protocol/tool.ts';
import { forbidsCommandPath } from './command-paths.ts';
import { allowsCommand, forbidsCommand } from './command-rule.ts';
import { allowsPath, forbidsPath, type PathRuleContext } from './path-rule.ts';
import { namesTool, type PermissionRule } from './rule.ts';
import type { Subject } from './subject.ts';
import { matchesUrl } from './url-rule.ts';

/**
 * Whether a rule speaks of this call. A rule that allows matches only what is certain (every path; a
 * command of which everything is seen); one that denies or asks matches whatever might be meant (any path, any piece of a command, a specifier
 * this target knows nothing of).
 */
export function matchesRule(
  rule: PermissionRule,
  subject: Subject,
  context: PathRuleContext,
): boolean | Promise<boolean> {
  const { toolName, ruleContent: specifier } = rule.value;
  const { target } = subject;
  if (looksAtFiles(target)) return matchesFiles(rule, target, subject, context);
  if (!namesTool(toolName, subject.names)) return false;
  if (specifier === undefined) return true;
  const certain = rule.behavior === 'allow';
  switch (target.kind) {
    case 'url':
      return matchesUrl(specifier, target.url, certain);
    case 'name':
      return matchesName(specifier, target.name);
    case 'none':
      return !certain;
  }
}

type FileTarget = Extract<PermissionTarget, { kind: 'command' | 'read' | 'write' }>;

/** Whose paths have to be looked up before anything can be said of it. */
export function looksAtFiles(target: PermissionTarget): target is FileTarget {
  return target.kind === 'command' || target.kind === 'read' || target.kind === 'write';
}

async function matchesFiles(
  rule: PermissionRule,
  target: FileTarget,
  subject: Subject,
  context: PathRuleContext,
): Promise<boolean> {
  const { toolName, ruleContent: specifier } = rule.value;
  if (await forbidsCommandPath(rule, subject, context)) return true;
  if (!namesTool(toolName, subject.names) && !speaksForFamily(rule, subject)) return false;
  if (specifier === undefined) return true;
  const certain = rule.behavior === 'allow';
  switch (target.kind) {
    case 'command':
      return certain
        ? allowsCommand(specifier, await subject.line())
        : forbidsCommand(specifier, target.command, await subject.line());
    case 'read':
    case 'write': {
      const paths = await subject.paths();
      if (paths.length === 0) return !certain;
      const matched = await Promise.all(
        paths.map((path) =>
          certain ? allowsPath(specifier, path, context) : forbidsPath(specifier, path, context),
        ),
      );
      return certain ? matched.every(Boolean) : matched.some(Boolean);
    }
  }
}

/** The name itself, or everything that begins with what stands before `:*`. */
function matchesName(specifier: string, name: string): boolean {
  const wanted = specifier.trim();
  return wanted.endsWith(':*') ? name.startsWith(wanted.slice(0, -2)) : name === wanted;
}

/** `Read(path)` speaks of every built-in tool that reads files, `Edit(path)` of every one that writes them. */
function speaksForFamily(rule: PermissionRule, { target, tool }: Subject): boolean {
  if (rule.value.ruleContent === undefined || tool.startsWith('mcp__')) return false;
  return (
    (rule.value.toolName === 'Read' && target.kind === 'read') ||
    (rule.value.toolName === 'Edit' && target.kind === 'write')
  );
}
