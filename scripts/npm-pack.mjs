// The steps of `npm pack` in a clone: node scripts/npm-pack.mjs begin | end
import { beginPacking, restoreManifest } from './pack.mjs';

const STEPS = { begin: beginPacking, end: restoreManifest };
const step = STEPS[process.argv[2]];
if (step === undefined) throw new Error(`The steps are ${Object.keys(STEPS).join(' and ')}.`);
step();
