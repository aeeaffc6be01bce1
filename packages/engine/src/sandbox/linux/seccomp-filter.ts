/**
 * The system calls that an isolated program may not make, as a program for the kernel's filter. What a mount
 * cannot keep away is kept away here: local sockets, new user namespaces, the keyring, other processes'
 * memory, the terminal's input.
 */
interface SeccompChoices {
  /** Sockets of the local machine that have a path or an abstract name. Default false. */
  readonly allowUnixSockets?: boolean | undefined;
  /** Default false. */
  readonly allowUserNamespaces?: boolean | undefined;
}

interface Machine {
  /** As the kernel names it to filters (AUDIT_ARCH). */
  readonly audit: number;
  readonly calls: Readonly<Record<Call, number>>;
}

const DENIED = [
  'ptrace',
  'processVmReadv',
  'processVmWritev',
  'pidfdGetfd',
  'keyctl',
  'addKey',
  'requestKey',
  'bpf',
  'perfEventOpen',
  'userfaultfd',
  'ioUringSetup',
  'ioUringEnter',
  'ioUringRegister',
  'openByHandleAt',
  'kexecLoad',
  'kexecFileLoad',
  'initModule',
  'finitModule',
  'deleteModule',
  'mount',
  'umount',
  'pivotRoot',
  'chroot',
  'moveMount',
  'openTree',
  'fsopen',
  'mountSetattr',
] as const;

type Call = (typeof DENIED)[number] | 'socket' | 'clone' | 'clone3' | 'unshare' | 'setns' | 'ioctl';

/** The same everywhere since they are young. */
const YOUNG = {
  ioUringSetup: 425,
  ioUringEnter: 426,
  ioUringRegister: 427,
  openTree: 428,
  moveMount: 429,
  fsopen: 430,
  clone3: 435,
  pidfdGetfd: 438,
  mountSetattr: 442,
};

const MACHINES: Readonly<Record<string, Machine>> = {
  x64: {
    audit: 0xc000003e,
    calls: {
      ...YOUNG,
      ...{ socket: 41, clone: 56, unshare: 272, setns: 308, ioctl: 16 },
      ...{ ptrace: 101, processVmReadv: 310, processVmWritev: 311 },
      ...{ addKey: 248, requestKey: 249, keyctl: 250, bpf: 321, perfEventOpen: 298, userfaultfd: 323 },
      ...{ openByHandleAt: 304, kexecLoad: 246, kexecFileLoad: 320 },
      ...{ initModule: 175, finitModule: 313, deleteModule: 176 },
      ...{ mount: 165, umount: 166, pivotRoot: 155, chroot: 161 },
    },
  },
  arm64: {
    audit: 0xc00000b7,
    calls: {
      ...YOUNG,
      ...{ socket: 198, clone: 220, unshare: 97, setns: 268, ioctl: 29 },
      ...{ ptrace: 117, processVmReadv: 270, processVmWritev: 271 },
      ...{ addKey: 217, requestKey: 218, keyctl: 219, bpf: 280, perfEventOpen: 241, userfaultfd: 282 },
      ...{ openByHandleAt: 265, kexecLoad: 104, kexecFileLoad: 294 },
      ...{ initModule: 105, finitModule: 273, deleteModule: 106 },
      ...{ mount: 40, umount: 39, pivotRoot: 41, chroot: 51 },
    },
  },
};

const AF_UNIX = 1;
/**
 * IPv4, IPv6 and netlink, which belong to the network of the namespace. Others, such as vsock, reach past it.
 */
const OWN_FAMILIES = [2, 10, 16];
const CLONE_NEWUSER = 0x10000000;
const TIOCSTI = 0x5412;
const TIOCLINUX = 0x541c;
/** Calls of the x32 interface carry this bit. */
const X32 = 0x40000000;
const EPERM = 1;
const ENOSYS = 38;

const LOAD = 0x20;
const JUMP_IF_EQUAL = 0x15;
const JUMP_IF_SET = 0x45;
const RETURN = 0x06;
const ALLOW = 0x7fff0000;
const ERRNO = 0x00050000;
/** Offsets in what the filter is given; of an argument, its lower half. */
const NUMBER = 0;
const ARCHITECTURE = 4;
const argument = (index: number): number => 16 + 8 * index;

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number];

/** undefined: no filter is known for this kind of machine, so nothing can be isolated on it. */
export function seccompFilter(
  architecture: string,
  { allowUnixSockets = false, allowUserNamespaces = false }: SeccompChoices = {},
): Buffer | undefined {
  const machine = MACHINES[architecture];
  if (machine === undefined) return undefined;
  const { audit, calls } = machine;
  const fail = (error: number): Instruction => [RETURN, 0, 0, ERRNO | error];
  const denied = (call: Call): Instruction[] => [[JUMP_IF_EQUAL, 0, 1, calls[call]], fail(EPERM)];
  /** Denied where the argument is one of these values, or has one of these bits. */
  const deniedWith = (call: Call, index: number, test: number, values: readonly number[]): Instruction[] => [
    [JUMP_IF_EQUAL, 0, values.length * 2 + 2, calls[call]],
    [LOAD, 0, 0, argument(index)],
    ...values.flatMap((value): Instruction[] => [[test, 0, 1, value], fail(EPERM)]),
    [RETURN, 0, 0, ALLOW],
  ];
  const allowedOnly = (call: Call, index: number, values: readonly number[]): Instruction[] => [
    [JUMP_IF_EQUAL, 0, values.length * 2 + 2, calls[call]],
    [LOAD, 0, 0, argument(index)],
    ...values.flatMap((value): Instruction[] => [
      [JUMP_IF_EQUAL, 0, 1, value],
      [RETURN, 0, 0, ALLOW],
    ]),
    fail(EPERM),
  ];
  return assemble([
    [LOAD, 0, 0, ARCHITECTURE],
    [JUMP_IF_EQUAL, 1, 0, audit],
    fail(ENOSYS),
    [LOAD, 0, 0, NUMBER],
    ...(architecture === 'x64' ? ([[JUMP_IF_SET, 0, 1, X32], fail(ENOSYS)] as const) : []),
    ...DENIED.flatMap(denied),
    ...(allowUserNamespaces
      ? []
      : [
          ...deniedWith('clone', 0, JUMP_IF_SET, [CLONE_NEWUSER]),
          ...deniedWith('unshare', 0, JUMP_IF_SET, [CLONE_NEWUSER]),
          ...denied('setns'),
          // Its flags lie in memory, where no filter looks; every library falls back to clone.
          ...([[JUMP_IF_EQUAL, 0, 1, calls.clone3], fail(ENOSYS)] as const),
        ]),
    ...allowedOnly('socket', 0, allowUnixSockets ? [AF_UNIX, ...OWN_FAMILIES] : OWN_FAMILIES),
    ...deniedWith('ioctl', 1, JUMP_IF_EQUAL, [TIOCSTI, TIOCLINUX]),
    [RETURN, 0, 0, ALLOW],
  ]);
}

function assemble(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * 8);
  for (const [i, [code, ifTrue, ifFalse, value]] of program.entries()) {
    bytes.writeUInt16LE(code, i * 8);
    bytes.writeUInt8(ifTrue, i * 8 + 2);
    bytes.writeUInt8(ifFalse, i * 8 + 3);
    bytes.writeUInt32LE(value >>> 0, i * 8 + 4);
  }
  return bytes;
}
