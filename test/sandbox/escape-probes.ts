import { everyNth } from '../long-form.ts';

/**
 * Attempts to get out of the sandbox. Each is a shell command that runs in `$WS`; it has got out when it prints ESCAPED, or
 * when something outside has changed (`escape-probes.test.ts` compares). `$BASE` is the folder around the workspace,
 * `$HOST_PID` a process outside, `$PORT` a listener outside,
 * `$SLEEP` how many seconds a process sleeps that is left behind: a number by which it is found.
 */
export type Probe = readonly [name: string, command: string];

const perl = (code: string): string => `perl -MSocket -e '${code}'`;
/** It is an escape when the command succeeds. */
const must = (command: string): string => `${command} 2>/dev/null && echo ESCAPED`;
/** It is an escape when the system call succeeds; numbers of x86-64 and of arm64. */
const call = (x64: number, arm64: number, args = '0,0,0,0,0'): string =>
  perl(
    `chomp($m=\`uname -m\`);$n=$m eq "aarch64"?${arm64}:${x64};$r=syscall($n,${args});print "ESCAPED" if $r>=0;`,
  );
const connect = (address: string, family = 'AF_INET'): string =>
  perl(`socket($s,${family},SOCK_STREAM,0) or exit;print "ESCAPED" if connect($s,${address});`);

const WRITES: readonly Probe[] = [
  ['a file beside the workspace', 'echo x > ../beside'],
  ['an absolute path', 'echo x > "$BASE/beside"'],
  ['dots in the middle', 'mkdir -p d && echo x > d/../../beside'],
  ['/etc', must('touch /etc/escaped')],
  ['/usr/local/bin', must('touch /usr/local/bin/escaped')],
  ['/var/tmp of the machine', 'echo x > /var/tmp/turnwright-escaped'],
  ['/dev/shm of the machine', 'echo x > /dev/shm/turnwright-escaped'],
  ['/tmp of the machine', 'echo x > /tmp/turnwright-escaped'],
  ['the crontab', must('sh -c "echo x > /etc/crontab"')],
  ['the cron spool', must('sh -c "echo x > /var/spool/cron/escaped"')],
  ['/root', must('touch /root/escaped')],
  ['the home folder', 'touch "$HOME/escaped"'],
  ['a link to a folder outside', 'ln -s "$BASE" out && echo x > out/beside'],
  ['a link to a file outside', 'ln -s "$BASE/victim" v && echo x > v'],
  ['a chain of links', 'ln -s .. up; ln -s up/.. upup; echo x > up/beside'],
  ['a hard link to a file outside', must('ln "$BASE/victim" hard && echo x >> hard')],
  ['a hard link to a protected file', must('ln .mcp.json hard2 && echo x >> hard2')],
  ['a rename out of the workspace', 'echo x > r && mv r "$BASE/beside"'],
  ['an archive with dots', 'echo x > t && tar cPf a.tar --transform "s,^t,../beside," t && tar xPf a.tar'],
  ['chmod of a file outside', 'chmod 777 "$BASE/victim"'],
  ['touch of a file outside', 'touch -d 2001-01-01 "$BASE/victim"'],
  ['removing a file outside', 'rm -f "$BASE/victim"'],
  ['removing the workspace’s parent', 'rm -rf "$BASE/other"'],
  ['another session’s folder in /tmp', 'for d in /tmp/*; do echo x > "$d/escaped"; done'],
];

