/** In which order the test files of a run begin. */
import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files whose tests start programs and wait for them: among them are the longest. */
const STARTING_PROGRAMS =
  /^test\/(?:cli\/|sandbox\/|properties\/|conversation\/on-terminal\/|conversation\/ask\/|client\/examples|scenarios\/faults\/(?:large-journal|memory-of)|shell\/real-shells|permissions\/path-forms)/;

/**
 * What waits for programs begins first, so that none of it is left alone at the end; apart from that as always: by how
 * long it took last time, or by size where that is not known.
 */
export class ProgramsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const startsPrograms = ({ moduleId }: TestSpecification) =>
      STARTING_PROGRAMS.test(relative(this.ctx.config.root, moduleId));
    return [...sorted.filter(startsPrograms), ...sorted.filter((file) => !startsPrograms(file))];
  }
}
