/** A worker of sessions that run so many rounds of calls. */
import { type Scenario, scriptedAnswer, scriptedTools, scriptedWorker } from './scripted.ts';

const scenario = JSON.parse(process.env['SCENARIO'] ?? '') as Scenario;

await scriptedWorker(scriptedAnswer(scenario), { engine: { tools: scriptedTools(scenario) } });
