/** A server's tool as the engine's Tool. */

import { isRecord } from '@turnwright/base/json-values.ts';
import { cleanText } from '@turnwright/base/text/clean-text.ts';
import type { JsonObject, JsonSchema } from '../../protocol/json.ts';
import type { McpOrigin, McpToolInfo } from '../../protocol/tools/mcp.ts';
import type {
  AnyTool,
  ToolContext,
  ToolOutput,
  ToolPolicy,
  ToolProgress,
} from '../../protocol/tools/tool.ts';
import { mirroredParams } from '../revisions/param-headers.ts';
import { type TakenNames, toolNames } from '../servers/names.ts';
import { renderCallResult } from './call-result.ts';
import { inServerNames, readToolSchema } from './read-tool-schema.ts';

export interface ToolCallRequest {
  /** Name that the model uses. */
  readonly name: string;
  /** Name of the tool on the server. */
  readonly tool: string;
  readonly input: JsonObject;
  readonly context: ToolContext;
  /** The tool reads only, or does nothing when it is called a second time. */
  readonly mayRepeat: boolean;
  onProgress(progress: Readonly<Record<string, unknown>>): void;
}

export type ParserPort = (schema: JsonSchema) => AnyTool['parse'];

type CallPort = (request: ToolCallRequest) => Promise<ToolOutput>;

export interface ListedTools {
  readonly tools: readonly AnyTool[];
  readonly statuses: readonly McpToolInfo[];
  /** Tools that were left out, one sentence each (F152). */
  readonly quarantined: readonly string[];
  /** Equal for lists that are the same for the model. */
  readonly fingerprint: string;
}

const MAX_DESCRIPTION_CHARS = 10_000;

interface ListedToolOptions {
  readonly call: CallPort;
  /** Name and source of the server. */
  readonly origin: Pick<McpOrigin, 'server' | 'serverName' | 'source'>;
  /** Names of other tools of the session. */
  readonly taken: TakenNames;
  /** Default for tools that do not specify it. Default false. */
  readonly alwaysLoad?: boolean | undefined;
  /** Default: the server validates its input. */
  readonly parserOf?: ParserPort | undefined;
  /** Calls are requests of HTTP, of which arguments may be headers. Default false. */
  readonly isOverHttp?: boolean | undefined;
  /** By name on the server. Default none. */
  policyOf?(tool: string): ToolPolicy | undefined;
}