const PROTECTED: readonly Probe[] = [
  ['.mcp.json, there', must('sh -c "echo x > .mcp.json"')],
  ['.mcp.json, appended', must('sh -c "echo x >> .mcp.json"')],
  ['.mcp.json, replaced', must('sh -c "echo x > n && mv -f n .mcp.json"')],
  ['.mcp.json, removed', must('rm -f .mcp.json')],
  ['.mcp.json, truncated', must('truncate -s 0 .mcp.json')],
  ['.mcp.json, unmounted', must('umount .mcp.json')],
  ['settings, not there', must('sh -c "mkdir -p .claude && echo x > .claude/settings.json"')],
  ['settings of the other name', must('sh -c "mkdir -p .turnwright && echo x > .turnwright/settings.json"')],
  ['a skill', must('mkdir -p .claude/skills/evil')],
  ['an agent', must('mkdir -p .turnwright/agents')],
  ['a command', must('mkdir -p .claude/commands')],
  ['the placeholder of the settings removed', must('rm -rf .claude')],
  ['the placeholder renamed', must('mv .claude x')],
  ['a git hook', must('sh -c "echo x > .git/hooks/pre-commit"')],
  ['git config', must('git config core.fsmonitor /bin/evil')],
  ['git config, written', must('sh -c "echo x >> .git/config"')],
  ['.git renamed', must('mv .git x')],
  ['.git/hooks renamed', must('mv .git/hooks .git/h')],
  ['.git removed', 'rm -rf .git 2>/dev/null; git init -q 2>/dev/null; echo x > .git/hooks/evil'],
  ['another common folder', must('sh -c "echo /tmp > .git/commondir"')],
  ['attributes of git', must('sh -c "echo x > .git/info/attributes"')],
  ['configuration of the working tree', must('sh -c "echo x > .git/config.worktree"')],
  ['a nested git hook', must('sh -c "echo x > sub/.git/hooks/pre-commit"')],
  ['a nested git config', must('sh -c "echo x >> sub/.git/config"')],
  ['nested settings', must('sh -c "echo x > sub/.claude/settings.json"')],
  ['a nested .mcp.json', must('sh -c "echo x > sub/deep/.mcp.json"')],
  ['tasks of an editor', must('sh -c "mkdir -p .vscode && echo x > .vscode/tasks.json"')],
  ['.gitmodules', must('sh -c "echo x > .gitmodules"')],
  ['.envrc', must('sh -c "echo x > .envrc"')],
  ['.npmrc', must('sh -c "echo x > .npmrc"')],
  ['husky', must('mkdir -p .husky/_')],
  ['a file that a rule denies', must('sh -c "echo x > locked/file"')],
  ['the folder of that file renamed', must('mv locked unlocked')],
  ['.mcp.json through the process table', must('sh -c "echo x > /proc/self/cwd/.mcp.json"')],
  ['.mcp.json through the root', must('sh -c "echo x > /proc/self/root$WS/.mcp.json"')],
  ['.mcp.json through a link to the folder', must('sh -c "ln -s . self; echo x > self/.mcp.json"')],
];

const READS: readonly Probe[] = [
  ['credentials', must('cat "$CONFIG_HOME/.credentials.json"')],
  ['transcripts', must('grep -r . "$CONFIG_HOME/projects"')],
  ['a file that a rule denies', must('grep CANARY secret/key')],
  ['the same through a glob', must('grep CANARY s*/k*')],
  ['the same through a link', must('sh -c "ln -s secret s2; grep CANARY s2/key"')],
  ['the same through a hard link', must('sh -c "ln secret/key k2 && grep CANARY k2"')],
  ['the same after a rename', must('sh -c "mv secret s3; grep CANARY s3/key"')],
  ['the same through the process table', must('grep CANARY /proc/self/root$WS/secret/key')],
  ['a file by its pattern', must('grep CANARY sub/x.pem')],
  [
    'the environment of the parent',
    'cat /proc/$PPID/environ 2>/dev/null | grep -a CANARY | sed "s/.*/ESCAPED/"',
  ],
  [
    'the environment of all processes',
    'cat /proc/[0-9]*/environ 2>/dev/null | grep -a CANARY | sed "s/.*/ESCAPED/"',
  ],
  ['the environment of a process outside', must('grep -a CANARY /proc/$HOST_PID/environ')],
  ['the own environment', 'env | grep CANARY | sed "s/.*/ESCAPED/"'],
  ['the root of a process outside', must('ls /proc/$HOST_PID/root/')],
  [
    'the root of the first process',
    'cat "/proc/1/root$CONFIG_HOME/.credentials.json" 2>/dev/null && echo ESCAPED',
  ],
  [
    'working folders of all processes',
    'for p in /proc/[0-9]*/cwd; do cat "$p/.credentials.json" 2>/dev/null && echo ESCAPED; done',
  ],
  [
    'descriptors of all processes',
    'for f in /proc/[0-9]*/fd/*; do case "$(readlink "$f")" in "$BASE"/victim|"$CONFIG_HOME"*|/tmp/turnwright-sandbox*) echo ESCAPED;; esac; done',
  ],
  [
    'descriptors that came along',
    'for f in /proc/self/fd/*; do n=${f##*/}; [ "$n" -gt 2 ] && [ -e "$f" ] && case "$(readlink "$f")" in /proc/*|/dev/null) ;; *) echo ESCAPED "$(readlink "$f")";; esac; done',
  ],
  ['memory of the machine', must('head -c 1 /dev/mem')],
  ['kernel memory', must('head -c 1 /proc/kcore')],
  ['the kernel log', must('head -c 1 /dev/kmsg')],
  ['disks', must('sh -c "head -c 1 /dev/sda || head -c 1 /dev/vda || head -c 1 /dev/nvme0n1"')],
  ['/tmp of the machine', must('grep CANARY "$HOST_TMP_FILE"')],
];

