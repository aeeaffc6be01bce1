export { type Asker, type AskHost, createAsker } from './asker.ts';
