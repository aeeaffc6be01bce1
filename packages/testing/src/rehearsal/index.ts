/** `turnwright/rehearsal`: run an agent for real against a scripted Messages API on loopback. */
export type { AppliedEdit } from './accounting/context-edits.ts';
export { requestTokens, textTokens } from './accounting/count-tokens.ts';
export { type ChaosOptions, SURVIVABLE_FAULTS } from './faults/chaos.ts';
export { FAULT_NAMES, type Fault, type FaultName } from './faults/fault.ts';
export type { RecordedRequest, Verdict } from './http/recorded-request.ts';
export type { TimelineEvent } from './http/timeline.ts';
export { RULE_NAMES } from './judge/index.ts';
export type { ModelFacts } from './models.ts';
export type { RehearsalOptions } from './rehearsal-options.ts';
export { type LoadOptions, loadScenario, parseScenario } from './scenario/load-scenario.ts';
export type { RehearsalRequest, RequestKind } from './scenario/rehearsal-request.ts';
export {
  type Condition,
  defineScenario,
  type Reply,
  reply,
  type Scenario,
  type ScenarioFunction,
  type ScriptedBlock,
  type ScriptedReply,
  type Timing,
  text,
  thinking,
  toolUse,
} from './scenario/scenario.ts';
export { type RehearsalReport, type RehearsalServer, startRehearsal } from './server.ts';
export type { ScenarioChoice, ScenarioMatch } from './session-book.ts';
