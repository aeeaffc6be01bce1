/** A server's prompt as a slash command, `/mcp__server__prompt arg …`. */

import { isRecord } from '@turnwright/base/json-values.ts';
import { cleanText } from '@turnwright/base/text/clean-text.ts';
import type { ImageBlock, TextBlock } from '../../protocol/model/wire.ts';
import type { McpServer } from '../servers/mcp-server.ts';
import { toolNames } from '../servers/names.ts';
import type { ListedEntry } from '../servers/server-ports.ts';
import { toPromptBlock } from './call-result.ts';

export interface PromptCommand {
  /** Without the slash. */
  readonly name: string;
  readonly description: string;
  readonly argumentHint?: string;
  readonly origin: 'mcp';
  /** Name of the prompt on the server. */
  readonly prompt: string;
  readonly server: string;
  /** Requests the prompt. Rejects with a readable message. */
  run(
    args: string,
    context: { readonly signal: AbortSignal },
  ): Promise<{
    readonly messages: readonly (readonly (TextBlock | ImageBlock)[])[];
    readonly shouldQuery: true;
  }>;
}

const MAX_DESCRIPTION_CHARS = 1_000;

export function promptCommands(server: McpServer): readonly PromptCommand[] {
  const prompts = server.prompts.filter(
    (prompt) => typeof prompt['name'] === 'string' && prompt['name'] !== '',
  );
  const names = toolNames(
    server.slug,
    prompts.map((prompt) => prompt['name'] as string),
  );
  return prompts.map((prompt) => {
    const raw = prompt['name'] as string;
    const parameters = readParameters(prompt);
    return {
      name: names.get(raw) as string,
      description: cleanText(String(prompt['description'] ?? prompt['title'] ?? ''), MAX_DESCRIPTION_CHARS),
      ...(parameters.length > 0 && {
        argumentHint: parameters
          .map(({ name, required }) => (required ? `<${name}>` : `[${name}]`))
          .join(' '),
      }),
      origin: 'mcp',
      prompt: raw,
      server: server.name,
      async run(args, { signal }) {
        const given = parseArguments(args, parameters);
        const missing = parameters.filter(({ name, required }) => required && given[name] === undefined);
        if (missing.length > 0)
          throw new Error(`The prompt "${raw}" needs ${missing.map(({ name }) => `<${name}>`).join(' ')}.`);
        const { messages } = await server.request('prompts/get', { name: raw, arguments: given }, signal);
        const listed: readonly unknown[] = Array.isArray(messages) ? messages : [];
        const blocks = await Promise.all(listed.map((message) => toMessageBlock(message, server.name)));
        return { messages: [blocks], shouldQuery: true };
      },
    };
  });
}

interface Parameter {
  readonly name: string;
  readonly required: boolean;
}

function readParameters(prompt: ListedEntry): readonly Parameter[] {
  const { arguments: listed } = prompt;
  return (Array.isArray(listed) ? listed : []).flatMap((each) =>
    isRecord(each) && typeof each['name'] === 'string'
      ? [{ name: cleanText(each['name'], 100), required: each['required'] === true }]
      : [],
  );
}

/** Words in order, quoted ones as one; the last parameter takes the rest. */
function parseArguments(args: string, parameters: readonly Parameter[]): Record<string, string> {
  const words = [...args.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, bare]) => double ?? single ?? bare ?? '',
  );
  const last = parameters.length - 1;
  return Object.fromEntries(
    parameters.flatMap(({ name }, at) => {
      const value = at < last ? words[at] : words.slice(at).join(' ');
      return value === undefined || value === '' ? [] : [[name, value]];
    }),
  );
}

/** A prompt is one user message; its assistant messages are marked as such. */
async function toMessageBlock(message: unknown, server: string): Promise<TextBlock | ImageBlock> {
  if (!isRecord(message)) return toPromptBlock(message, server);
  const block = await toPromptBlock(message['content'], server);
  return message['role'] === 'assistant' && block.type === 'text'
    ? { type: 'text', text: `Assistant: ${block.text}` }
    : block;
}
