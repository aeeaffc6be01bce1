/** What the tools for resources answer; loaded by their first call. */

import { cleanText } from '@turnwright/base/text/clean-text.ts';
import type { ToolOutput } from '../../protocol/tools/tool.ts';
import { withoutPrefix } from '../connect/connection-failure.ts';
import type { McpServer } from '../servers/mcp-server.ts';
import { toResourceBlocks } from './call-result.ts';

const MAX_LISTED = 1_000;
const MAX_TEXT_CHARS = 500;

/** The resources of these servers, of which there is at least one. It is an error when all of them fail. */
export async function listResources(asked: readonly McpServer[], signal: AbortSignal): Promise<ToolOutput> {
  const lists = await Promise.all(asked.map((each) => listFromServer(each, signal)));
  signal.throwIfAborted();
  const resources = lists.flatMap((each) => each.resources).slice(0, MAX_LISTED);
  const problems = lists.flatMap(({ problem }) => (problem === undefined ? [] : [problem]));
  const text = resources.length === 0 ? 'There are no resources.' : JSON.stringify(resources);
  return {
    data: resources,
    content: [text, ...problems].join('\n'),
    ...(problems.length === asked.length && { isError: true }),
  };
}

async function listFromServer(server: McpServer, signal: AbortSignal) {
  try {
    const resources = await server.list('resources', signal);
    return {
      resources: resources.map(({ name, uri, mimeType, description }) => ({
        name: shown(name),
        uri,
        ...(mimeType !== undefined && { mimeType }),
        ...(description !== undefined && { description: shown(description) }),
        server: server.name,
      })),
    };
  } catch (error) {
    return { resources: [], problem: `${server.name}: ${(error as Error).message}` };
  }
}

function shown(text: unknown): string {
  return cleanText(String(text ?? ''), MAX_TEXT_CHARS);
}

/** One resource: binary contents as blocks or files, else the contents as the server sent them. */
export async function readResource(
  server: McpServer,
  uri: string,
  place: Parameters<typeof toResourceBlocks>[1],
  signal: AbortSignal,
): Promise<ToolOutput> {
  try {
    const { contents } = await server.request('resources/read', { uri }, signal);
    const items: readonly unknown[] = Array.isArray(contents) ? contents : [];
    const binary = items.some((item) => typeof (item as { blob?: unknown } | null)?.blob === 'string');
    const content = binary
      ? (await Promise.all(items.map((item) => toResourceBlocks(item, place)))).flat()
      : JSON.stringify({ contents: items });
    return { data: { contents: items }, content };
  } catch (error) {
    signal.throwIfAborted();
    const message = withoutPrefix((error as Error).message);
    return { data: message, content: message, isError: true };
  }
}
