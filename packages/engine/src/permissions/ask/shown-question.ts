/** What a person is shown of a question besides the input: whose tool it is, and what the call is about. */
import { relative } from 'node:path';
import { isInside } from '@turnwright/base/files/inside.ts';
import { titleWords } from '@turnwright/base/text/title-words.ts';
import type { CanUseToolContext } from '../../protocol/tools/can-use-tool.ts';
import type { PermissionQuestion } from '../../protocol/tools/gate-ports.ts';
import type { AnyTool } from '../../protocol/tools/tool.ts';
import { targetOf } from '../decide/subject.ts';

export function shownAs(
  question: PermissionQuestion,
): Pick<CanUseToolContext, 'displayName' | 'description' | 'mcpServer' | 'requiresUserInteraction'> {
  const { tool } = question;
  const description = describeQuestion(question);
  return {
    displayName: pickDisplayName(tool),
    ...(description !== undefined && { description }),
    ...(tool.requiresUserInteraction === true && { requiresUserInteraction: true as const }),
    ...(tool.mcp !== undefined && { mcpServer: { name: tool.mcp.server, source: tool.mcp.source } }),
  };
}

/** The title that a server gives its tool, else `read_file` as `Read File`. */
function pickDisplayName({ name, mcp }: AnyTool): string {
  if (mcp === undefined) return name;
  if (mcp.title !== undefined && mcp.title.trim() !== '') return mcp.title;
  return titleWords(mcp.tool);
}

function describeQuestion(question: PermissionQuestion): string | undefined {
  const { input, cwd } = question;
  const said = input['description'];
  const target = targetOf(question);
  if (target.kind !== 'read' && target.kind !== 'write' && typeof said === 'string' && said !== '')
    return said;
  switch (target.kind) {
    case 'read':
    case 'write': {
      const [path] = target.paths;
      return path !== undefined && path !== cwd && isInside(path, cwd) ? relative(cwd, path) : path;
    }
    case 'command':
      return target.command;
    case 'url':
      return target.url;
    case 'name':
      return target.name;
    case 'none':
      return undefined;
  }
}
