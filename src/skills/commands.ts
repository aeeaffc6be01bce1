/** Skills as slash commands: `/name what it is to work on`. */
import type { Command, CommandSource } from '../protocol/command.ts';
import type { SkillCatalogue } from './catalogue.ts';
import { type LoadContext, loadSkill } from './load-skill.ts';
import type { Skill } from './skill.ts';

export function skillCommands(
  catalogue: SkillCatalogue,
  load: Omit<LoadContext, 'sessionId'>,
): CommandSource {
  let from: readonly Skill[] | undefined;
  let commands: readonly Command[] = [];
  return {
    name: 'skills',
    load: () => catalogue.settled(),
    get commands() {
      if (from === catalogue.skills) return commands;
      from = catalogue.skills;
      commands = from.filter(({ userInvocable }) => userInvocable).map((skill) => commandOf(skill, load));
      return commands;
    },
  };
}

function commandOf(skill: Skill, load: Omit<LoadContext, 'sessionId'>): Command {
  return {
    name: skill.name,
    description: skill.description,
    ...(skill.argumentHint !== undefined && { argumentHint: skill.argumentHint }),
    origin: 'skill',
    async run(args, { sessionId }) {
      return {
        messages: [await loadSkill(skill, args, { ...load, sessionId })],
        shouldQuery: true,
        allowedTools: skill.allowedTools,
        ...(skill.model !== undefined && { model: skill.model }),
      };
    },
  };
}
