/** What the module of a worker may hold: the rest is the command's. */
import type { WorkerOptions } from './worker.ts';

export type WorkerModule = Pick<WorkerOptions, (typeof MODULE_FIELDS)[number]>;

export const MODULE_FIELDS = ['options', 'workspace'] as const;
