/** In which order the test files of a run begin. */
import { join, relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** How the names of test files begin whose tests start programs and wait for them: among them are the longest. */
const STARTING_PROGRAMS: readonly string[] = [
  ...['cli/', 'client/examples', 'conversation/ask/', 'conversation/on-terminal/'],
  ...[
    'durable/elsewhere',
    'durable/runners',
    'durable/worker.',
    'permissions/path-forms',
    'properties/',
    'sandbox/',
  ],
  ...['scenarios/faults/large-journal', 'scenarios/faults/memory-of-large', 'shell/real-shells'],
];

/**
 * What waits for programs begins first, so that none of it is left alone at the end; apart from that as always: by how
 * long it took last time, or by size where that is not known.
 */
export class ProgramsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const folder = join(this.ctx.config.root, 'test');
    const startsPrograms = ({ moduleId }: TestSpecification) =>
      STARTING_PROGRAMS.some((name) => relative(folder, moduleId).startsWith(name));
    return [...sorted.filter(startsPrograms), ...sorted.filter((file) => !startsPrograms(file))];
  }
}
