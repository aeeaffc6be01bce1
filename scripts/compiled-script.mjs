// How the bundle loads its largest file: as a script whose compiled code is kept beside the package. V8 compiles a
// function when it is first called, and in a process that opens its first session that is half of the work; the compile
// cache of Node's own holds only what was compiled before anything ran.
// Whoever could put something else into that folder could change the package itself.

/**
 * Calls the function that the script at `url` is with `keep` and what is `given`. `keep` keeps what is compiled by then
 * for processes to come, unless this one found it kept; where nothing can be written nothing is.
 * NODE_DISABLE_COMPILE_CACHE=1 turns both off.
 */
export function runCompiled(url, ...given) {
  const { getBuiltinModule } = process;
  const { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } = getBuiltinModule('node:fs');
  const { Script } = getBuiltinModule('node:vm');
  const { crc32 } = getBuiltinModule('node:zlib');
  const file = getBuiltinModule('node:url').fileURLToPath(url);
  const folder = file.replace(/[^/\\]+[/\\][^/\\]+[/\\][^/\\]+$/, '.compile-cache');
  // Another V8 and other flags make other code.
  const flags = crc32(JSON.stringify([process.execArgv, process.env.NODE_OPTIONS])).toString(16);
  const name = file.split(/[/\\]/).at(-1);
  const kept = `${folder}/${name}-${process.version}-${process.arch}-${flags}`;
  const SUM_BYTES = 4;
  const isOff = process.env.NODE_DISABLE_COMPILE_CACHE === '1';

  /** V8 trusts what it is given: a file that was cut off or damaged must not reach it. */
  function readKept() {
    if (isOff) return undefined;
    try {
      const bytes = readFileSync(kept);
      const code = bytes.subarray(SUM_BYTES);
      return bytes.readUInt32LE() === crc32(code) ? code : undefined;
    } catch {
      return undefined;
    }
  }

  const script = new Script(readFileSync(file, 'latin1'), { filename: file, cachedData: readKept() });
  let isDone = script.cachedDataRejected === false || isOff;
  function keep() {
    if (isDone) return;
    isDone = true;
    try {
      write(script.createCachedData());
    } catch {
      // A folder that cannot be written: the next process compiles as well.
    }
  }

  function write(code) {
    const sum = Buffer.alloc(SUM_BYTES);
    sum.writeUInt32LE(crc32(code));
    mkdirSync(folder, { recursive: true });
    const whole = `${kept}.${process.pid}`;
    try {
      writeFileSync(whole, Buffer.concat([sum, code]));
      renameSync(whole, kept);
    } finally {
      rmSync(whole, { force: true });
    }
  }

  return script.runInThisContext()(keep, ...given);
}
