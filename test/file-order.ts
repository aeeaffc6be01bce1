/** In which order the test files of a run begin. */
import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** How the paths of test files begin whose tests start programs and wait for them: among them are the longest. */
const STARTING_PROGRAMS: readonly string[] = [
  ...['packages/cli/test/', 'test/cli/', 'test/client/examples', 'test/conversation/'],
  ...['elsewhere', 'runners', 'worker.'].map((name) => `packages/durable/test/${name}`),
  ...['permissions/path-forms', 'sandbox/', 'shell/real-shells'].map(
    (name) => `packages/engine/test/${name}`,
  ),
  ...[
    'durable/worker.',
    'properties/',
    'scenarios/faults/large-journal',
    'scenarios/faults/memory-of-large',
  ].map((name) => `test/${name}`),
];

/**
 * What waits for programs begins first, so that none of it is left alone at the end; apart from that as always: by how
 * long it took last time, or by size where that is not known.
 */
export class ProgramsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const { root } = this.ctx.config;
    const startsPrograms = ({ moduleId }: TestSpecification) =>
      STARTING_PROGRAMS.some((name) => relative(root, moduleId).startsWith(name));
    return [...sorted.filter(startsPrograms), ...sorted.filter((file) => !startsPrograms(file))];
  }
}
