/** The LSP tool: what a language server knows of code. It only reads. */

import { absolutePath } from '@turnwright/base/files/home-path.ts';
import { type PathReader, resolveLinks } from '@turnwright/base/files/real-path.ts';
import { isRecord } from '@turnwright/base/json-values.ts';
import { errorText } from '@turnwright/base/text/error-text.ts';
import type { JsonObject, JsonSchema } from '../protocol/json.ts';
import type { ParseResult, Tool, ToolContext, ToolOutput } from '../protocol/tools/tool.ts';
import type { LanguageServer } from './language-server.ts';
import { toUri } from './language-server.ts';
import type { LanguageServers } from './language-servers.ts';
import { type AnswerPlace, describeCalls, describeHover, listPlaces, listSymbols } from './shown-answers.ts';
import { fileUser } from './watched-tools.ts';

const OPERATIONS = [
  'goToDefinition',
  'findReferences',
  'hover',
  'documentSymbol',
  'workspaceSymbol',
  'goToImplementation',
  'prepareCallHierarchy',
  'incomingCalls',
  'outgoingCalls',
] as const;

interface LspInput {
  readonly operation: (typeof OPERATIONS)[number];
  readonly filePath?: string;
  /** Both from 1. */
  readonly line?: number;
  readonly character?: number;
  readonly query?: string;
}

interface LspOutput {
  readonly operation: string;
  readonly filePath?: string;
  readonly result: string;
  readonly resultCount: number;
}

const schema: JsonSchema = {
  type: 'object',
  properties: {
    operation: { type: 'string', enum: [...OPERATIONS] },
    filePath: {
      type: 'string',
      minLength: 1,
      description: 'The file to ask about. workspaceSymbol asks the server of this file.',
    },
    line: { type: 'integer', minimum: 1, description: 'The line of the symbol, from 1, as Read shows it.' },
    character: { type: 'integer', minimum: 1, description: 'The column of the symbol in the line, from 1.' },
    query: { type: 'string', description: 'With workspaceSymbol: the name, or a part of it.' },
  },
  required: ['operation'],
  additionalProperties: false,
};

const SYMBOLS = ['documentSymbol', 'workspaceSymbol'];

type MakeParser = <Input>(schema: JsonSchema) => (input: JsonObject) => ParseResult<Input>;

export function createLspTool(
  servers: LanguageServers,
  { files, makeParser }: { readonly files: PathReader & LineReader; readonly makeParser: MakeParser },
): Tool<LspInput, LspOutput> {
  return {
    name: 'LSP',
    inputJsonSchema: schema,
    loading: 'deferrable',
    searchHint: 'language server: definition, references, hover, symbols, callers',
    description: () =>
      `Asks a language server about code: more exact than a search for a name.

- goToDefinition, goToImplementation, findReferences, hover: of the symbol at filePath, line and character.
- documentSymbol: the symbols of filePath. workspaceSymbol: those of the project whose names hold query.
- incomingCalls, outgoingCalls: what calls the function there, and what it calls.
- Servers are there for some kinds of files only; the answer says when there is none.`,
    parse: makeParser<LspInput>(schema),
    isConcurrencySafe: () => true,
    isReadOnly: () => true,
    effectClass: () => 'pure',
    pathFields: ['filePath'],
    permissionTarget: ({ filePath }, base) =>
      filePath === undefined
        ? { kind: 'read', paths: [base.cwd] }
        : { kind: 'read', paths: [absolutePath(filePath, base)] },
    async validateInput({ operation, filePath, line, character, query }) {
      const problem = (message: string) => ({ ok: false as const, message });
      if (operation === 'workspaceSymbol')
        return query?.trim()
          ? { ok: true }
          : problem('workspaceSymbol needs `query`, the name or a part of it.');
      if (filePath === undefined) return problem(`${operation} needs \`filePath\`.`);
      if (operation === 'documentSymbol') return { ok: true };
      return line === undefined || character === undefined
        ? problem(`${operation} needs \`line\` and \`character\` of the symbol, both from 1.`)
        : { ok: true };
    },
    async run(input, context): Promise<ToolOutput<LspOutput>> {
      const { operation, filePath } = input;
      const about = { operation, ...(filePath !== undefined && { filePath }) };
      const failed = (content: string) => ({
        data: { ...about, result: content, resultCount: 0 },
        content,
        isError: true,
      });
      const path = filePath && (await resolveLinks(files, absolutePath(filePath, context)));
      const [server] = path
        ? await servers.serversOf(path, fileUser(context))
        : servers.started.filter(({ trouble }) => trouble === undefined);
      if (server === undefined)
        return failed(
          path
            ? `There is no language server for ${filePath}.`
            : 'No language server runs yet: give `filePath`, a file of the kind that is meant.',
        );
      if (path && (await files.stat(path).catch(() => undefined))?.kind !== 'file')
        return failed(`${filePath} is no file.`);
      try {
        const { rows, empty } = await askServer(input, path || server.root, server, { context, files });
        const result = rows.length === 0 ? empty : rows.join('\n');
        return { data: { ...about, result, resultCount: rows.length }, content: result };
      } catch (error) {
        return failed(`The language server "${server.name}" could not be asked: ${errorText(error)}.`);
      }
    },
  };
}

type LineReader = Parameters<typeof listPlaces>[1]['files'];

interface AskPorts {
  readonly context: ToolContext;
  readonly files: LineReader;
}

async function askServer(
  { operation, line = 1, character = 1, query = '' }: LspInput,
  path: string,
  server: LanguageServer,
  { context, files }: AskPorts,
): Promise<{ readonly rows: readonly string[]; readonly empty: string }> {
  const textDocument = { uri: toUri(path) };
  const at = { textDocument, position: { line: line - 1, character: character - 1 } };
  const shown: AnswerPlace = { root: context.root ?? context.cwd, files, isDenied: context.readFilter?.() };
  const ask = (method: string, params: unknown) => server.ask(path, method, params, context.signal);
  const empty = SYMBOLS.includes(operation) ? 'It knows no such symbols.' : 'It knows nothing there.';
  switch (operation) {
    case 'goToDefinition':
      return { rows: await listPlaces(await ask('textDocument/definition', at), shown), empty };
    case 'goToImplementation':
      return { rows: await listPlaces(await ask('textDocument/implementation', at), shown), empty };
    case 'findReferences': {
      const found = await ask('textDocument/references', { ...at, context: { includeDeclaration: true } });
      return { rows: await listPlaces(found, shown), empty };
    }
    case 'hover':
      return { rows: describeHover(await ask('textDocument/hover', at)), empty };
    case 'documentSymbol':
      return {
        rows: await listSymbols(await ask('textDocument/documentSymbol', { textDocument }), shown),
        empty,
      };
    case 'workspaceSymbol':
      return { rows: await listSymbols(await ask('workspace/symbol', { query }), shown), empty };
    default: {
      const items = await ask('textDocument/prepareCallHierarchy', at);
      const [item] = Array.isArray(items) ? items : [];
      if (operation === 'prepareCallHierarchy') return { rows: await listSymbols(items, shown), empty };
      if (!isRecord(item)) return { rows: [], empty };
      const calls = await ask(`callHierarchy/${operation}`, { item });
      return {
        rows: await describeCalls(calls, operation === 'incomingCalls' ? 'from' : 'to', shown),
        empty,
      };
    }
  }
}
