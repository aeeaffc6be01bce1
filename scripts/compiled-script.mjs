// How the bundle loads its largest file: as a script whose compiled code is kept beside the package. V8 compiles a
// function when it is first called, and in a process that opens its first session that is half of the work; the compile
// cache of Node's own holds only what was compiled before anything ran.
// Whoever could put something else into that folder could change the package itself.

/**
 * Calls the function that the script at `url` is with `keep` and what is `given`. `keep` keeps what is compiled by then
 * for processes to come; the first few each add what they came by, and from then on one a day does, as what people do
 * changes. Where nothing can be written nothing is kept.
 * NODE_DISABLE_COMPILE_CACHE=1 turns both off.
 */
export function runCompiled(url, ...given) {
  const { getBuiltinModule } = process;
  const { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } =
    getBuiltinModule('node:fs');
  const { Script } = getBuiltinModule('node:vm');
  const { crc32 } = getBuiltinModule('node:zlib');
  const file = getBuiltinModule('node:url').fileURLToPath(url);
  const folder = file.replace(/[^/\\]+[/\\][^/\\]+[/\\][^/\\]+$/, '.compile-cache');
  // Another V8 and other flags make other code.
  const flags = crc32(JSON.stringify([process.execArgv, process.env.NODE_OPTIONS])).toString(16);
  const name = file.split(/[/\\]/).at(-1);
  const kept = `${folder}/${name}-${process.version}-${process.arch}-${flags}`;
  /** Before the code: a sum of all behind it, and how many processes have added to it. */
  const HEAD_BYTES = 8;
  const FIRST_WRITES = 5;
  const DAY_MS = 86_400_000;
  const isOff = process.env.NODE_DISABLE_COMPILE_CACHE === '1';

  let writes = 0;
  let keptBytes = 0;
  let keptAtMs = 0;
  /** V8 trusts what it is given: a file that was cut off or damaged must not reach it. */
  function readKept() {
    if (isOff) return undefined;
    try {
      const bytes = readFileSync(kept);
      if (bytes.readUInt32LE() !== crc32(bytes.subarray(4))) return undefined;
      writes = bytes.readUInt32LE(4);
      keptBytes = bytes.length;
      keptAtMs = statSync(kept).mtimeMs;
      return bytes.subarray(HEAD_BYTES);
    } catch {
      return undefined;
    }
  }

  const script = new Script(readFileSync(file, 'latin1'), { filename: file, cachedData: readKept() });
  if (script.cachedDataRejected) writes = keptBytes = 0;
  let isDone = isOff || (writes >= FIRST_WRITES && Date.now() - keptAtMs < DAY_MS);
  function keep() {
    if (isDone) return;
    isDone = true;
    try {
      const code = script.createCachedData();
      // Of a process that was idle for long V8 has thrown away what did not run.
      if (code.length > keptBytes * 0.95) write(code);
    } catch {
      // A folder that cannot be written: the next process compiles as well.
    }
  }

  function write(code) {
    const bytes = Buffer.concat([Buffer.alloc(HEAD_BYTES), code]);
    bytes.writeUInt32LE(writes + 1, 4);
    bytes.writeUInt32LE(crc32(bytes.subarray(4)));
    mkdirSync(folder, { recursive: true });
    const whole = `${kept}.${process.pid}`;
    try {
      writeFileSync(whole, bytes);
      renameSync(whole, kept);
    } finally {
      rmSync(whole, { force: true });
    }
  }

  return script.runInThisContext()(isDone ? undefined : keep, ...given);
}
