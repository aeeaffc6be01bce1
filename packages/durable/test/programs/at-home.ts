/** A worker whose sessions stay on its machine. */
import { type Scenario, scriptedAnswer, scriptedTools, scriptedWorker } from './scripted.ts';

const scenario = JSON.parse(process.env['SCENARIO'] ?? '') as Scenario;

await scriptedWorker(scriptedAnswer(scenario), {
  host: process.env['HOST_NAME'],
  workspace: { affinity: 'host', folder: `${process.env['HOME_FOLDER']}/work` },
  engine: { tools: scriptedTools(scenario) },
});
