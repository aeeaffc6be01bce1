import type { PermissionQuestion } from '../../protocol/tools/gate-ports.ts';
import type { PermissionTarget, ToolPolicy } from '../../protocol/tools/tool.ts';
import type { CommandLine } from '../../shell/reading/segment.ts';
import { judgingCommands } from '../judging-commands.ts';
import type { ResolvedPath } from './resolved-path.ts';

/**
 * One call as the rules see it. What a tool says of itself is taken conservatively: a throw counts as "no".
 */
export interface Subject {
  readonly tool: string;
  /** The tool's name, its aliases, and the tools whose rules hold for it. */
  readonly names: readonly string[];
  readonly target: PermissionTarget;
  readonly readOnly: boolean;
  readonly needsPerson: boolean;
  /** The word of who configured the tool. */
  readonly policy: ToolPolicy | undefined;
  /** The target's paths, resolved on first use; [] when it has none. */
  paths(): Promise<readonly ResolvedPath[]>;
  /** The target's command, read on first use; without segments when it has none. */
  line(): Promise<CommandLine>;
}

export function createSubject(
  question: PermissionQuestion,
  resolve: (path: string) => Promise<ResolvedPath>,
): Subject {
  const { tool, input } = question;
  const target = targetOf(question);
  let line: Promise<CommandLine> | undefined;
  let paths: Promise<readonly ResolvedPath[]> | undefined;
  return {
    tool: tool.name,
    names: [tool.name, ...(tool.aliases ?? []), ...(tool.ruledAs ?? [])],
    target,
    readOnly: attempt(() => tool.isReadOnly?.(input)) ?? false,
    needsPerson: tool.requiresUserInteraction === true,
    policy: tool.policy,
    paths() {
      paths ??= Promise.all('paths' in target ? target.paths.map(resolve) : []);
      return paths;
    },
    line: () => {
      line ??= parseTargetLine(target);
      return line;
    },
  };
}

export function targetOf({
  tool,
  input,
  cwd,
  home,
}: Pick<PermissionQuestion, 'tool' | 'input' | 'cwd' | 'home'>): PermissionTarget {
  return attempt(() => tool.permissionTarget?.(input, { cwd, home })) ?? { kind: 'none' };
}

async function parseTargetLine(target: PermissionTarget): Promise<CommandLine> {
  if (target.kind !== 'command') return { segments: [] };
  const { readCommandLine } = await judgingCommands();
  return readCommandLine(target.command, target.language);
}

function attempt<T>(ask: () => T): T | undefined {
  try {
    return ask();
  } catch {
    return undefined;
  }
}
