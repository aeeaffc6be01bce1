/** The Agent tool: the model starts an agent by its name. */

import type { JsonObject } from '../protocol/json.ts';
import { EFFORT_LEVELS, type EffortLevel } from '../protocol/model/wire.ts';
import type { AgentDefinition } from '../protocol/tools/agent.ts';
import type { ParseResult, Tool, ToolOutput, ToolProgress } from '../protocol/tools/tool.ts';
import { GENERAL_PURPOSE } from './built-in.ts';
import { findAgent } from './catalog.ts';
import { isFork } from './fork-agent.ts';
import { type StartPorts, startAgent } from './start-agent.ts';
import type { AgentToolOutput } from './tool-output.ts';

export const AGENT_TOOL = 'Agent';
export const AGENT_TOOL_ALIAS = 'Task';

interface AgentToolInput {
  readonly description: string;
  readonly prompt: string;
  readonly subagent_type?: string;
  readonly model?: string;
  readonly effort?: EffortLevel;
  readonly run_in_background?: boolean;
  readonly name?: string;
}

interface AgentToolOptions extends StartPorts {
  /** Available agents; not empty. */
  readonly agents: readonly AgentDefinition[];
  /** Creates a validator of input for the schema. */
  parser(schema: JsonObject): (input: JsonObject) => ParseResult<AgentToolInput>;
  /** The model may request an agent in the background. */
  readonly background: boolean;
}

export function createAgentTool(options: AgentToolOptions): Tool<AgentToolInput, AgentToolOutput> {
  const { agents } = options;
  const inputJsonSchema = buildSchema(options);
  return {
    name: AGENT_TOOL,
    aliases: [AGENT_TOOL_ALIAS],
    inputJsonSchema,
    description: () => describe(options),
    parse: options.parser(inputJsonSchema),
    isConcurrencySafe: () => true,
    // Starting an agent changes nothing; every call it makes passes the gate.
    isReadOnly: () => true,
    effectClass: () => 'unsafe',
    permissionTarget: () => ({ kind: 'none' }),
    maxResultChars: 100_000,
    async validateInput({ subagent_type: type = GENERAL_PURPOSE }, { agentId }) {
      const found = findAgent(type, agents);
      if (found !== undefined && isFork(found) && agentId !== undefined)
        return { ok: false, message: 'Only the main conversation can be forked. Start another agent.' };
      if (found !== undefined) return { ok: true };
      const names = agents.map(({ name }) => name).join(', ');
      return { ok: false, message: `There is no agent "${type}". These can be started: ${names}.` };
    },
    async *run(input, context): AsyncGenerator<ToolProgress, ToolOutput<AgentToolOutput>> {
      const definition = findAgent(input.subagent_type ?? GENERAL_PURPOSE, agents);
      if (definition === undefined) throw new Error(`There is no agent "${input.subagent_type}".`);
      const { description, prompt, name, run_in_background } = input;
      const { model, effort } = isFork(definition) ? {} : input;
      const background = run_in_background === true || definition.background === true;
      const requested =
        run_in_background === undefined ? 'unset' : run_in_background ? 'background' : 'foreground';
      return yield* startAgent(
        { definition, description, prompt, name, model, effort, background, requested },
        context,
        options,
      );
    },
  };
}

function buildSchema({ agents, background }: AgentToolOptions): JsonObject {
  return {
    type: 'object',
    properties: {
      description: { type: 'string', minLength: 1, description: 'What it is for, in three to five words.' },
      prompt: {
        type: 'string',
        minLength: 1,
        description:
          'The whole task. The agent sees nothing of this conversation: name paths, facts, limits, and what to report.',
      },
      subagent_type: {
        type: 'string',
        description: `Which agent: ${agents.map(({ name }) => name).join(', ')}. Default ${GENERAL_PURPOSE}.`,
      },
      model: {
        type: 'string',
        description: 'A model in the place of the agent\'s own: "haiku", "sonnet", "opus", "fable" or an id.',
      },
      effort: { type: 'string', enum: [...EFFORT_LEVELS], description: 'How hard it is to think.' },
      ...(background && {
        run_in_background: {
          type: 'boolean',
          description:
            'Go on at once; you are told when the agent is done. Default false: the call returns its report.',
        },
      }),
      name: { type: 'string', description: 'A name to know it by, also for SendMessage.' },
    },
    required: ['description', 'prompt'],
    additionalProperties: false,
  };
}

/** Description of an agent for the model. */
export function agentLine({ name, description, tools }: AgentDefinition): string {
  return `- ${name}: ${description.trim()} (Tools: ${tools === undefined ? 'all' : tools.join(', ')})`;
}

const MORE_WORK =
  '\n- For more of the same work, send it a message (SendMessage) instead of starting a new one.';

function describe({ agents, goesOn }: AgentToolOptions): string {
  const list = agents.map(agentLine);
  return `Starts an agent that works on a task by itself, with a conversation of its own, and returns its report.

Agents:
${list.join('\n')}

- Use it for work that takes many steps whose details you do not need, or for parts that can be done side by side: several calls in one answer run at the same time.
- Do not use it to read one file or to search for one name; do that yourself.
- The agent knows nothing but its prompt. Its report comes back to you alone: tell the user what matters in it.
- Say whether it should change files or only look. Trust its report, and check what matters.
- When an agent did not finish, the result says why, with what it had said until then.${goesOn ? MORE_WORK : ''}`;
}
