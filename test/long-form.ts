/**
 * How much of a long test is run. `npm test` leaves the longest files out. The gate (`.ci/run`) sets
 * `TURNWRIGHT_LONG_TESTS=files` and runs nearly all of them, each in its short form; a release, and rows of the scorecard in
 * full, set it to `1` and run the long form. `TURNWRIGHT_PROPERTY_RUNS` sets the number of runs of the large property
 * tests by hand.
 */
import { lazily } from '../packages/base/src/collections/made-once.ts';

const given = process.env['TURNWRIGHT_LONG_TESTS'];
/** For `it.runIf`: what no short form is left of. */
export const isLong = given === '1';
/** In the gate too. */
const hasAllFiles = isLong || given === 'files';

export const inShortAndLongForm = (short: number, long: number): number => inForm(short, long);

/** `inGate`: where the short form would be too little for the gate. */
export const inForm = <T>(short: T, long: T, inGate = short): T =>
  isLong ? long : hasAllFiles ? inGate : short;

/**
 * Test files that `npm test` leaves out, unless they are named on the command line: real terminals and sandboxes,
 * repositories at every door, all examples, packages, clouds and random kills, each of which takes many seconds. A whole
 * session at a terminal, and the sandbox's policy and protected paths, are in both.
 */
export const LEFT_TO_THE_GATE: readonly string[] = hasAllFiles
  ? []
  : [
      'packages/base/test/working-copies.test.ts',
      'packages/cli/test/{clouds,completion-in-shells,examples,fork,hostile-clone,login,mcp-servers,telemetry,terminal,worktrees}.test.ts',
      'packages/cli/test/conversation/on-terminal/{exits,pastes}.test.ts',
      'packages/engine/test/engine/message-threads.test.ts',
      'test/examples-compile.test.ts',
      'test/inspector/{page,secrets}.test.ts',
      'test/language/{bad-servers,typescript}.test.ts',
      'packages/engine/test/memory/relevant-memory.test.ts',
      'packages/engine/test/model/wires/clouds.test.ts',
      'packages/engine/test/permissions/{repositories,written-out-names}.test.ts',
      'test/project/test-report.test.ts',
      'packages/engine/test/sandbox/{domains,renamed-folders}.test.ts',
      'test/scenarios/faults/{background-work-after-the-turn,killed-between-start-and-result,late-approval}.test.ts',
      'test/scenarios/faults/{pending-server-login,repeated-identical-call}.test.ts',
      'test/scenarios/{judged-calls,killed-command}.test.ts',
      'packages/engine/test/mcp/stdio-servers.test.ts',
      'packages/engine/test/sdk/{denied-files,fork-at,installed-package}.test.ts',
      'packages/engine/test/subagents/{killed-process,session-keeps-its-agent}.test.ts',
      'packages/evals/test/{case-add,eval-budget,eval-checks}.test.ts',
      'packages/terminal/test/late-frames.test.ts',
      'packages/engine/test/tools/builtin/without-ripgrep.test.ts',
      'packages/engine/test/tools/everyday/{lost-folder,odd-files}.test.ts',
    ];

/** Test files that the gate leaves out too: more of what others of their folders show, at length or on real terminals. */
export const LEFT_TO_A_RELEASE: readonly string[] = isLong
  ? []
  : [
      'packages/cli/test/{colours,line-mode,private-files,recording,secrets}.test.ts',
      // The scorecard's rows of kills and of real shells are in the gate.
      'packages/engine/test/context/killed-compaction.test.ts',
      'test/properties/killed.test.ts',
      'packages/engine/test/session/after-a-kill.test.ts',
      'packages/engine/test/shell/{real-shells,written-out}.test.ts',
      'packages/cli/test/conversation/{ask,commands}/terminal.test.ts',
      'packages/cli/test/conversation/on-terminal/!(exits|pastes|whole-session).test.ts',
      // What these ask of the model and of tools is asked through our own doors too.
      'test/client/{environment-reminder,examples,model-options,sandbox,skills,tool-forms}.test.ts',
      'test/{ai-sdk-v4,azure-login,ccusage,runtimes}/**',
      // `all-at-once` has kills, distance and a fail-over in one run; `outage` has the database that goes away.
      'packages/durable/test/{distance,drills,elsewhere,every-point,follow,full-disk,kills,long-session,quiet,worker-outage}.test.ts',
      // The scorecard has its own probes of the sandbox, and lines that real shells run.
      'packages/engine/test/sandbox/{commits,credentials,escape-probes,granting-names,left-behind,mcp-servers,mount-race,placeholders,recipes}.test.ts',
      'test/scenarios/faults/{large-journal,memory-of-large-results}.test.ts',
      'packages/engine/test/session/resume-cache.test.ts',
      'packages/terminal/test/regions.test.ts',
    ];

/** A file or a folder of tests; a package as a whole (`npm test -w packages/terminal`) is none. */
const namesFiles = process.argv
  .slice(2)
  .some((argument) => /^(?:\.\/)?(?:packages\/\w+\/)?test\/./.test(argument));

/** For `exclude`: nothing that is named on the command line is left out. */
export const unlessNamed = (...lists: readonly (readonly string[])[]): string[] =>
  namesFiles ? [] : lists.flat();

/** Rows of a table whose tests take long: every n-th in the short form. */
export const everyNth = <T>(n: number, cases: readonly T[]): readonly T[] =>
  inForm(
    cases.filter((_, at) => at % n === 0),
    cases,
  );

export const propertyRuns = (short: number, long: number): number =>
  Number(process.env['TURNWRIGHT_PROPERTY_RUNS'] ?? inShortAndLongForm(short, long));

/** What several tests examine: made once for all of them in the short form, for each of them in the long form. */
export const sharedInShortForm = <T>(make: () => Promise<T>): (() => Promise<T>) =>
  inForm(lazily(make), make);
