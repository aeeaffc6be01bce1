import type { AnyTool } from '../../protocol/tool.ts';
import { type BashOptions, createBashTool } from './bash.ts';
import { editTool } from './edit.ts';
import { createGlobTool } from './glob.ts';
import { createGrepTool } from './grep.ts';
import { notebookEditTool } from './notebook-edit.ts';
import { createReadTool, type ReadLimits } from './read.ts';
import type { SearchOptions } from './ripgrep.ts';
import { taskOutputTool } from './task-output.ts';
import { taskStopTool } from './task-stop.ts';
import { todoWriteTool } from './todo-write.ts';
import { writeTool } from './write.ts';

export interface BuiltinToolsOptions {
  readonly bash?: BashOptions;
  readonly read?: ReadLimits;
  readonly search?: SearchOptions;
}

/** Bash, Edit, Glob, Grep, NotebookEdit, Read, TaskOutput, TaskStop, TodoWrite, Write: in the order in which they are told to the model. */
export function builtinTools(options: BuiltinToolsOptions = {}): readonly AnyTool[] {
  return [
    createBashTool(options.bash),
    editTool,
    createGlobTool(options.search),
    createGrepTool(options.search),
    notebookEditTool,
    createReadTool(options.read),
    ...(options.bash?.background === false ? [] : [taskOutputTool, taskStopTool]),
    todoWriteTool,
    writeTool,
  ];
}
