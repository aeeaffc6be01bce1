/**
 * Subcommands of docker with the forms in which they only read from the daemon; see `ReadingForm`. Options in
 * front of the subcommand lead to another daemon or configuration, and `compose` reads files that may name
 * others and fetch them: neither is listed. Nor is what shows the environment of containers.
 */
import type { ReadingForm } from './reading-form.ts';

/** Of a container, image, or kind of either. */
const NAME = /^\w[\w./:@-]*$/;
/** Options whose value may also be the next word. */
const VALUED = /^--?(?:f|format|filter)$/;

const form = (options: RegExp, atMost = 0, more: Partial<ReadingForm> = {}): ReadingForm => ({
  options,
  valued: VALUED,
  words: NAME,
  atMost,
  ...more,
});

const CONTAINERS = form(
  /^-(?:[aqls]*[fn]?|n\d+)$|^--(?:all|quiet|latest|size|no-trunc|(?:last|format|filter)(?:=.*)?)$/,
  0,
  { valued: /^-[aqls]*[fn]$|^--(?:last|format|filter)$/ },
);
const IMAGES = form(/^-[aq]*f?$|^--(?:all|quiet|digests|no-trunc|tree|(?:format|filter)(?:=.*)?)$/, 1, {
  valued: /^-[aq]*f$|^--(?:format|filter)$/,
});
const LISTED = form(/^-q?f?$|^--(?:quiet|no-trunc|(?:format|filter)(?:=.*)?)$/);
const TOLD = form(/^-f$|^--format(?:=.*)?$/);
const LOGS = form(/^-(?:[ft]*n?|n\d+)$|^--(?:follow|timestamps|(?:tail|since|until)(?:=.*)?)$/, 1, {
  valued: /^-[ft]*n$|^--(?:tail|since|until)$/,
});
const STATS = form(/^-a$|^--(?:all|no-stream|no-trunc|format(?:=.*)?)$/, 20, {
  holds: (_, args) => args.includes('--no-stream'),
});
const HISTORY = form(/^-[qH]+$|^--(?:quiet|human)$/, 1);
/** More words would be options of `ps`, with which it shows the environment of processes. */
const TOP: ReadingForm = { words: NAME, atMost: 1 };
const PORT: ReadingForm = { words: NAME, atMost: 2 };
const DIFF: ReadingForm = { words: NAME, atMost: 1 };

/** What a template may show of a container or an image: not its environment, nor everything (`json`). */
const SHOWN =
  /^(?:[^{}]|\{\{ *(?:end|range \.NetworkSettings\.Networks|(?:(?:json|len|lower|upper) +)?\.(?:Id|Name|Created|Image|Path|Platform|Driver|RestartCount|RepoTags|RepoDigests|Size|Architecture|Os|IPAddress|Gateway|MacAddress|State(?:\.\w+)*|NetworkSettings(?:\.\w+)*|HostConfig\.(?:NetworkMode|PortBindings|RestartPolicy(?:\.Name)?)|Config\.(?:Image|Hostname|WorkingDir|User|ExposedPorts))) *\}\})+$/;

const INSPECT = form(/^-f$|^--(?:format(?:=.*)?|type=(?:container|image))$/, 20, {
  holds: (_, args) => {
    const templates = args.flatMap((arg, at) =>
      /^--?f(?:ormat)?$/.test(args[at - 1] ?? '') ? [arg] : (/^--format=(.*)$/s.exec(arg)?.[1] ?? []),
    );
    return templates.length === 1 && templates.every((each) => SHOWN.test(each) && !/^\s*json/i.test(each));
  },
});

export const READING_DOCKER: Readonly<Record<string, ReadingForm>> = {
  '--version': { atMost: 0 },
  '-v': { atMost: 0 },
  ps: CONTAINERS,
  'container ls': CONTAINERS,
  'container list': CONTAINERS,
  'container ps': CONTAINERS,
  images: IMAGES,
  'image ls': IMAGES,
  'image list': IMAGES,
  logs: LOGS,
  'container logs': LOGS,
  inspect: INSPECT,
  'container inspect': INSPECT,
  'image inspect': INSPECT,
  stats: STATS,
  'container stats': STATS,
  top: TOP,
  'container top': TOP,
  port: PORT,
  'container port': PORT,
  diff: DIFF,
  'container diff': DIFF,
  history: HISTORY,
  'image history': HISTORY,
  info: TOLD,
  'system info': TOLD,
  version: TOLD,
  'system df': form(/^-v$|^--(?:verbose|format(?:=.*)?)$/),
  'network ls': LISTED,
  'network list': LISTED,
  'volume ls': LISTED,
  'volume list': LISTED,
  'context ls': LISTED,
  'context list': LISTED,
  'context show': { atMost: 0 },
};
