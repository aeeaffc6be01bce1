/** The settings file that holds a permission rule, and those to which new rules can be written. */

import type { RuleFiles } from '../../permissions/explain/rule-files.ts';
import { parseRule } from '../../permissions/rules/permission-rule.ts';
import { formatRule } from '../../protocol/tools/permission.ts';
import { RULE_SOURCES } from '../../settings/resolve/resolve-permissions.ts';
import type { SettingsAccess } from './settings-access.ts';

/** Without settings rules hold for the session only. */
export function createRuleFiles(settings: SettingsAccess | undefined): RuleFiles {
  const kept = async () =>
    Promise.all(
      (settings?.destinations() ?? []).map(async (destination) => ({
        destination,
        // Without a home there is no file.
        file: await settings?.fileOf(destination).catch(() => undefined),
      })),
    );
  return {
    async fileOf({ source, behavior, value }) {
      const text = formatRule(value);
      const layer = settings
        ?.report()
        .sources.find(
          (each) =>
            RULE_SOURCES[each.source] === source &&
            each.settings.permissions?.[behavior]?.some((rule) => formatRule(parseRule(rule)) === text) ===
              true,
        );
      // A rule that no file held at the start was written while the session runs.
      if (layer !== undefined) return layer.path;
      return (await kept()).find(({ destination }) => destination === source)?.file;
    },
    async scopes() {
      const files = (await kept()).flatMap(({ destination, file }) =>
        file === undefined ? [] : [{ destination, file }],
      );
      return [...files, { destination: 'session' }];
    },
  };
}
