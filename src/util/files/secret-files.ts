/** Files of the kernel that hold what is another process's own, or that never end. */

/** What of `/proc/<pid>` says how a process is, not what is in it. */
const PROCESS_FACTS =
  /^\/proc\/(?:\d+|self|thread-self)(?:\/task\/\d+)?\/(?:status|stat|statm|comm|limits|cgroup|io|loginuid|oom_\w+|sched|schedstat|mounts|mountinfo|mountstats|net\/[\w-]+)$/;
const OF_A_PROCESS = /^\/proc\/(?:\d+|self|thread-self)\//;
const OF_THE_KERNEL = /^\/proc\/(?:kcore|kmsg|kpage\w+|keys|key-users|vmcore|sysrq-trigger)$/;
/** Another name for what is open: on systems where it is no link. */
const DESCRIPTOR = /^\/dev\/fd\//;

/** Whether file tools must leave a file alone, whatever rules say: memory, environment, descriptors. */
export function isSecretFile(path: string): boolean {
  if (OF_A_PROCESS.test(path)) return !PROCESS_FACTS.test(path);
  return OF_THE_KERNEL.test(path) || DESCRIPTOR.test(path);
}

/** Throws a sentence for the model. */
export function refuseSecret(path: string): void {
  if (isSecretFile(path))
    throw new Error(
      `${path} is memory, environment or a descriptor of a process, which file tools do not read.`,
    );
}
