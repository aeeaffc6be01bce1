/** The SendMessage tool: the model goes on with an agent that has ended, with all that the agent knows. */
import type { JsonObject } from '../protocol/json.ts';
import type { AgentDefinition } from '../protocol/tools/agent.ts';
import type { KnownAgent } from '../protocol/tools/agent-runs.ts';
import type { ParseResult, Tool, ToolContext, ToolOutput, ToolProgress } from '../protocol/tools/tool.ts';
import type { AgentRoster } from './agent-roster.ts';
import { AGENT_TOOL } from './agent-tool.ts';
import { findAgent } from './catalog.ts';
import { type StartPorts, startAgent } from './start-agent.ts';
import type { AgentToolOutput } from './tool-output.ts';

export const SEND_MESSAGE_TOOL = 'SendMessage';

interface SendMessageInput {
  readonly to: string;
  readonly message: string;
  readonly summary?: string;
  readonly run_in_background?: boolean;
}

interface SendMessageOptions extends StartPorts {
  readonly roster: AgentRoster;
  /** Available agents. */
  readonly agents: readonly AgentDefinition[];
  parser(schema: JsonObject): (input: JsonObject) => ParseResult<SendMessageInput>;
  /** The model may request that it goes on in the background. */
  readonly background: boolean;
}

/** Agents that are named when there is none of the given name. */
const MOST_NAMED = 10;

export function createSendMessageTool(options: SendMessageOptions): Tool<SendMessageInput, AgentToolOutput> {
  const { roster } = options;
  const inputJsonSchema = buildSchema(options);
  return {
    name: SEND_MESSAGE_TOOL,
    inputJsonSchema,
    ruledAs: [AGENT_TOOL],
    description: () =>
      'Goes on with an agent that has ended, did not complete, or was lost: it gets your message with all that it read and did before, and its next report is the result. Address it by the id that its result named, or by the name that you gave it. That is cheaper than a new agent, which would have to find out everything again.',
    parse: options.parser(inputJsonSchema),
    isConcurrencySafe: () => true,
    // As for Agent: every call it makes passes the gate.
    isReadOnly: () => true,
    effectClass: () => 'unsafe',
    permissionTarget: () => ({ kind: 'none' }),
    maxResultChars: 100_000,
    async validateInput({ to }, context) {
      const found = findAddressed(to, context, options);
      return found.ok ? { ok: true } : found;
    },
    async *run(input, context): AsyncGenerator<ToolProgress, ToolOutput<AgentToolOutput>> {
      const found = findAddressed(input.to, context, options);
      if (!found.ok) throw new Error(found.message);
      const { known, definition } = found;
      const { message: prompt, run_in_background: asked } = input;
      // Before anything is waited for: another message of the same answer finds it running.
      roster.enter(known.agentId);
      const requested = asked === undefined ? 'unset' : asked ? 'background' : 'foreground';
      const { description, model, effort } = known;
      const background = asked ?? known.background;
      return yield* startAgent(
        { definition, description, prompt, model, effort, background, requested, known },
        context,
        options,
      );
    },
  };
}

type Addressed =
  | { readonly ok: true; readonly known: KnownAgent; readonly definition: AgentDefinition }
  | { readonly ok: false; readonly message: string };

/** An agent may go on with those that it started, the main conversation with any. */
function findAddressed(
  to: string,
  { agentId: caller }: Pick<ToolContext, 'agentId'>,
  { roster, agents }: Pick<SendMessageOptions, 'roster' | 'agents'>,
): Addressed {
  const isOwn = (known: KnownAgent) => caller === undefined || known.parentAgentId === caller;
  const refuse = (message: string) => ({ ok: false as const, message });
  const known = roster.find(to.trim());
  if (known === undefined || !isOwn(known)) {
    const others = roster.list().filter(isOwn).slice(-MOST_NAMED);
    const named = others.map(({ agentId, name, description }) => `${name ?? agentId} (${description})`);
    const there = named.length === 0 ? 'None has been started.' : `There are: ${named.join(', ')}.`;
    return refuse(`There is no agent "${to}" to send a message to. ${there}`);
  }
  const { agentId, agentType } = known;
  if (roster.endOf(known) === undefined)
    return refuse(
      `The agent ${agentId} is still at work and takes no message now. You will be told when it is done; send it then, or stop it first (TaskStop).`,
    );
  const definition = findAgent(agentType, agents);
  if (definition === undefined)
    return refuse(
      `The agent ${agentId} was one of "${agentType}", which this session does not have any more, and would go on without its limits. Start another one.`,
    );
  return { ok: true, known, definition };
}

function buildSchema({ background }: Pick<SendMessageOptions, 'background'>): JsonObject {
  return {
    type: 'object',
    properties: {
      to: { type: 'string', minLength: 1, description: 'The id of the agent, or its name.' },
      message: {
        type: 'string',
        minLength: 1,
        description: 'What it is to do now. It knows its own conversation, and nothing of this one.',
      },
      summary: { type: 'string', description: 'The message in five to ten words, for people.' },
      ...(background && {
        run_in_background: {
          type: 'boolean',
          description: 'As for Agent. Default: as it ran before.',
        },
      }),
    },
    required: ['to', 'message'],
    additionalProperties: false,
  };
}
