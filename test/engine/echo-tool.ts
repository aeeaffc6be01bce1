import type { AnyTool } from '../../src/protocol/tool.ts';
import { fakeTool } from '../../src/testing/index.ts';
