/** The bundled rehearsal: a broken project and the scripted model that fixes it. */
export { BUNDLED_MODEL, BUNDLED_TASK, BUNDLED_WINDOW_TOKENS, bundledScenario } from './bundled-scenario.ts';
export { layOutProject } from './project-files.ts';
