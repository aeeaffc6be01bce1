/** What a question about a call shows and what its answers mean, wherever on a terminal it is asked. */
import type {
  CanUseToolContext,
  PermissionResult,
  PermissionRuleValue,
  PermissionUpdate,
} from '@turnwright/engine';
import { visible } from '@turnwright/terminal/text/visible.ts';
import { modeName } from './mode-name.ts';

/** What the model reads when a person says no; `words`: why, empty if they do not say. */
export function denial(words: string): PermissionResult & { readonly behavior: 'deny' } {
  const why = words === '' ? '' : ` They say: ${words}`;
  return { behavior: 'deny', message: `The user does not allow this call.${why}` };
}

/**
 * A plan is approved, and each change is asked about. `before`: the mode before plan mode; accepted edits do
 * not come back, because the mode may only have been passed on the way to plan mode.
 */
export function approvePlan(before: string | undefined): PermissionResult {
  if (before !== 'acceptEdits') return { behavior: 'allow' };
  const manual: PermissionUpdate = { type: 'setMode', mode: 'default', destination: 'session' };
  return { behavior: 'allow', updatedPermissions: [manual] };
}

/** Redirects to a descriptor, and to where nothing is kept. */
const OPENS_NOTHING = /\d*>&\d+|(?:\d*|&)>>?\s*\/dev\/null\b/g;

/**
 * What "always" adds: the engine's suggestions; undefined, so that it is not offered, when there are none.
 * Where rules for the command itself suffice, suggested folders and modes are omitted.
 */
export function alwaysUpdates(
  { command }: Readonly<Record<string, unknown>>,
  { suggestions = [] }: Pick<CanUseToolContext, 'suggestions'>,
): readonly PermissionUpdate[] | undefined {
  if (suggestions.length === 0) return undefined;
  const rules = suggestions.filter(isKeptRule);
  const isRedirected = typeof command === 'string' && command.replace(OPENS_NOTHING, '').includes('>');
  return rules.length > 0 && !isRedirected ? rules : suggestions;
}

function isKeptRule({ type, destination }: PermissionUpdate): boolean {
  return type === 'addRules' && destination === 'localSettings';
}

export function describeUpdates(updates: readonly PermissionUpdate[]): string {
  return updates.map(describeUpdate).join('; ');
}

/** `Tool(specifier)`, as in settings. */
export const writeRule = ({ toolName, ruleContent }: PermissionRuleValue): string =>
  ruleContent === undefined ? toolName : `${toolName}(${ruleContent})`;

function describeUpdate(update: PermissionUpdate): string {
  switch (update.type) {
    case 'setMode':
      return `the mode ${modeName(update.mode)} for this session`;
    case 'addDirectories':
    case 'removeDirectories':
      return `the working directory ${update.directories.map(visible).join(', ')} for this session`;
    case 'addRules':
    case 'replaceRules':
    case 'removeRules':
      return update.rules
        .map((rule) => visible(writeRule(rule)))
        .join(', ')
        .concat(
          update.destination === 'localSettings' ? ', kept in the local settings' : ' for this session',
        );
  }
}

/**
 * A command as it would run; any other input field by field, indented, so that a value cannot imitate a
 * field.
 */
export function describeCall(input: Readonly<Record<string, unknown>>): string {
  return Object.entries(input)
    .map(([key, value]) => {
      const text = visible(typeof value === 'string' ? value : JSON.stringify(value));
      if (key === 'command') return text;
      return `${visible(key)}:${text.includes('\n') ? `\n${indent(text)}` : ` ${text}`}`;
    })
    .join('\n');
}

/** The plan for reading, and what else would be agreed to. */
export function planOf({ plan, ...rest }: Readonly<Record<string, unknown>>): string {
  const more = describeCall(rest);
  return [visible(String(plan ?? '')), more].filter((part) => part !== '').join('\n\n');
}

function indent(text: string): string {
  return text.replace(/^/gm, '  ');
}
