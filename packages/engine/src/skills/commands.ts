/** Skills as slash commands: `/name arguments`. */
import type { Command, CommandSource } from '../protocol/tools/command.ts';
import type { SkillCatalogue } from './catalogue.ts';
import { type LoadContext, loadSkill } from './load-skill.ts';
import type { Skill } from './skill.ts';

export function skillCommands(catalogue: SkillCatalogue, load: Pick<LoadContext, 'files'>): CommandSource {
  return new SkillCommands(catalogue, load);
}

class SkillCommands implements CommandSource {
  readonly name = 'skills';
  readonly #catalogue: SkillCatalogue;
  readonly #load: Pick<LoadContext, 'files'>;
  #from: readonly Skill[] | undefined;
  #commands: readonly Command[] = [];

  constructor(catalogue: SkillCatalogue, load: Pick<LoadContext, 'files'>) {
    this.#catalogue = catalogue;
    this.#load = load;
  }

  load(): Promise<void> {
    return this.#catalogue.settled();
  }

  get commands(): readonly Command[] {
    if (this.#from === this.#catalogue.skills) return this.#commands;
    this.#from = this.#catalogue.skills;
    const taken = new Set(this.#from.map(({ name }) => name));
    this.#commands = this.#from
      .filter(({ userInvocable }) => userInvocable)
      .map((skill) => {
        const { otherName } = skill;
        const isFree = otherName !== undefined && !taken.has(otherName);
        if (isFree) taken.add(otherName);
        return toCommand(skill, isFree ? otherName : undefined, this.#load);
      });
    return this.#commands;
  }
}

function toCommand(skill: Skill, otherName: string | undefined, load: Pick<LoadContext, 'files'>): Command {
  return {
    name: skill.name,
    ...(otherName !== undefined && { aliases: [otherName], shownAs: otherName }),
    description: skill.description,
    ...(skill.argumentHint !== undefined && { argumentHint: skill.argumentHint }),
    origin: 'skill',
    isTrusted: skill.trusted,
    async run(args, { sessionId, shell }) {
      // The model starts its agent and continues with the report.
      if (skill.fork !== undefined && skill.modelInvocable)
        return { messages: [startIt(skill.name, args.trim())], shouldQuery: true };
      const { text, allowedTools } = await loadSkill(skill, args, { ...load, sessionId, shell });
      return {
        messages: [text],
        shouldQuery: true,
        allowedTools,
        ...(skill.model !== undefined && { model: skill.model }),
        ...(skill.effort !== undefined && { effort: skill.effort }),
      };
    },
  };
}

const startIt = (name: string, args: string) =>
  `Call the Skill tool with the skill "${name}"${args === '' ? '' : ` and these args: ${JSON.stringify(args)}`}. Then tell me what came of it.`;
