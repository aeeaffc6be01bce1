// Runs a CommonJS program whose code was compiled before, and so starts in half of the time. Usage:
// node start-compiled.cjs PROGRAM make|use …: `make` leaves the compiled code, with all that has run, in PROGRAM.code.
const { readFileSync, writeFileSync } = require('node:fs');
const { Script } = require('node:vm');

const [, , program, compiled, ...args] = process.argv;
// The bundle is ASCII, which is read fastest as this.
const source = `(function (require, module, exports) {${readFileSync(program, 'latin1')}\n})`;
const script = new Script(source, {
  filename: program,
  ...(compiled === 'use' && { cachedData: readFileSync(`${program}.code`) }),
});
if (script.cachedDataRejected) throw new Error(`The compiled code of ${program} is that of another Node.`);
if (compiled === 'make')
  process.once('exit', () => writeFileSync(`${program}.code`, script.createCachedData()));
process.argv.splice(2, process.argv.length, ...args);
const module_ = { exports: {} };
script.runInThisContext()(require, module_, module_.exports);