const SYSTEM: readonly Probe[] = [
  ['ptrace', call(101, 117, '16,$ENV{HOST_PID},0,0')],
  ['ptrace of a child', call(101, 117)],
  ['memory of another process', call(310, 270, '1,0,0,0,0,0')],
  ['keyctl', call(250, 219, '0,-3,1')],
  ['add_key', call(248, 217, '0,0,0,0,-3')],
  ['io_uring', call(425, 425, '1,0')],
  ['bpf', call(321, 280, '0,0,0')],
  ['userfaultfd', call(323, 282, '0')],
  ['perf events', call(298, 241, '0,0,-1,-1,0')],
  ['a user namespace by unshare', call(272, 97, '0x10000000')],
  ['a user namespace by clone', call(56, 220, '0x10000011,0,0,0,0')],
  ['a user namespace by a program', must('unshare -Ur true')],
  ['a mount namespace', must('unshare -m true')],
  ['another namespace entered', must('nsenter -t 1 -m true')],
  ['a mount', must('mount -t tmpfs none sub')],
  ['a bind mount', must('mount --bind / sub')],
  ['the workspace remounted', must('mount -o remount,rw /')],
  ['protection unmounted', must('umount -l .git/hooks')],
  ['chroot', must('chroot / true')],
  ['another sandbox inside', must('bwrap --bind / / true')],
  ['a device', must('sh -c "mknod dev b 8 0 && head -c 1 dev"')],
  ['a character device', must('sh -c "mknod cdev c 1 1 && head -c 1 cdev"')],
  [
    'core_pattern',
    must('sh -c "v=\\$(cat /proc/sys/kernel/core_pattern); echo \\$v > /proc/sys/kernel/core_pattern"'),
  ],
  ['sysrq', must('sh -c "echo h > /proc/sysrq-trigger"')],
  ['sysctl', must('sh -c "echo 1 > /proc/sys/vm/drop_caches"')],
  [
    'the path of modprobe',
    must('sh -c "v=\\$(cat /proc/sys/kernel/modprobe) && echo \\$v > /proc/sys/kernel/modprobe"'),
  ],
  ['cgroups', must('mkdir /sys/fs/cgroup/escaped')],
  ['a release agent', must('sh -c "echo x > /sys/fs/cgroup/release_agent"')],
  ['/sys', must('sh -c "echo mem > /sys/power/state"')],
  ['helpers of hotplug', must('sh -c "echo x > /sys/kernel/uevent_helper"')],
  ['the host’s name', must('hostname escaped')],
  ['the clock', must('date -s 2001-01-01')],
  ['input into a terminal', perl('open($t,"<","/dev/tty") or exit;print "ESCAPED" if ioctl($t,0x5412,"x")')],
  ['input into its own input', perl('print "ESCAPED" if ioctl(STDIN,0x5412,"x")')],
  ['a signal to a process outside', must('kill -0 $HOST_PID')],
  ['a signal to the first process', 'kill -9 1 2>/dev/null; kill -0 $HOST_PID 2>/dev/null && echo ESCAPED'],
  ['processes outside', 'ls -d /proc/[0-9]* | wc -l | awk \'$1>12{print "ESCAPED"}\''],
  ['setuid to another user', perl('$<=$>=1234;print "ESCAPED" if $>==1234')],
  [
    'a program with setuid',
    'cp /bin/sh s && chmod 4755 s && ./s -p -c "grep -q CapEff:.*[1-9a-f] /proc/self/status && echo ESCAPED"',
  ],
  ['rights', 'grep -qE "Cap(Eff|Prm|Bnd|Amb):.*[1-9a-f]" /proc/self/status && echo ESCAPED'],
  ['new privileges', 'grep -q "NoNewPrivs:.*0" /proc/self/status && echo ESCAPED'],
  ['no filter of system calls', 'grep -q "Seccomp:.*0" /proc/self/status && echo ESCAPED'],
  ['shared memory of the machine', 'ipcs -m 2>/dev/null | grep -q CANARY && echo ESCAPED'],
];

