/** The SendMessage tool: the model goes on with an agent that has ended, with all that the agent knows. */
import type { JsonObject } from '../protocol/json.ts';
import type { AgentDefinition } from '../protocol/tools/agent.ts';
import type { ParseResult, Tool, ToolOutput, ToolProgress } from '../protocol/tools/tool.ts';
import type { AgentRoster } from './agent-roster.ts';
import { AGENT_TOOL } from './agent-tool.ts';
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

export function createSendMessageTool(options: SendMessageOptions): Tool<SendMessageInput, AgentToolOutput> {
  const { roster } = options;
  const inputJsonSchema = buildSchema(options);
  return {
    name: SEND_MESSAGE_TOOL,
    inputJsonSchema,
    ruledAs: [AGENT_TOOL],
    description: () =>
      'Goes on with an agent that has ended, failed or was lost, with all that it knows. Its next report is the result.',
    parse: options.parser(inputJsonSchema),
    isConcurrencySafe: () => true,
    // As for Agent: every call it makes passes the gate.
    isReadOnly: () => true,
    effectClass: () => 'unsafe',
    permissionTarget: () => ({ kind: 'none' }),
    maxResultChars: 100_000,
    async validateInput({ to }, context) {
      const { findAddressed } = await import('./address-agent.ts');
      const found = findAddressed(to, context, options);
      return found.ok ? { ok: true } : found;
    },
    async *run(input, context): AsyncGenerator<ToolProgress, ToolOutput<AgentToolOutput>> {
      const { findAddressed } = await import('./address-agent.ts');
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

function buildSchema({ background }: Pick<SendMessageOptions, 'background'>): JsonObject {
  return {
    type: 'object',
    properties: {
      to: { type: 'string', minLength: 1, description: 'Its id or name.' },
      message: {
        type: 'string',
        minLength: 1,
        description: 'What it is to do now. It knows its own conversation only.',
      },
      summary: { type: 'string' },
      ...(background && { run_in_background: { type: 'boolean' } }),
    },
    required: ['to', 'message'],
    additionalProperties: false,
  };
}
