/** Commands about hooks and environments. */
import { z } from 'zod'
import {
  answeringRuleSchema,
  hookAddSchema,
  hookFindingSchema,
  hookImportSchema,
  hookSchema,
  hookUpdateSchema,
} from '../../model/hook.ts'
import { command } from './command.ts'
import {
  environmentAddSchema,
  environmentCheckSchema,
  environmentSchema,
  environmentUpdateSchema,
} from '../../model/environment.ts'

export const hookCommands = {
  'hooks.list': command(z.object({ environment: z.string().optional() }), z.object({ hooks: z.array(hookSchema) })),
  'hooks.import': command(hookImportSchema, hookSchema),
  /** What speaks against registering it, as a form asks while it is filled in; `url` is the one that would be registered. */
  'hooks.check': command(
    hookAddSchema,
    z.object({ findings: z.array(hookFindingSchema), warnings: z.array(hookFindingSchema), url: z.string() }),
  ),
  /** Registers a hook at the service of its environment. In a live one it wants `live: true`, as all changes do. */
  'hooks.add': command(hookAddSchema, z.object({ hook: hookSchema, warnings: z.array(hookFindingSchema) })),
  'hooks.update': command(hookUpdateSchema, z.object({ hook: hookSchema, warnings: z.array(hookFindingSchema) })),
  /** Deletes it at the service; its record and secret stay, so that old deliveries still verify. */
  'hooks.remove': command(z.object({ id: z.string(), live: z.boolean().default(false) }), hookSchema),
  /** Makes a secret the present one; the previous ones still verify. For a live hook it wants `live: true`. */
  'hooks.rotate': command(z.object({ id: z.string(), secret: z.string().min(1), live: z.boolean().default(false) }), hookSchema),
  /** What the receiver responds to the deliveries of a hook. The live service gets it too, so a live hook wants `live: true`. */
  'hooks.answer': command(z.object({ id: z.string(), rule: answeringRuleSchema, live: z.boolean().default(false) }), hookSchema),
  /** Points every active hook under the address `from` to the same path under `to`. */
  'hooks.repoint': command(
    z.object({ from: z.url(), to: z.url(), live: z.boolean().default(false) }),
    z.object({
      /** `problem`: why a hook keeps its URL; null where it was moved. */
      moved: z.array(z.object({ hook: hookSchema, problem: z.string().nullable(), warnings: z.array(hookFindingSchema) })),
    }),
  ),
  'hooks.reveal': command(z.object({ id: z.string() }), z.object({ secret: z.string() })),
} as const

/** Commands about environments. */
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
