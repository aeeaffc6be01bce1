/** In-process MCP servers: a named set of tools that the host implements itself. */
import { TurnwrightError } from '../protocol/errors.ts';
import { isPlainName } from '../util/text/plain-name.ts';
import type { AnySdkTool } from './define-tool.ts';
import type { CallTerms } from './mcp/server-config.ts';

export interface SdkMcpServer {
  readonly type: 'sdk';
  readonly name: string;
  readonly version: string;
  readonly definitions: readonly AnySdkTool[];
  readonly instructions?: string | undefined;
  readonly tools?: CallTerms['tools'];
  readonly timeout?: CallTerms['timeout'];
}

const MOST_NAME_CHARS = 64;

/** The model sees the tools as `mcp__<server>__<tool>`. Throws `invalid_option` for a name the API would refuse. */
export function createSdkMcpServer(options: {
  readonly name: string;
  /** Default `1.0.0`. */
  readonly version?: string | undefined;
  readonly tools?: readonly AnySdkTool[] | undefined;
  /** What the model should know about the use of its tools. */
  readonly instructions?: string | undefined;
  /** Its tools are never deferred. */
  readonly alwaysLoad?: boolean | undefined;
  /** Of each call, ms; at least 1 000. Default none. */
  readonly timeout?: number | undefined;
}): SdkMcpServer {
  const { name, version = '1.0.0', tools = [], alwaysLoad, instructions, timeout } = options;
  for (const each of [name, ...tools.map((tool) => tool.name)]) {
    if (!isPlainName(each, MOST_NAME_CHARS))
      throw new TurnwrightError(
        'invalid_option',
        `"${each}" cannot be the name of an MCP server or tool: letters, digits, "_" and "-", at most 64.`,
      );
  }
  const listed = alwaysLoad === true ? tools.map((tool) => ({ ...tool, alwaysLoad })) : tools;
  return {
    type: 'sdk',
    name,
    version,
    definitions: listed,
    ...(instructions !== undefined && { instructions }),
    ...(timeout !== undefined && { timeout }),
  };
}
