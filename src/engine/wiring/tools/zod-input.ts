/** zod stays out of reach of `import 'turnwright'`: it is loaded when the first such tool is made. */
export { inputFromZod, type ZodShape } from '../../../tools/schema/from-zod.ts';
