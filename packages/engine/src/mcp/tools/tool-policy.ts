import type { ToolPolicy } from '../../protocol/tools/tool.ts';
import type { McpToolPolicy } from '../servers/server-config.ts';

/** Configured policy for calls of a tool: the stricter one of policy and upper limit. */
export function configuredPolicy(
  server: string,
  tool: string,
  policies: readonly McpToolPolicy[] = [],
): ToolPolicy | undefined {
  const said = policies.filter(({ name }) => name === tool);
  const where = `the configuration of the MCP server "${server}"`;
  const says = (policy: McpToolPolicy['permission_policy'], ceiling: McpToolPolicy['org_max_permission']) =>
    said.some(
      (each) =>
        each.permission_policy === policy || (ceiling !== undefined && each.org_max_permission === ceiling),
    );
  if (says('always_deny', 'blocked')) return { behavior: 'deny', reason: `${tool} is denied by ${where}.` };
  if (says('always_ask', 'ask'))
    return { behavior: 'ask', reason: `${tool} needs approval: ${where} wants every call of it asked for.` };
  if (says('always_allow', undefined)) return { behavior: 'allow', reason: `${where} allows ${tool}.` };
  return undefined;
}
