/** Tools that write files, with the problems that their changes brought in their results. */

import { reminder } from '@turnwright/base/text/text-blocks.ts';
import type { UserBlock } from '../protocol/model/wire.ts';
import { toolFacts } from '../protocol/tools/builtin-tools.ts';
import type { AnyTool, ToolContext, ToolOutput, ToolResultContent } from '../protocol/tools/tool.ts';
import type { FileUser, LanguageServers } from './language-servers.ts';
import { boundProblems, describeProblems, type FileProblems } from './problems.ts';

const HEADING = 'New problems since this edit:';
const LATE = 'Language servers have found new problems in what you changed before:';

/** What the model and consumers get of found problems. */
interface ReportedProblems {
  readonly text: string;
  /** One for each problem that is shown, with its file. */
  readonly data: readonly unknown[];
}

/** The same tools; a result of one that changed a file ends with the problems that are new since. */
export function watchEdits(tools: readonly AnyTool[], servers: LanguageServers): readonly AnyTool[] {
  return tools.map((tool) => (toolFacts(tool.name).family === 'write' ? watchTool(tool, servers) : tool));
}

function watchTool(tool: AnyTool, servers: LanguageServers): AnyTool {
  return {
    ...tool,
    async run(input: unknown, context: ToolContext): Promise<ToolOutput> {
      const target = tool.permissionTarget?.(input, context);
      const [path] = target?.kind === 'write' ? target.paths : [];
      const known = [...context.readFileCache.entries()].map(([file]) => file);
      const edit =
        path === undefined ? undefined : await servers.watch({ ...fileUser(context), path, known });
      const output = (await tool.run(input, context)) as ToolOutput;
      if (edit === undefined || output.isError === true) return output;
      return withProblems(output, await edit.made(), context);
    },
  };
}

export function fileUser(
  context: Pick<ToolContext, 'additionalDirectories' | 'agentId' | 'cwd' | 'readFilter' | 'root' | 'signal'>,
): FileUser {
  return {
    agentId: context.agentId,
    folders: [context.root ?? context.cwd, ...context.additionalDirectories],
    signal: context.signal,
    isDenied: context.readFilter?.(),
  };
}

function withProblems(
  output: ToolOutput,
  found: readonly FileProblems[],
  { root, cwd }: Pick<ToolContext, 'root' | 'cwd'>,
): ToolOutput {
  if (found.length === 0) return output;
  const { text, data } = reportProblems(found, root ?? cwd, HEADING);
  return {
    ...output,
    data:
      typeof output.data === 'object' && output.data !== null
        ? { ...output.data, diagnostics: data }
        : output.data,
    content: appendText(output.content, text),
  };
}

function appendText(content: ToolResultContent, text: string): ToolResultContent {
  return typeof content === 'string' ? `${content}\n\n${text}` : [...content, { type: 'text', text }];
}

function reportProblems(found: readonly FileProblems[], root: string, heading: string): ReportedProblems {
  return {
    text: `${heading}\n${describeProblems(found, root)}`,
    data: boundProblems(found).shown.flatMap(({ path: file, problems }) =>
      problems.map((problem) => ({ file, ...problem })),
    ),
  };
}

/** What came too late for the result of an edit, for the next request. */
interface LateProblems {
  readonly attachment: { readonly type: 'late_diagnostics'; readonly diagnostics: readonly unknown[] };
  readonly rendered: readonly UserBlock[];
}

export async function collectLate(
  servers: LanguageServers,
  user: FileUser,
): Promise<readonly LateProblems[]> {
  const found = await servers.late(user);
  if (found.length === 0) return [];
  const { text, data: diagnostics } = reportProblems(found, user.folders[0] ?? '', LATE);
  return [{ attachment: { type: 'late_diagnostics', diagnostics }, rendered: [reminder(text)] }];
}
