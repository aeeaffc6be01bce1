/** The two tools by which a model reads the resources of servers. */
import type { JsonSchema } from '../../protocol/json.ts';
import type { AnyTool, ParseResult, ToolOutput } from '../../protocol/tools/tool.ts';
import type { McpServer } from '../servers/mcp-server.ts';
import { createFileKeeper } from './call-result.ts';

interface ListInput {
  readonly server?: string;
}

interface ReadInput {
  readonly server: string;
  readonly uri: string;
}

export const LIST_RESOURCES_TOOL = 'ListMcpResourcesTool';
export const READ_RESOURCE_TOOL = 'ReadMcpResourceTool';

/** `servers`: those that have resources now. */
export function resourceTools(servers: () => readonly McpServer[]): readonly AnyTool[] {
  const named = (name: string) => servers().find((server) => server.name === name || server.slug === name);
  const unknown = (name: string) =>
    failed(
      `No MCP server "${name}" has resources. These have: ${servers()
        .map((server) => server.name)
        .join(', ')}.`,
    );

  const list: AnyTool = {
    ...READ_ONLY,
    name: LIST_RESOURCES_TOOL,
    description: () =>
      'Lists the resources that MCP servers offer: name, URI and server of each. Read one with ReadMcpResourceTool.',
    inputJsonSchema: buildSchema({ server: 'Only resources of this server' }, []),
    parse: (input): ParseResult<ListInput> => readTexts(input, [], ['server']),
    async run({ server }: ListInput, { signal }): Promise<ToolOutput> {
      const asked = server === undefined ? servers() : [named(server)].filter((each) => each !== undefined);
      if (asked.length === 0) return unknown(server ?? '');
      const { listResources } = await import('./resource-answers.ts');
      return listResources(asked, signal);
    },
  };

  const read: AnyTool = {
    ...READ_ONLY,
    name: READ_RESOURCE_TOOL,
    description: () =>
      'Reads one resource of an MCP server by its URI. ListMcpResourcesTool tells what there is.',
    inputJsonSchema: buildSchema({ server: 'The name of the server', uri: 'The URI of the resource' }, [
      'server',
      'uri',
    ]),
    parse: (input): ParseResult<ReadInput> => readTexts(input, ['server', 'uri'], []),
    async run({ server, uri }: ReadInput, context): Promise<ToolOutput> {
      const found = named(server);
      if (found === undefined) return unknown(server);
      const { readResource } = await import('./resource-answers.ts');
      return readResource(
        found,
        uri,
        { server, tool: READ_RESOURCE_TOOL, keep: createFileKeeper(context) },
        context.signal,
      );
    },
  };
  return [list, read];
}

const READ_ONLY = {
  isReadOnly: () => true,
  isConcurrencySafe: () => true,
  effectClass: () => 'pure' as const,
};

function buildSchema(texts: Readonly<Record<string, string>>, required: readonly string[]): JsonSchema {
  const properties = Object.fromEntries(
    Object.entries(texts).map(([name, description]) => [name, { type: 'string', description }]),
  );
  return { type: 'object', properties, required, additionalProperties: false };
}

function readTexts<T>(
  input: Readonly<Record<string, unknown>>,
  required: readonly string[],
  optional: readonly string[],
): ParseResult<T> {
  const issues = [
    ...required
      .filter((name) => input[name] === undefined)
      .map((name) => `The required parameter \`${name}\` is missing`),
    ...Object.entries(input).flatMap(([name, value]) => {
      if (!required.includes(name) && !optional.includes(name))
        return [`An unexpected parameter \`${name}\` was provided`];
      return value === undefined || typeof value === 'string'
        ? []
        : [`The parameter \`${name}\` is expected to be of type \`string\``];
    }),
  ];
  return issues.length === 0 ? { ok: true, input: input as T } : { ok: false, issues };
}

function failed(message: string): ToolOutput {
  return { data: message, content: message, isError: true };
}
