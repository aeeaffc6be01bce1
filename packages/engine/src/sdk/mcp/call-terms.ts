/** Policies that a host declares for calls of its own server's tools. */

import { extended } from '@turnwright/base/collections/extended.ts';
import type { McpClient } from '../../engine/config.ts';
import { isPolicyList, LEAST_HOST_TIMEOUT_MS, strictPolicies } from '../../mcp/servers/parse-server.ts';
import type { CallTerms } from '../../mcp/servers/server-config.ts';
import { configuredPolicy } from '../../mcp/tools/tool-policy.ts';
import type { AnyTool, ToolContext, ToolOutput } from '../../protocol/tools/tool.ts';

/** An invalid policy must not count as none: such a server cannot be used. */
export function onTerms(client: McpClient, { tools: policies, timeout }: CallTerms): McpClient {
  const { name, tools, toolInfos = [] } = client;
  if (policies !== undefined && !isPolicyList(policies)) {
    const error = 'Its "tools" must be a list of { name, permission_policy: always_ask or always_deny }.';
    return { name, status: 'failed', error };
  }
  if (tools === undefined || (policies === undefined && timeout === undefined)) return client;
  const strict = policies && strictPolicies(policies);
  return extended(client, {
    tools: tools.map((tool, index) => {
      const policy = configuredPolicy(name, toolInfos[index]?.name ?? tool.name, strict);
      const limited =
        timeout === undefined || timeout < LEAST_HOST_TIMEOUT_MS ? tool : withinMs(tool, timeout, name);
      return policy === undefined ? limited : { ...limited, policy };
    }),
  });
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
      return Promise.race([awaitOutput(tool, input, { ...context, signal }), told]);
    },
  };
}

async function awaitOutput(tool: AnyTool, input: unknown, context: ToolContext): Promise<ToolOutput> {
  const running = tool.run(input, context);
  if (!(Symbol.asyncIterator in running)) return running;
  for (;;) {
    const step = await running.next();
    if (step.done === true) return step.value;
  }
}
