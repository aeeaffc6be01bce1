/** Files of the kernel that contain data of other processes, or are endless. */

/** Files of `/proc/<pid>` about a process's state, not its data. */
const PROCESS_FACTS =
  /^\/proc\/(?:\d+|self|thread-self)(?:\/task\/\d+)?\/(?:status|stat|statm|comm|limits|cgroup|io|loginuid|oom_\w+|sched|schedstat|mounts|mountinfo|mountstats|net\/[\w-]+)$/;
const OF_A_PROCESS = /^\/proc\/(?:\d+|self|thread-self)\//;
const OF_THE_KERNEL = /^\/proc\/(?:kcore|kmsg|kpage\w+|keys|key-users|vmcore|sysrq-trigger)$/;
/** Paths of open descriptors, on systems where they are not links. */
const DESCRIPTOR = /^\/dev\/fd\//;

/** Whether file tools must refuse a file regardless of rules: memory, environment, descriptors. */
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
