/** Tools that come with a JSON schema of their own: how their input is checked. */
export { parserOf } from '../../../tools/schema/from-json-schema.ts';
