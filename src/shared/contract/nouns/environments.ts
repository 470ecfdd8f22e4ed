/** Commands about environments. */
import { z } from 'zod'
import {
  environmentAddSchema,
  environmentCheckSchema,
  environmentSchema,
  environmentUpdateSchema,
} from '../../model/environment.ts'
import { command } from './command.ts'

export const environmentCommands = {
  'environments.list': command(
    z.object({ includeSecrets: z.boolean().default(false) }),
    z.object({ environments: z.array(environmentSchema) }),
  ),

  'environments.add': command(environmentAddSchema, environmentSchema),
  'environments.update': command(environmentUpdateSchema, environmentSchema),
  /** Makes it the current one: the one that is meant where none is named. */
  'environments.use': command(z.object({ name: z.string() }), environmentSchema),
  /** Makes one call that changes nothing, and says what it learned. */
  'environments.check': command(z.object({ name: z.string().optional() }), environmentCheckSchema),
  'environments.remove': command(z.object({ name: z.string() }), z.object({})),
} as const
