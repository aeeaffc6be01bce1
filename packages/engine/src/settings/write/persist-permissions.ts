import { isRecord } from '@turnwright/base/json-values.ts';
import type { SettingSource } from '../../options/option-values.ts';
import { TurnwrightError } from '../../protocol/errors.ts';
import type { PermissionDestination, PermissionUpdate } from '../../protocol/tools/permission.ts';
import { formatRule } from '../../protocol/tools/permission.ts';
import type { SettingsWriter } from './write-settings.ts';

const SOURCES: Partial<Record<PermissionDestination, SettingSource>> = {
  userSettings: 'user',
  projectSettings: 'project',
  localSettings: 'local',
};

/**
 * Writes those updates whose destination is a settings file. Throws `invalid_settings` for a file that cannot
 * be changed and `invalid_option` for a mode that is never kept.
 */
export async function persistPermissions(
  updates: readonly PermissionUpdate[],
  writer: Pick<SettingsWriter, 'change'>,
): Promise<void> {
  for (const update of updates) {
    const source = SOURCES[update.destination];
    if (source === undefined) continue;
    if (update.type === 'setMode' && update.mode === 'bypassPermissions') {
      throw new TurnwrightError(
        'invalid_option',
        'The permission mode bypassPermissions is not written to settings; it is asked for each time a run starts.',
      );
    }
    await writer.change(source, 'permissions', (before) => changed(update, isRecord(before) ? before : {}));
  }
}

function changed(update: PermissionUpdate, before: Record<string, unknown>): Record<string, unknown> {
  switch (update.type) {
    case 'setMode':
      return { ...before, defaultMode: update.mode };
    case 'addDirectories':
      return {
        ...before,
        additionalDirectories: joined(before['additionalDirectories'], update.directories),
      };
    case 'removeDirectories':
      return {
        ...before,
        additionalDirectories: readList(before['additionalDirectories']).filter(
          (path) => !update.directories.includes(path),
        ),
      };
    case 'addRules':
      return { ...before, [update.behavior]: joined(before[update.behavior], update.rules.map(formatRule)) };
    case 'replaceRules':
      return { ...before, [update.behavior]: joined([], update.rules.map(formatRule)) };
    case 'removeRules': {
      const gone = new Set(update.rules.map(formatRule));
      const isGone = (text: string) => gone.has(text) || gone.has(asRead(text));
      return {
        ...before,
        [update.behavior]: readList(before[update.behavior]).filter((text) => !isGone(text)),
      };
    }
  }
}

/** As rules are read: blanks around the parts mean nothing, and `Bash(*)` is the rule Bash. */
function asRead(text: string): string {
  const [, tool, content] = /^\s*([^\s(]+)\s*(?:\(\s*(.*?)\s*\))?\s*$/s.exec(text) ?? [];
  if (tool === undefined || content === undefined) return text.trim();
  return ['', '*', ':*'].includes(content) ? tool : `${tool}(${content})`;
}

const joined = (before: unknown, added: readonly string[]) => [...new Set([...readList(before), ...added])];

function readList(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}