const NETWORK: readonly Probe[] = [
  ['a listener on loopback', connect('pack_sockaddr_in($ENV{PORT},inet_aton("127.0.0.1"))')],
  ['the same by the shell', must('bash -c "exec 3<>/dev/tcp/127.0.0.1/$PORT"')],
  ['the same by its IPv6 name', must('bash -c "exec 3<>/dev/tcp/::1/$PORT"')],
  ['an address of the network', must('bash -c "exec 3<>/dev/tcp/192.0.2.1/80"')],
  ['the metadata service', must('bash -c "exec 3<>/dev/tcp/169.254.169.254/80"')],
  ['UDP', 'bash -c "echo x > /dev/udp/127.0.0.1/$UDP_PORT" 2>/dev/null; true'],
  ['names', must('getent ahostsv4 example.com')],
  [
    'a proxy of the environment ignored',
    must('env -u HTTP_PROXY -u http_proxy bash -c "exec 3<>/dev/tcp/127.0.0.1/$PORT"'),
  ],
  ['a socket with a path', connect('pack_sockaddr_un("$ENV{BASE}/socket")', 'AF_UNIX')],
  ['a socket with an abstract name', connect('pack_sockaddr_un("\\0$ENV{ABSTRACT}")', 'AF_UNIX')],
  ['docker', connect('pack_sockaddr_un("/var/run/docker.sock")', 'AF_UNIX')],
  ['the agent of ssh', connect('pack_sockaddr_un($ENV{SSH_AUTH_SOCK}//"/run/x")', 'AF_UNIX')],
  ['a raw socket', perl('print "ESCAPED" if socket($s,AF_INET,3,1)')],
  ['packets', perl('print "ESCAPED" if socket($s,17,3,768)')],
  ['ping', must('ping -c1 -W1 192.0.2.1')],
  ['another network', must('nsenter -t $HOST_PID -n true')],
  ['an interface', must('ip link add x type dummy')],
];

/** What they start must be gone when they have ended. */
const LEFT_BEHIND: readonly Probe[] = [
  ['a child in the background', 'sleep $SLEEP &'],
  ['a session of its own', 'setsid sleep $SLEEP >/dev/null 2>&1 &'],
  ['a daemon', '(setsid sh -c "trap \'\' HUP TERM; sleep $SLEEP" >/dev/null 2>&1 &) ; true'],
  ['nohup', 'nohup sleep $SLEEP >/dev/null 2>&1 & disown'],
  ['later by at', 'echo "touch $BASE/beside" | at now 2>/dev/null; true'],
];

export const PROBES: readonly Probe[] = [
  ...WRITES,
  ...PROTECTED,
  ...READS,
  ...SYSTEM,
  ...NETWORK,
  ...LEFT_BEHIND,
];

/** A sixth of them in the short form. */
export const TRIED = everyNth(6, PROBES);
