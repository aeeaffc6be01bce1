import { relative } from 'node:path';
import { parseArgs } from 'node:util';

/** As `parseArgs`; a flag that is wrong ends the process with a sentence. */
export function flagsOf(config) {
  try {
    return parseArgs(config);
  } catch (error) {
    console.error(`${error.message}. The first lines of ${relative('', process.argv[1])} name its flags.`);
    process.exit(2);
  }
}
