/** What a host declares about calls of its own server's tools. */
import { configuredPolicy, isPolicyList, type McpToolPolicy } from '../../engine/compose/mcp.ts';
import type { McpClient } from '../../engine/config.ts';
import type { AnyTool, ToolContext, ToolOutput } from '../../protocol/tool.ts';

export interface CallTerms {
  /**
   * By the server's own names: `always_deny`, and `always_ask`, which asks in every mode. Nothing is allowed by it:
   * that is for rules and `canUseTool` to say.
   */
  readonly tools?: readonly McpToolPolicy[] | undefined;
  /** Of each call, ms; below 1 000 it is passed over. Default none. */
  readonly timeout?: number | undefined;
}

const LEAST_MS = 1_000;

/** A policy that is not understood must not pass for none: such a server cannot be used. */
export function onTerms(client: McpClient, { tools: policies, timeout }: CallTerms): McpClient {
  const { name, tools, toolInfos = [] } = client;
  if (policies !== undefined && !isPolicyList(policies)) {
    const error = 'Its "tools" must be a list of { name, permission_policy: always_ask or always_deny }.';
    return { name, status: 'failed', error };
  }
  if (tools === undefined || (policies === undefined && timeout === undefined)) return client;
  const strict = policies?.map((each) => ({ name: each.name, permission_policy: strictOf(each) }));
  return {
    ...client,
    tools: tools.map((tool, index) => {
      const policy = configuredPolicy(name, toolInfos[index]?.name ?? tool.name, strict);
      const limited = timeout === undefined || timeout < LEAST_MS ? tool : withinMs(tool, timeout, name);
      return policy === undefined ? limited : { ...limited, policy };
    }),
  };
}

function strictOf({ permission_policy: policy }: McpToolPolicy): McpToolPolicy['permission_policy'] {
  return policy === 'always_allow' ? undefined : policy;
}

function withinMs(tool: AnyTool, ms: number, server: string): AnyTool {
  return {
    ...tool,
    run(input, context) {
      const late = AbortSignal.timeout(ms);
      const told = new Promise<never>((_, reject) => {
        const sentence = `The MCP server "${server}" did not answer within ${ms} ms.`;
        late.addEventListener('abort', () => reject(new Error(sentence)), { once: true });
      });
      const signal = AbortSignal.any([context.signal, late]);
      return Promise.race([outputOf(tool, input, { ...context, signal }), told]);
    },
  };
}

async function outputOf(tool: AnyTool, input: unknown, context: ToolContext): Promise<ToolOutput> {
  const running = tool.run(input, context);
  if (!(Symbol.asyncIterator in running)) return running;
  for (;;) {
    const step = await running.next();
    if (step.done === true) return step.value;
  }
}
