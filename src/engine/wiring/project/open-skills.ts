/** Where a session's skills come from, by its settings. Reads nothing yet. */
import type { ResolvedConfig } from '../../../settings/resolve/resolved-config.ts';
import { createSkillCatalogue } from '../../../skills/catalogue.ts';
import { SKILL_TOOL } from '../../../skills/skill-tool.ts';
import { systemClock } from '../../../util/clock.ts';
import type { LookedAtFiles } from '../../../util/files/confined-files.ts';
import type { SettingsInput } from '../settings.ts';
import type { SkillSetup } from './skills.ts';

export function openSkills(
  {
    files,
    stderr,
    toolNames,
    skills: only,
  }: Pick<SettingsInput, 'stderr' | 'toolNames' | 'skills'> & { readonly files: LookedAtFiles },
  { configHome, removedTools, skills }: Pick<ResolvedConfig, 'configHome' | 'removedTools' | 'skills'>,
): SkillSetup {
  const { project, user, overrides, ...listing } = skills;
  const isNamed = toolNames === undefined || toolNames.includes(SKILL_TOOL) || only !== undefined;
  const catalogue = createSkillCatalogue({
    files,
    nowMs: systemClock.nowMs,
    only,
    overrides,
    warn: stderr,
    ...(user && { userHome: configHome }),
    ...(project !== undefined && {
      projectRoot: project.root,
      trusts: project.trusts,
      projectFirst: project.trusted,
    }),
  });
  return {
    catalogue,
    listing,
    offersTool: isNamed && !removedTools.includes(SKILL_TOOL),
  };
}
