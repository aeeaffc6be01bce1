/** Where the machine's policy is: for hosts that keep to it, as the command line does. */
export { machineSettingsFile } from '../engine/wiring/settings.ts';
