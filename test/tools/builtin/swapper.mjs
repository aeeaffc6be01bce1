/** A process that swaps a folder for a link and back, for as long as it lives: `node swapper.mjs <folder> <target>`. */
import { renameSync, rmSync, symlinkSync, unlinkSync } from 'node:fs';

const [folder = '', target = ''] = process.argv.slice(2);
const aside = `${folder}.aside`;
const sleep = new Int32Array(new SharedArrayBuffer(4));
process.stdout.write('ready\n');
for (let turn = 0; process.ppid !== 1; turn += 1) {
  renameSync(folder, aside);
  putInPlace(() => symlinkSync(target, folder));
  pause(turn % 7);
  unlinkSync(folder);
  putInPlace(() => renameSync(aside, folder));
  pause(turn % 5);
}

/** A tool that met no folder may have made one. */
function putInPlace(put) {
  try {
    put();
  } catch {
    rmSync(folder, { recursive: true, force: true });
    putInPlace(put);
  }
}

/** Some 400 µs each, asleep: the program that is attacked has the processor. */
function pause(units) {
  if (units > 0) Atomics.wait(sleep, 0, 0, units * 0.4);
}