export function listedTools(
  slug: string,
  listed: readonly Readonly<Record<string, unknown>>[],
  {
    call,
    origin,
    taken,
    alwaysLoad = false,
    isOverHttp = false,
    parserOf = () => unchecked,
    policyOf,
  }: ListedToolOptions,
): ListedTools {
  const quarantined: string[] = [];
  const named = new Map<string, Readonly<Record<string, unknown>>>();
  for (const each of listed) {
    const { name } = each;
    if (typeof name !== 'string' || name === '') quarantined.push('A tool has no name.');
    else if (named.has(name)) quarantined.push(`A second tool is named "${cleanText(name, 100)}".`);
    else named.set(name, each);
  }
  const names = toolNames(slug, [...named.keys()], taken);
  const tools: AnyTool[] = [];
  const statuses: McpToolInfo[] = [];
  const wire: unknown[] = [];
  for (const [raw, each] of named) {
    const schema = readToolSchema(each['inputSchema']);
    const problem =
      isRecord(each['execution']) && each['execution']['taskSupport'] === 'required'
        ? 'it runs only as a background task'
        : schema.ok
          ? isOverHttp
            ? headerProblem(each['inputSchema'])
            : undefined
          : schema.problem;
    if (!schema.ok || problem !== undefined) {
      quarantined.push(`The tool "${cleanText(raw, 100)}" was left out: ${problem}.`);
      continue;
    }
    const name = names.get(raw) as string;
    const description =
      typeof each['description'] === 'string' ? cleanText(each['description'], MAX_DESCRIPTION_CHARS) : '';
    const annotations = isRecord(each['annotations']) ? each['annotations'] : {};
    const title = pickTitle(each, annotations);
    const readOnly = annotations['readOnlyHint'] === true;
    const effect = readOnly ? 'pure' : annotations['idempotentHint'] === true ? 'idempotent' : 'unsafe';
    tools.push({
      name,
      inputJsonSchema: schema.schema,
      description: () => description,
      ...(isLoaded(each, alwaysLoad) && { loading: 'always' as const }),
      mcp: { ...origin, tool: raw, ...(title !== undefined && { title }) },
      policy: policyOf?.(raw),
      parse: parserOf(schema.schema),
      isReadOnly: () => readOnly,
      isConcurrencySafe: () => readOnly,
      effectClass: () => effect,
      renderOutput: renderCallResult,
      run: (input: JsonObject, context) =>
        withProgress(slug, raw, (onProgress) =>
          call({
            name,
            tool: raw,
            input: inServerNames(input, schema.renamed),
            context,
            mayRepeat: effect !== 'unsafe',
            onProgress,
          }),
        ),
    });
    statuses.push({
      name: raw,
      ...(description !== '' && { description }),
      annotations: {
        ...(typeof annotations['readOnlyHint'] === 'boolean' && { readOnly: annotations['readOnlyHint'] }),
        ...(typeof annotations['destructiveHint'] === 'boolean' && {
          destructive: annotations['destructiveHint'],
        }),
        ...(typeof annotations['openWorldHint'] === 'boolean' && { openWorld: annotations['openWorldHint'] }),
      },
    });
    wire.push([raw, name, description, schema.schema, [...schema.renamed], effect, policyOf?.(raw)]);
  }
  return { tools, statuses, quarantined, fingerprint: JSON.stringify(wire) };
}

function headerProblem(inputSchema: unknown): string | undefined {
  const mirrored = mirroredParams(inputSchema);
  return 'problem' in mirrored ? mirrored.problem : undefined;
}

const MAX_TITLE_CHARS = 200;

function pickTitle(
  { title: own }: Readonly<Record<string, unknown>>,
  { title: annotated }: Readonly<Record<string, unknown>>,
): string | undefined {
  const title = [own, annotated].find((each) => typeof each === 'string' && each !== '');
  return title === undefined ? undefined : cleanText(String(title), MAX_TITLE_CHARS);
}

const unchecked: AnyTool['parse'] = (input) => ({ ok: true, input });

function isLoaded({ _meta: meta }: Readonly<Record<string, unknown>>, alwaysLoad: boolean): boolean {
  const own = isRecord(meta) ? meta['anthropic/alwaysLoad'] : undefined;
  return typeof own === 'boolean' ? own : alwaysLoad;
}

/** The call as a generator: the server's progress, then the result (F84). */
async function* withProgress(
  server: string,
  tool: string,
  call: (onProgress: ToolCallRequest['onProgress']) => Promise<ToolOutput>,
): AsyncGenerator<ToolProgress, ToolOutput> {
  const waiting: ToolProgress[] = [];
  let wake = () => {};
  let done = false;
  const running = call(({ progress, total, message }) => {
    waiting.push({
      type: 'mcp_progress',
      server,
      tool,
      progress,
      ...(total !== undefined && { total }),
      ...(typeof message === 'string' && { message: cleanText(message, 500) }),
    });
    // Old progress is dropped.
    if (waiting.length > 100) waiting.shift();
    wake();
  }).finally(() => {
    done = true;
    wake();
  });
  running.catch(() => {});
  while (true) {
    yield* waiting.splice(0);
    if (done) break;
    await new Promise<void>((resolve) => {
      wake = resolve;
      if (done || waiting.length > 0) resolve();
    });
  }
  yield* waiting.splice(0);
  return await running;
}
