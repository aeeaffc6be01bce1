/** Where a session's skills come from, by its settings. Reads nothing yet. */

import { systemClock } from '@turnwright/base/clock.ts';
import type { LookedAtFiles } from '@turnwright/base/files/confined-files.ts';
import type { UnreadFields } from '@turnwright/base/text/unread-fields.ts';
import type { Resolution } from '../../settings/resolve/resolution.ts';
import { createSkillCatalogue } from '../../skills/catalogue.ts';
import { SKILL_TOOL } from '../../skills/skill-tool.ts';
import type { SkillSetup } from '../project/session-skills.ts';

interface SkillInput {
  readonly files: LookedAtFiles;
  /** Tools that were named; undefined: none were. */
  readonly toolNames: readonly string[] | undefined;
  /** Which skills there are; undefined: all, where the Skill tool is among the tools. */
  readonly skills?: 'all' | readonly string[] | undefined;
  readonly warn: (line: string) => void;
  readonly unread?: Pick<UnreadFields, 'note'> | undefined;
}

export function openSkills(
  { files, toolNames, skills: only, warn, unread }: SkillInput,
  {
    config,
    removedTools,
    skills,
  }: Pick<Resolution, 'removedTools' | 'skills'> & {
    readonly config: Pick<Resolution['config'], 'home'>;
  },
): SkillSetup {
  const { project, user, overrides, ...listing } = skills;
  const isNamed = toolNames === undefined || toolNames.includes(SKILL_TOOL) || only !== undefined;
  const catalogue = createSkillCatalogue({
    files,
    nowMs: systemClock.nowMs,
    only,
    overrides,
    warn,
    unread,
    ...(user && { userHome: config.home }),
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
