import { errorText } from '@turnwright/base/text/error-text.ts';
import { isoTime } from '@turnwright/base/text/figures-and-times.ts';
import type { UserMessage } from '../protocol/model/messages.ts';
import type { EffortLevel } from '../protocol/model/wire.ts';
import type { Ids } from '../protocol/ports.ts';
import type { InvokedBy } from '../protocol/tools/hook.ts';
import type { ParseResult, Tool, ToolContext, ToolOutput, ToolProgress } from '../protocol/tools/tool.ts';
import type { SkillCatalogue } from './catalogue.ts';
import { type LoadContext, loadSkill } from './load-skill.ts';
import type { Skill } from './skill.ts';

export const SKILL_TOOL = 'Skill';

interface SkillToolInput {
  readonly skill: string;
  readonly args?: string;
}

export interface SkillToolPorts {
  readonly catalogue: Pick<SkillCatalogue, 'find' | 'skills'>;
  readonly load: Omit<LoadContext, 'shell'>;
  /** Runs a command of a skill's text in the conversation that loads it; see `LoadContext`. */
  shell(signal: AbortSignal, invokedBy: InvokedBy): LoadContext['shell'];
  readonly ids: Ids;
  /** Grants these permission rules until the end of the submission. */
  allow(rules: readonly string[]): Promise<void>;
  /**
   * Switches model and effort for the rest of the submission. Throws with a sentence if the model is not
   * available.
   */
  adopt(choice: SkillChoice): void;
  /** Runs a skill in an agent; undefined: none can be started. Throws with a sentence for an unknown one. */
  fork(
    skill: { readonly name: string; readonly agent?: string | undefined } & SkillChoice,
    prompt: string,
    context: ToolContext,
  ): AsyncGenerator<ToolProgress, ToolOutput> | undefined;
}

interface SkillChoice {
  readonly model?: string | undefined;
  readonly effort?: EffortLevel | undefined;
}

const schema = {
  type: 'object',
  properties: {
    skill: { type: 'string', minLength: 1, description: 'The name, as it is listed: "pdf" or "plugin:pdf".' },
    args: { type: 'string', description: 'What the skill is to work on, if it takes arguments.' },
  },
  required: ['skill'],
  additionalProperties: false,
};

/** Skills are announced in the conversation, not here: the tool's own bytes never change (L3). */
export function createSkillTool({
  catalogue,
  load,
  ids,
  allow,
  ...ports
}: SkillToolPorts): Tool<SkillToolInput, unknown> {
  return {
    name: SKILL_TOOL,
    inputJsonSchema: schema,
    description: () =>
      `Loads a skill: instructions for one kind of work, which then stand in the conversation.

- The skills there are have been listed for you. Load the one that fits before you begin the work, and then follow it.
- A skill that stands in the conversation already, between <skill> tags, is loaded: follow it, do not load it again.
- Files that a skill speaks of lie in its base directory; look at them when the skill says so.`,
    parse: parseInput,
    isConcurrencySafe: () => true,
    isReadOnly: () => true,
    effectClass({ skill: given }) {
      const skill = catalogue.find(plainName(given));
      return skill?.fork !== undefined || skill?.runsCommands === true ? 'unsafe' : 'pure';
    },
    permissionTarget({ skill }) {
      const { name = plainName(skill), otherName } = catalogue.find(plainName(skill)) ?? {};
      return { kind: 'name', name, ...(otherName !== undefined && { otherName }) };
    },
    async *run({ skill: given, args = '' }, context): AsyncGenerator<ToolProgress, ToolOutput> {
      const skill = catalogue.find(plainName(given));
      if (skill === undefined || !skill.modelInvocable) return refusal(given, skill, catalogue.skills);
      const { name, model, effort } = skill;
      const commandName = plainName(given);
      let text: string;
      let allowedTools: readonly string[];
      let agent: ReturnType<SkillToolPorts['fork']>;
      try {
        const shell = ports.shell(context.signal, 'claude');
        ({ text, allowedTools } = await loadSkill(skill, args, { ...load, shell }));
        if (skill.fork !== undefined)
          agent = ports.fork({ name, agent: skill.fork.agent, model, effort }, text, context);
        if (agent === undefined && (model !== undefined || effort !== undefined))
          ports.adopt({ model, effort });
      } catch (error) {
        const content = errorText(error);
        return { data: { success: false, commandName }, content, isError: true };
      }
      if (allowedTools.length > 0) await allow(allowedTools);
      if (agent !== undefined) return yield* agent;
      const message: UserMessage = Object.freeze({
        type: 'user' as const,
        kind: 'skill' as const,
        isSynthetic: true,
        uuid: ids.uuid(),
        timestamp: isoTime(context.nowMs()),
        message: { role: 'user' as const, content: [{ type: 'text' as const, text }] },
      });
      return {
        data: { success: true, commandName, ...(allowedTools.length > 0 && { allowedTools }) },
        content: `The skill "${name}" is loaded: it follows. Do as it says.`,
        extraMessages: [message],
      };
    },
  };
}

function parseInput(input: Readonly<Record<string, unknown>>): ParseResult<SkillToolInput> {
  const { skill, args } = input;
  const issues = [
    ...(typeof skill === 'string' && skill.trim() !== '' ? [] : ['`skill` must be the name of a skill.']),
    ...(args === undefined || typeof args === 'string' ? [] : ['`args` must be a text.']),
  ];
  if (issues.length > 0) return { ok: false, issues };
  return { ok: true, input: { skill: String(skill), ...(typeof args === 'string' && { args }) } };
}

/** Models often include the slash. */
function plainName(given: string): string {
  return given.trim().replace(/^\//, '');
}

function refusal(given: string, skill: Skill | undefined, all: readonly Skill[]) {
  const names = all.filter(({ modelInvocable }) => modelInvocable).map(({ name }) => name);
  const there = names.length === 0 ? 'There is none.' : `There are: ${names.join(', ')}.`;
  const content =
    skill === undefined
      ? `There is no skill "${given}". ${there}`
      : `The skill "${skill.name}" is for the user alone, who calls it as /${skill.name}. ${there}`;
  return { data: { success: false, commandName: given }, content, isError: true };
}
