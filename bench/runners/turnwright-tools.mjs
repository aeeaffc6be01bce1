// Turnwright as in `turnwright.mjs`, with all built-in tools in each request beside those of the benchmark.
import { loadWith } from './turnwright.mjs';

export { callersImports, prepare } from './turnwright.mjs';

export const load = () => loadWith({});
