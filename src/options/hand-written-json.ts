/** For flags whose value is JSON that people write, or the name of such a file. */
export { readHandWrittenJson } from '../util/files/plain-json.ts';
