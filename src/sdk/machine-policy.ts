/** Path of the machine's policy file, for hosts that apply it as the command line does. */
export { machineSettingsFile } from '../engine/wiring/settings.ts';
